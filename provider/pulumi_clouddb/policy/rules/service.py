"""Rules about the availability and the cost of services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Findings, Settings, limits_of, rule, sets, setting, violation
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE, PostgresService
from pulumi_clouddb.things.services.enums import ReleaseChannel, Tier
from pulumi_clouddb.things.services.parts import WORKERS
from pulumi_clouddb.things.services.service import SERVICE, Service, VendorService

# -- availability ----------------------------------------------------------------------------------------------------


class Replicas(Settings):
    """The settings of production-replicas."""

    minimum: int = setting(
        "Minimum number of replicas of a production service.", default=2, **limits_of(VendorService, "num_replicas")
    )


@rule(
    SERVICE,
    "production-replicas",
    "A production service has redundant replicas.",
    severity=Severity.HIGH,
    comply="Set numReplicas; the default of the server depends on the tier of the organization.",
    tags=("availability", "production"),
    settings=Replicas,
)
def production_replicas(service: Service, context: Context[Replicas]) -> Findings:
    """Check numReplicas."""
    minimum = context.settings.minimum
    if context.production and (service.num_replicas is None or service.num_replicas < minimum):
        yield violation(service, "num_replicas", f"set at least {minimum} in production")


@production_replicas.fix
def _enough_replicas(_: Service, context: Context[Replicas]) -> Mapping[str, Any]:
    """Sets numReplicas to the minimum."""
    return {"numReplicas": context.settings.minimum}


@rule(
    SERVICE,
    "production-no-idle-scaling",
    "A production service does not scale to zero.",
    severity=Severity.MEDIUM,
    comply="Set idleScaling to false; the server's default is true.",
    tags=("availability", "production"),
)
def production_no_idle_scaling(service: Service, context: Context[Settings]) -> Findings:
    """Check idleScaling."""
    if context.production and service.idle_scaling is not False:
        yield violation(service, "idle_scaling", "set it to false in production, or the first query waits for a start")


production_no_idle_scaling.fix(sets("idleScaling", False))


@rule(
    SERVICE,
    "production-release-channel",
    "A production service is on the slow release channel.",
    severity=Severity.MEDIUM,
    comply="Set releaseChannel to slow.",
    tags=("availability", "production"),
)
def production_release_channel(service: Service, context: Context[Settings]) -> Findings:
    """Check the release channel; services of tier development have none."""
    slow = ReleaseChannel.SLOW
    if context.production and service.tier != Tier.DEVELOPMENT and service.release_channel != slow:
        yield violation(service, "release_channel", f"set it to {slow.value} in production")


production_release_channel.fix(sets("releaseChannel", ReleaseChannel.SLOW.value))


WAITS = limits_of(Service, "wait_timeout_minutes")


class WaitLimit(Settings):
    """The settings of service-waited-for."""

    minimum: float = setting("Minimum wait in minutes.", default=5, **WAITS)
    maximum: float = setting("Maximum wait in minutes.", default=120, **WAITS)


@rule(
    (SERVICE, POSTGRES_SERVICE),
    "service-waited-for",
    "A deployment waits for a service within the time limits.",
    severity=Severity.LOW,
    comply="Omit waitTimeoutMinutes, or set a number within the limits.",
    tags=("operations",),
    settings=WaitLimit,
)
def service_waited_for(service: Service | PostgresService, context: Context[WaitLimit]) -> Findings:
    """Check waitTimeoutMinutes."""
    minimum, maximum = context.settings.minimum, context.settings.maximum
    if service.wait_timeout_minutes is not None and not minimum <= service.wait_timeout_minutes <= maximum:
        yield violation(service, "wait_timeout_minutes", f"set {minimum:g} to {maximum:g} minutes, or omit it")


@service_waited_for.fix
def _nearest_wait_limit(service: Service | PostgresService, context: Context[WaitLimit]) -> Mapping[str, Any]:
    """Sets waitTimeoutMinutes to the nearer limit."""
    minutes = service.wait_timeout_minutes or 0
    return {"waitTimeoutMinutes": min(max(minutes, context.settings.minimum), context.settings.maximum)}


# -- cost ------------------------------------------------------------------------------------------------------------


@rule(
    SERVICE,
    "idle-scaling-elsewhere",
    "A service that is not production scales to zero when idle.",
    severity=Severity.LOW,
    comply="Set idleScaling to true, or omit it.",
    tags=("cost",),
)
def idle_scaling_elsewhere(service: Service, context: Context[Settings]) -> Findings:
    """Check idleScaling."""
    if not context.production and service.idle_scaling is False:
        yield violation(service, "idle_scaling", "set it to true outside production, so that idle hours cost nothing")


idle_scaling_elsewhere.fix(sets("idleScaling", True))


class IdleTimeout(Settings):
    """The settings of idle-timeout-elsewhere."""

    maximum: float = setting(
        "Maximum idle timeout in minutes.", default=30, **limits_of(Service, "idle_timeout_minutes")
    )


@rule(
    SERVICE,
    "idle-timeout-elsewhere",
    "A service that is not production has a short idle timeout.",
    severity=Severity.LOW,
    comply="Lower idleTimeoutMinutes, or omit it.",
    tags=("cost",),
    settings=IdleTimeout,
)
def idle_timeout_elsewhere(service: Service, context: Context[IdleTimeout]) -> Findings:
    """Check idleTimeoutMinutes."""
    maximum = context.settings.maximum
    if not context.production and (service.idle_timeout_minutes or 0) > maximum:
        yield violation(service, "idle_timeout_minutes", f"set at most {maximum:g} minutes outside production")


@idle_timeout_elsewhere.fix
def _maximum_idle_timeout(_: Service, context: Context[IdleTimeout]) -> Mapping[str, Any]:
    """Sets idleTimeoutMinutes to the maximum."""
    return {"idleTimeoutMinutes": context.settings.maximum}


class Memory(Settings):
    """The settings of service-memory-ceiling."""

    maximum_gb: int = setting(
        "Maximum memory of one replica, in GB.", default=120, **limits_of(Service, "max_replica_memory_gb")
    )


@rule(
    SERVICE,
    "service-memory-ceiling",
    "A service has a memory limit within the maximum.",
    severity=Severity.MEDIUM,
    comply="Set maxReplicaMemoryGb; otherwise the server chooses the limit.",
    tags=("cost",),
    settings=Memory,
)
def service_memory_ceiling(service: Service, context: Context[Memory]) -> Findings:
    """Check the memory limits; services of tier development have a fixed size."""
    maximum = context.settings.maximum_gb
    if service.tier == Tier.DEVELOPMENT:
        return
    if service.max_replica_memory_gb is None and service.max_total_memory_gb is not None:
        if service.max_total_memory_gb > maximum * WORKERS:
            yield violation(
                service, "max_total_memory_gb", f"set at most {maximum * WORKERS} GB, {maximum} for each replica"
            )
    elif service.max_replica_memory_gb is None or service.max_replica_memory_gb > maximum:
        yield violation(service, "max_replica_memory_gb", f"set at most {maximum} GB")


@service_memory_ceiling.fix
def _lower_ceiling(service: Service, context: Context[Memory]) -> Mapping[str, Any]:
    """Sets maxReplicaMemoryGb to the maximum, unless there is a total, a byocId, or a larger minReplicaMemoryGb."""
    maximum = context.settings.maximum_gb
    fixed = service.byoc_id is not None or service.max_total_memory_gb is not None
    return {} if fixed or (service.min_replica_memory_gb or 0) > maximum else {"maxReplicaMemoryGb": maximum}
