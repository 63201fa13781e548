"""A Postgres service that starts from another one: a program may repeat what it has from there."""

from __future__ import annotations

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.convert import fields_of, to_wire
from pulumi_clouddb.schema.names import property_names

from .api import READ_REPLICA_OF, RESTORE_FROM, PostgresServices
from .postgres_service import PostgresService

OF_ORIGIN = property_names(
    PostgresService, lambda service: (service.provider, service.region, service.postgres_version)
)
"""What no request sends for a replica or a restored service (OpenAPI: `PostgresServiceReadReplicaRequest`).

The vendor's Terraform provider accepts the values of the origin (postgres_service.go: `sourceAttributeConflicts`), and
has them in its example.
"""

OF_PRIMARY = (*OF_ORIGIN, *property_names(PostgresService, lambda service: (service.size,)))
"""What a replica has from its primary, as long as it is one."""


def inherited(service: PostgresService) -> tuple[str, ...]:
    """Return the wire names of the properties that a service has from its origin; none without one."""
    if service.read_replica_of is not None:
        return OF_PRIMARY
    return OF_ORIGIN if service.restore_from is not None else ()


def unlike_its_origin(services: PostgresServices, wanted: PostgresService) -> ResourceError | None:
    """Return why a service cannot be created as the program has it: its origin has other properties."""
    names = {wire: attribute for wire, attribute, _ in fields_of(PostgresService)}
    given = {name: getattr(wanted, names[name]) for name in inherited(wanted)}
    restored = wanted.restore_from
    origin = wanted.read_replica_of or (restored.postgres_service_id if restored is not None else None)
    record = services.find(origin) if origin and any(each is not None for each in given.values()) else None
    has = {} if record is None else to_wire(record)
    for name, value in given.items():
        if value is not None and name in has and str(value) != str(has[name]):
            place = READ_REPLICA_OF if wanted.read_replica_of else RESTORE_FROM
            return ResourceError(
                f"Postgres service {wanted.name!r} has the {name} of {place} ({origin}): {has[name]}, not {value!s}",
                f"Remove {name}, or set it to {has[name]}.",
            )
    return None
