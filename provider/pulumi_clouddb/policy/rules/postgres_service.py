"""Rules about the availability and the cost of Postgres services."""

from __future__ import annotations

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Findings, Settings, is_allowed, one_of, rule, sets, setting, violation
from pulumi_clouddb.things.postgres_services.enums import PostgresHaType
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE, PostgresService


@rule(
    POSTGRES_SERVICE,
    "production-postgres-standby",
    "A production Postgres service has a standby.",
    severity=Severity.HIGH,
    comply="Set haType to async or sync.",
    tags=("availability", "production"),
)
def production_postgres_standby(service: PostgresService, context: Context[Settings]) -> Findings:
    """Check haType; a read replica has that of its primary."""
    no_standby = service.ha_type in (None, PostgresHaType.NONE)
    if context.production and no_standby and service.read_replica_of is None:
        yield violation(service, "ha_type", f"use {PostgresHaType.ASYNC.value} or {PostgresHaType.SYNC.value}")


production_postgres_standby.fix(sets("haType", PostgresHaType.ASYNC.value))


class Sizes(Settings):
    """The settings of postgres-sizes."""

    sizes: list[str] = setting("Allowed sizes; if there are none, any one.", default=[])


@rule(
    POSTGRES_SERVICE,
    "postgres-sizes",
    "A Postgres service has an allowed size.",
    severity=Severity.MEDIUM,
    comply="Set one of the allowed sizes.",
    tags=("cost",),
    settings=Sizes,
)
def postgres_sizes(service: PostgresService, context: Context[Sizes]) -> Findings:
    """Check the size; without one, it is that of the primary or of the backup."""
    if service.size is not None and not is_allowed(service.size, context.settings.sizes):
        yield violation(service, "size", one_of(context.settings.sizes))
