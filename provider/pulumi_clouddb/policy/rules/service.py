"""Rules about services: how they are run, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.limits import limits_of
from pulumi_clouddb.policy.rule import Context, Findings, Settings, rule, sets, setting, violation
from pulumi_clouddb.services.enums import ReleaseChannel, Tier
from pulumi_clouddb.services.parts import WORKERS
from pulumi_clouddb.services.service import SERVICE, Service

# -- availability ----------------------------------------------------------------------------------------------------


class Replicas(Settings):
    """How many replicas are enough."""

    minimum: int = setting(
        "Replicas that a production service has at least.", default=2, **limits_of(Service, "num_replicas")
    )


@rule(
    SERVICE,
    "production-replicas",
    "A production service has replicas to spare.",
    severity=Severity.HIGH,
    comply="Give numReplicas; the server's own default depends on the tier of the organization.",
    tags=("availability", "production"),
    settings=Replicas,
)
def production_replicas(service: Service, context: Context[Replicas]) -> Findings:
    """Judge the number of replicas."""
    minimum = context.settings.minimum
    if context.production and (service.num_replicas is None or service.num_replicas < minimum):
        yield violation(service, "num_replicas", f"give at least {minimum} in production")


@production_replicas.fix
def _enough_replicas(_: Service, context: Context[Replicas]) -> Mapping[str, Any]:
    """Sets numReplicas to the minimum."""
    return {"numReplicas": context.settings.minimum}


@rule(
    SERVICE,
    "production-no-idle-scaling",
    "A production service does not scale to zero.",
    severity=Severity.MEDIUM,
    comply="Set idleScaling to false; the server's own default is true.",
    tags=("availability", "production"),
)
def production_no_idle_scaling(service: Service, context: Context[Settings]) -> Findings:
    """Judge whether it may go idle."""
    if context.production and service.idle_scaling is not False:
        yield violation(service, "idle_scaling", "set it to false in production, or the first query waits for a start")


production_no_idle_scaling.fix(sets("idleScaling", False))


@rule(
    SERVICE,
    "production-release-channel",
    "A production service gets new releases last.",
    severity=Severity.MEDIUM,
    comply="Set releaseChannel to slow.",
    tags=("availability", "production"),
)
def production_release_channel(service: Service, context: Context[Settings]) -> Findings:
    """Judge the release channel; services of tier development have none."""
    slow = ReleaseChannel.SLOW
    if context.production and service.tier != Tier.DEVELOPMENT and service.release_channel != slow:
        yield violation(service, "release_channel", f"set it to {slow.value} in production")


production_release_channel.fix(sets("releaseChannel", ReleaseChannel.SLOW.value))


WAITS = limits_of(Service, "wait_timeout_minutes")


class WaitLimit(Settings):
    """How long an `up` may wait for a service."""

    minimum: float = setting("Minutes that are waited for at least.", default=5, **WAITS)
    maximum: float = setting("Minutes that are waited for at most.", default=120, **WAITS)


@rule(
    SERVICE,
    "service-waited-for",
    "A deployment waits for a service until it runs, and not for ever.",
    severity=Severity.LOW,
    comply="Leave waitTimeoutMinutes out, or give a number within the limits.",
    tags=("operations",),
    settings=WaitLimit,
)
def service_waited_for(service: Service, context: Context[WaitLimit]) -> Findings:
    """Judge how long is waited."""
    least, most = context.settings.minimum, context.settings.maximum
    if service.wait_timeout_minutes is not None and not least <= service.wait_timeout_minutes <= most:
        yield violation(service, "wait_timeout_minutes", f"give {least:g} to {most:g} minutes, or leave it out")


@service_waited_for.fix
def _wait_within(service: Service, context: Context[WaitLimit]) -> Mapping[str, Any]:
    """Sets waitTimeoutMinutes to the nearer limit."""
    given = service.wait_timeout_minutes or 0
    return {"waitTimeoutMinutes": min(max(given, context.settings.minimum), context.settings.maximum)}


# -- cost ------------------------------------------------------------------------------------------------------------


@rule(
    SERVICE,
    "idle-scaling-elsewhere",
    "A service that is not production scales to zero when idle.",
    severity=Severity.LOW,
    comply="Set idleScaling to true, or leave it out.",
    tags=("cost",),
)
def idle_scaling_elsewhere(service: Service, context: Context[Settings]) -> Findings:
    """Judge whether it may go idle."""
    if not context.production and service.idle_scaling is False:
        yield violation(service, "idle_scaling", "set it to true outside production, so that idle hours cost nothing")


idle_scaling_elsewhere.fix(sets("idleScaling", True))


class IdleTimeout(Settings):
    """How long a service may do nothing."""

    maximum: float = setting(
        "Minutes without work that are allowed.", default=30, **limits_of(Service, "idle_timeout_minutes")
    )


@rule(
    SERVICE,
    "idle-timeout-elsewhere",
    "A service that is not production counts as idle soon.",
    severity=Severity.LOW,
    comply="Lower idleTimeoutMinutes, or leave it out.",
    tags=("cost",),
    settings=IdleTimeout,
)
def idle_timeout_elsewhere(service: Service, context: Context[IdleTimeout]) -> Findings:
    """Judge the idle time."""
    most = context.settings.maximum
    if not context.production and (service.idle_timeout_minutes or 0) > most:
        yield violation(service, "idle_timeout_minutes", f"give at most {most:g} minutes outside production")


@idle_timeout_elsewhere.fix
def _idle_soon(_: Service, context: Context[IdleTimeout]) -> Mapping[str, Any]:
    """Sets idleTimeoutMinutes to the maximum."""
    return {"idleTimeoutMinutes": context.settings.maximum}


class Memory(Settings):
    """How far a service may grow."""

    maximum_gb: int = setting(
        "Memory of one replica that is allowed, in GB.",
        default=120,
        **limits_of(Service, "max_replica_memory_gb"),
    )


@rule(
    SERVICE,
    "service-memory-ceiling",
    "A service has a ceiling of memory, and not a higher one than allowed.",
    severity=Severity.MEDIUM,
    comply="Give maxReplicaMemoryGb; without it the server draws the line.",
    tags=("cost",),
    settings=Memory,
)
def service_memory_ceiling(service: Service, context: Context[Memory]) -> Findings:
    """Judge the ceiling; services of tier development have a fixed size."""
    most = context.settings.maximum_gb
    if service.tier == Tier.DEVELOPMENT:
        return
    if service.max_replica_memory_gb is None and service.max_total_memory_gb is not None:
        if service.max_total_memory_gb > most * WORKERS:
            yield violation(
                service, "max_total_memory_gb", f"give at most {most * WORKERS} GB, {most} for each replica"
            )
    elif service.max_replica_memory_gb is None or service.max_replica_memory_gb > most:
        yield violation(service, "max_replica_memory_gb", f"give at most {most} GB")


@service_memory_ceiling.fix
def _lower_ceiling(service: Service, context: Context[Memory]) -> Mapping[str, Any]:
    """Sets maxReplicaMemoryGb to the maximum where no total is given, no byocId, and no floor above the maximum."""
    most = context.settings.maximum_gb
    fixed = service.byoc_id is not None or service.max_total_memory_gb is not None
    return {} if fixed or (service.min_replica_memory_gb or 0) > most else {"maxReplicaMemoryGb": most}
