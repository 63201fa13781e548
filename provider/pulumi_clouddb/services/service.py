"""The managed database service: what a program may say of it, and what state keeps."""

from __future__ import annotations

from typing import Any, ClassVar

from pulumi_clouddb.schema.base import Flag, Model, Number, Record, Text, Uuid, names_in, prop
from pulumi_clouddb.schema.config import WAIT_MINUTES
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.rules import Rule

from .enums import ServerProfile, ServerRegion
from .fields import REPLICA, TOTAL, ServiceFields
from .response import ServiceEndpoint, ServiceRecord, ServiceResponse
from .rules import RULES, SETTING_RULES
from .settings import DETAILS, SettingFields


class ServiceCreate(ServiceFields):
    """The body of *Create service*."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = RULES


class ServiceArgs(SettingFields, ServiceCreate):
    """What a program may say about a service: a create, what is set afterwards, and how this provider treats it."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = (*RULES, *SETTING_RULES)

    allow_duplicate_name: Flag | None = prop(
        "Create the service even though another one has the same name.", unset=False, provider_only=True
    )
    allow_replacement: Flag | None = prop(
        "Let a change that cannot be made in place delete this database and create another; otherwise such a change "
        "is refused at preview.",
        unset=False,
        provider_only=True,
    )
    deletion_protection: Flag | None = prop("Refuse to delete the service.", unset=False, provider_only=True)
    wait_timeout_minutes: Number | None = prop(
        "Minutes to wait until the service runs, or is gone; zero does not wait.",
        unset=WAIT_MINUTES,
        provider_only=True,
        ge=0,
    )


class ServerServiceArgs(ServiceArgs):
    """A service within the limits of the vendor's own servers, which take any character in a name."""

    name: Text | None = prop("Name of the service.", required=True, min_length=1, max_length=50, groups=(DETAILS,))
    region: ServerRegion | None = prop("Region of that cloud.", replaces=True)  # type: ignore[assignment]
    profile: ServerProfile | None = prop("Instance profile.", replaces=True)  # type: ignore[assignment]


BASIC_DETAILS = names_in(ServiceArgs, DETAILS)
REPLICA_SCALING = names_in(ServiceArgs, REPLICA)
TOTAL_SCALING = names_in(ServiceArgs, TOTAL)
"""What each of the updates of a service takes, by wire name."""

TOTAL_MEMORY = tuple(name for name in TOTAL_SCALING if name not in REPLICA_SCALING)
"""What the deprecated update of the totals alone takes."""


class ServiceOwn(Record):
    """What this provider adds to the state of a service."""

    endpoints: list[ServiceEndpoint] | None = prop(
        "Where clients connect, and which protocols are off.", copies=("provider", "region")
    )
    password: Text | None = prop(
        "Password of the initial account, answered once when it was created or rotated.", secret=True, api="password"
    )
    last_error: Text | None = prop("Why the service is not ready; absent once it is.")


class ServiceActual(ServiceOwn, ServiceRecord):
    """What handlers see of a service: what the server answered, and what this provider adds."""


LAST_ERROR = property_name(ServiceOwn, lambda own: own.last_error)


class ServiceState(ServiceOwn, ServiceArgs, ServiceResponse):
    """What Pulumi keeps of a service: the inputs as given, what the server made of them, and the password."""


SERVICE = ResourceType(
    name="Service",
    description=(
        "A managed database service. It is created, waited for, changed in place where the API allows it, "
        "and stopped before it is deleted."
    ),
    inputs=ServiceArgs,
    wider=ServerServiceArgs,
    record=ServiceRecord,
    own=ServiceOwn,
    state=ServiceState,
    actual=ServiceActual,
    required_outputs=("name",),
    import_id="SERVICE_ID",
    deleted_first_unless=property_names(
        ServiceArgs, lambda args: (args.allow_duplicate_name, args.allow_replacement, args.deletion_protection)
    ),
)


class GetServiceArgs(Model):
    """Arguments of getService."""

    service_id: Uuid = prop("Id of the service.", required=True)


class ListServicesArgs(Model):
    """Arguments of listServices."""

    name: Text | None = prop("Only services of exactly this name, or the one of this id.")


class ServiceList(Record):
    """Answer of listServices."""

    services: list[ServiceResponse] = prop("The services, in the server's order.", required=True)


GET_SERVICE = FunctionType("getService", "Reads one service by its id.", GetServiceArgs, ServiceResponse)
LIST_SERVICES = FunctionType("listServices", "Lists the services of the organization.", ListServicesArgs, ServiceList)
