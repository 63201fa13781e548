"""Rules about services: how they are run, what they cost, how they are protected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.models.clickhouse import ServerRegion
from pulumi_clouddb.models.service import SERVICE, WORKERS, ServiceArgs
from pulumi_clouddb.models.service_enums import CloudProvider, ComplianceType, Region, ReleaseChannel, Tier
from pulumi_clouddb.policy.limits import limits_of
from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, setting, shown, violation
from pulumi_clouddb.policy.views import if_known, path_of, plain

# -- availability ----------------------------------------------------------------------------------------------------


class Replicas(Settings):
    """How many replicas are enough."""

    minimum: int = setting(
        "Replicas that a production service has at least.", default=2, **limits_of(ServiceArgs, "num_replicas")
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
def production_replicas(service: ServiceArgs, context: Context[Replicas]) -> Findings:
    """Judge the number of replicas."""
    minimum = context.settings.minimum
    if context.production and (service.num_replicas is None or service.num_replicas < minimum):
        yield violation(service, "num_replicas", f"give at least {minimum} in production")


@production_replicas.fix
def _enough_replicas(_: ServiceArgs, context: Context[Replicas]) -> Mapping[str, Any]:
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
def production_no_idle_scaling(service: ServiceArgs, context: Context[Settings]) -> Findings:
    """Judge whether it may go idle."""
    if context.production and service.idle_scaling is not False:
        yield violation(service, "idle_scaling", "set it to false in production, or the first query waits for a start")


@production_no_idle_scaling.fix
def _no_idle_scaling(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets idleScaling to false."""
    return {"idleScaling": False}


@rule(
    SERVICE,
    "production-release-channel",
    "A production service gets new releases last.",
    severity=Severity.MEDIUM,
    comply="Set releaseChannel to slow.",
    tags=("availability", "production"),
)
def production_release_channel(service: ServiceArgs, context: Context[Settings]) -> Findings:
    """Judge the release channel; services of tier development have none."""
    slow = ReleaseChannel.SLOW
    if context.production and service.tier != Tier.DEVELOPMENT and service.release_channel != slow:
        yield violation(service, "release_channel", f"set it to {slow.value} in production")


@production_release_channel.fix
def _slow(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets releaseChannel to slow."""
    return {"releaseChannel": ReleaseChannel.SLOW.value}


WAITS = limits_of(ServiceArgs, "wait_timeout_minutes")


class Cancellation(Settings):
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
    settings=Cancellation,
)
def service_waited_for(service: ServiceArgs, context: Context[Cancellation]) -> Findings:
    """Judge how long is waited."""
    least, most = context.settings.minimum, context.settings.maximum
    if service.wait_timeout_minutes is not None and not least <= service.wait_timeout_minutes <= most:
        yield violation(service, "wait_timeout_minutes", f"give {least:g} to {most:g} minutes, or leave it out")


@service_waited_for.fix
def _wait_within(service: ServiceArgs, context: Context[Cancellation]) -> Mapping[str, Any]:
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
def idle_scaling_elsewhere(service: ServiceArgs, context: Context[Settings]) -> Findings:
    """Judge whether it may go idle."""
    if not context.production and service.idle_scaling is False:
        yield violation(service, "idle_scaling", "set it to true outside production, so that idle hours cost nothing")


@idle_scaling_elsewhere.fix
def _idle_scaling(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets idleScaling to true."""
    return {"idleScaling": True}


class IdleTimeout(Settings):
    """How long a service may do nothing."""

    maximum: float = setting(
        "Minutes without work that are allowed.", default=30, **limits_of(ServiceArgs, "idle_timeout_minutes")
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
def idle_timeout_elsewhere(service: ServiceArgs, context: Context[IdleTimeout]) -> Findings:
    """Judge the idle time."""
    most = context.settings.maximum
    if not context.production and (service.idle_timeout_minutes or 0) > most:
        yield violation(service, "idle_timeout_minutes", f"give at most {most:g} minutes outside production")


@idle_timeout_elsewhere.fix
def _idle_soon(_: ServiceArgs, context: Context[IdleTimeout]) -> Mapping[str, Any]:
    """Sets idleTimeoutMinutes to the maximum."""
    return {"idleTimeoutMinutes": context.settings.maximum}


class Memory(Settings):
    """How far a service may grow."""

    maximum_gb: int = setting(
        "Memory of one replica that is allowed, in GB.",
        default=120,
        **limits_of(ServiceArgs, "max_replica_memory_gb"),
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
def service_memory_ceiling(service: ServiceArgs, context: Context[Memory]) -> Findings:
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
def _lower_ceiling(service: ServiceArgs, context: Context[Memory]) -> Mapping[str, Any]:
    """Sets maxReplicaMemoryGb to the maximum where no total is given, no byocId, and no floor above the maximum."""
    most = context.settings.maximum_gb
    fixed = service.byoc_id is not None or service.max_total_memory_gb is not None
    return {} if fixed or (service.min_replica_memory_gb or 0) > most else {"maxReplicaMemoryGb": most}


# -- protection ------------------------------------------------------------------------------------------------------


@rule(
    SERVICE,
    "production-deletion-protection",
    "A production service cannot be deleted by accident.",
    severity=Severity.HIGH,
    comply="Set deletionProtection to true, or Pulumi's option protect.",
    tags=("protection", "production"),
)
def production_deletion_protection(service: ServiceArgs, context: Context[Settings]) -> Findings:
    """Judge the protection, the one of this provider or Pulumi's own."""
    if context.production and not context.args.opts.protect and service.deletion_protection is not True:
        yield violation(service, "deletion_protection", "set it to true in production, or the resource option protect")


@production_deletion_protection.fix
def _protect(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets deletionProtection to true."""
    return {"deletionProtection": True}


@rule(
    SERVICE,
    "no-replacement-left-on",
    "No change may delete a database and create another.",
    severity=Severity.HIGH,
    comply="Take allowReplacement out once the replacement is done.",
    tags=("protection",),
)
def no_replacement_left_on(service: ServiceArgs, _: Context[Settings]) -> Findings:
    """Judge the permission to replace."""
    if service.allow_replacement:
        yield violation(service, "allow_replacement", "take it out, or the next such change deletes the data")


@no_replacement_left_on.fix
def _no_replacement(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets allowReplacement to false."""
    return {"allowReplacement": False}


@rule(
    SERVICE,
    "no-duplicate-names",
    "No service takes a name that another one has.",
    severity=Severity.LOW,
    comply="Take allowDuplicateName out and give the service a name of its own.",
    tags=("naming",),
)
def no_duplicate_names(service: ServiceArgs, _: Context[Settings]) -> Findings:
    """Judge the permission to be a duplicate."""
    if service.allow_duplicate_name:
        yield violation(
            service, "allow_duplicate_name", "take it out: two services of one name are mixed up sooner or later"
        )


@no_duplicate_names.fix
def _no_duplicate(_: ServiceArgs, __: Context[Settings]) -> Mapping[str, Any]:
    """Sets allowDuplicateName to false."""
    return {"allowDuplicateName": False}


@rule(
    SERVICE,
    "production-no-private-preview",
    "A production service does not depend on a private preview.",
    severity=Severity.MEDIUM,
    comply="Take privatePreviewTermsChecked out, and use what is generally available.",
    tags=("availability", "production"),
)
def production_no_private_preview(service: ServiceArgs, context: Context[Settings]) -> Findings:
    """Judge the acceptance of such terms."""
    if context.production and service.private_preview_terms_checked:
        yield violation(service, "private_preview_terms_checked", "take it out: previews come without promises")


@rule(
    SERVICE,
    "service-encrypted-with-own-key",
    "A service is encrypted with the customer's key, or transparently.",
    severity=Severity.HIGH,
    comply="Give encryptionKey, or set hasTransparentDataEncryption to true, when the service is created.",
    tags=("encryption", "compliance"),
    control="SC-28 Protection of Information at Rest",
)
def service_encrypted(service: ServiceArgs, _: Context[Settings]) -> Findings:
    """Judge the encryption; which key it is stays out of the message."""
    if not service.has_transparent_data_encryption and not service.encryption_key:
        yield violation(service, "has_transparent_data_encryption", "set it to true, or give encryptionKey")


class Compliance(Settings):
    """Under which regulations services are run."""

    types: list[str] = setting("Regulations that are allowed.", default=[each.value for each in ComplianceType])


@rule(
    SERVICE,
    "service-compliance-type",
    "A service is run under a regulation.",
    severity=Severity.HIGH,
    comply="Give complianceType when the service is created.",
    tags=("compliance",),
    settings=Compliance,
)
def service_compliance_type(service: ServiceArgs, context: Context[Compliance]) -> Findings:
    """Judge the regulation."""
    if service.compliance_type not in context.settings.types:
        yield violation(service, "compliance_type", f"give one of {', '.join(context.settings.types)}")


class Protocols(Settings):
    """Which protocols stay off."""

    forbidden: list[str] = setting("Protocols that may not be open.", default=["mysql"])


@rule(
    SERVICE,
    "service-protocols",
    "A service opens no protocol that is not needed.",
    severity=Severity.MEDIUM,
    comply="Set enabled to false for the endpoint.",
    tags=("network", "security"),
    control="CM-7 Least Functionality",
    settings=Protocols,
)
def service_protocols(service: ServiceArgs, context: Context[Protocols]) -> Findings:
    """Judge the endpoints that are opened."""
    for endpoint in service.endpoints or ():
        with if_known:
            if endpoint.protocol in context.settings.forbidden and endpoint.enabled:
                yield Finding(
                    path_of(endpoint, "enabled"), f"is true for {shown(endpoint.protocol)}", "set it to false"
                )


@service_protocols.fix
def _closed(_: ServiceArgs, context: Context[Protocols]) -> Mapping[str, Any]:
    """Sets enabled to false where the endpoint stands."""
    endpoints = context.args.props["endpoints"]
    for endpoint in endpoints:
        seen = plain(endpoint)
        if (
            isinstance(seen, dict)
            and seen.get("protocol") in context.settings.forbidden
            and seen.get("enabled") is True
        ):
            endpoint["enabled"] = False
    return {"endpoints": endpoints}


# -- place -----------------------------------------------------------------------------------------------------------


class Regions(Settings):
    """Where services may run."""

    regions: list[str] = setting(
        "Regions that are allowed.",
        default=sorted({each.value for regions in (Region, ServerRegion) for each in regions}),
    )


class Providers(Settings):
    """Which clouds may run services."""

    providers: list[str] = setting("Clouds that are allowed.", default=[each.value for each in CloudProvider])


def _placed_elsewhere(service: ServiceArgs) -> bool:
    """Whether the warehouse, the backup or the own region decides where it runs."""
    return any(given is not None for given in (service.data_warehouse_id, service.backup_id, service.byoc_id))


@rule(
    SERVICE,
    "service-regions",
    "A service runs in a region that is allowed.",
    severity=Severity.HIGH,
    comply="Give one of the allowed regions when the service is created.",
    tags=("placement", "compliance"),
    settings=Regions,
)
def service_regions(service: ServiceArgs, context: Context[Regions]) -> Findings:
    """Judge the region."""
    allowed = context.settings.regions
    if service.region not in allowed and not (service.region is None and _placed_elsewhere(service)):
        yield violation(service, "region", f"give one of {', '.join(allowed)}")


@rule(
    SERVICE,
    "service-providers",
    "A service runs in a cloud that is allowed.",
    severity=Severity.HIGH,
    comply="Give one of the allowed clouds when the service is created.",
    tags=("placement", "compliance"),
    settings=Providers,
)
def service_providers(service: ServiceArgs, context: Context[Providers]) -> Findings:
    """Judge the cloud."""
    allowed = context.settings.providers
    if service.provider not in allowed and not (service.provider is None and _placed_elsewhere(service)):
        yield violation(service, "provider", f"give one of {', '.join(allowed)}")


@rule(
    SERVICE,
    "secondary-services-read-only",
    "A service that joins a warehouse only reads.",
    severity=Severity.LOW,
    comply="Set isReadonly to true when the service is created, or except the services that write on purpose.",
    tags=("operations",),
)
def secondary_services_read_only(service: ServiceArgs, _: Context[Settings]) -> Findings:
    """Judge whether a second service of a warehouse writes."""
    if service.data_warehouse_id is not None and not service.is_readonly:
        yield violation(service, "is_readonly", "set it to true, so that one service of the warehouse does the writing")
