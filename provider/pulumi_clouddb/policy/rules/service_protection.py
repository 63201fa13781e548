"""Rules about the protection and the location of services and Postgres services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import (
    Context,
    Finding,
    Findings,
    Settings,
    is_allowed,
    one_of,
    rule,
    sets,
    setting,
    shown,
    violation,
)
from pulumi_clouddb.policy.views import if_known, plain
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE, PostgresService
from pulumi_clouddb.things.services.service import SERVICE, Service

DATABASES = (SERVICE, POSTGRES_SERVICE)
Database = Service | PostgresService

# -- protection ------------------------------------------------------------------------------------------------------


@rule(
    DATABASES,
    "production-deletion-protection",
    "A production service cannot be deleted by accident.",
    severity=Severity.HIGH,
    comply="Set deletionProtection to true, or use Pulumi's option protect.",
    tags=("protection", "production"),
)
def production_deletion_protection(service: Database, context: Context[Settings]) -> Findings:
    """Check deletionProtection and Pulumi's option protect."""
    if context.production and not context.args.opts.protect and service.deletion_protection is not True:
        yield violation(service, "deletion_protection", "set it to true in production, or the resource option protect")


production_deletion_protection.fix(sets("deletionProtection", True))


@rule(
    DATABASES,
    "no-replacement-left-on",
    "A change cannot replace a database.",
    severity=Severity.HIGH,
    comply="Remove allowReplacement once the replacement is done.",
    tags=("protection",),
)
def no_replacement_left_on(service: Database, _: Context[Settings]) -> Findings:
    """Check allowReplacement."""
    if service.allow_replacement:
        yield violation(
            service, "allow_replacement", "remove it, or a later change that replaces the database deletes its data"
        )


no_replacement_left_on.fix(sets("allowReplacement", False))


@rule(
    DATABASES,
    "no-duplicate-names",
    "No two services have the same name.",
    severity=Severity.LOW,
    comply="Remove allowDuplicateName and give the service a unique name.",
    tags=("naming",),
)
def no_duplicate_names(service: Database, _: Context[Settings]) -> Findings:
    """Check allowDuplicateName."""
    if service.allow_duplicate_name:
        yield violation(service, "allow_duplicate_name", "remove it: services with the same name are easily confused")


no_duplicate_names.fix(sets("allowDuplicateName", False))


@rule(
    SERVICE,
    "production-no-private-preview",
    "A production service does not depend on a private preview.",
    severity=Severity.MEDIUM,
    comply="Remove privatePreviewTermsChecked, and use generally available features.",
    tags=("availability", "production"),
)
def production_no_private_preview(service: Service, context: Context[Settings]) -> Findings:
    """Check privatePreviewTermsChecked."""
    if context.production and service.private_preview_terms_checked:
        yield violation(service, "private_preview_terms_checked", "remove it: previews have no guarantees")


@rule(
    SERVICE,
    "service-encrypted-with-own-key",
    "A service is encrypted with a customer key or transparent data encryption.",
    severity=Severity.HIGH,
    comply="Set encryptionKey, or set hasTransparentDataEncryption to true, when the service is created.",
    tags=("encryption", "compliance"),
    control="SC-28 Protection of Information at Rest",
)
def service_encrypted_with_own_key(service: Service, _: Context[Settings]) -> Findings:
    """Check the encryption; the message does not contain the key."""
    if not service.has_transparent_data_encryption and not service.encryption_key:
        yield violation(service, "has_transparent_data_encryption", "set it to true, or set encryptionKey")


class Compliance(Settings):
    """The settings of service-compliance-type."""

    types: list[str] = setting("Allowed compliance types; if there are none, any one is enough.", default=[])


@rule(
    SERVICE,
    "service-compliance-type",
    "A service has an allowed compliance type.",
    severity=Severity.HIGH,
    comply="Set complianceType when the service is created.",
    tags=("compliance",),
    settings=Compliance,
)
def service_compliance_type(service: Service, context: Context[Compliance]) -> Findings:
    """Check complianceType."""
    allowed, given = context.settings.types, service.compliance_type
    if given is None or not is_allowed(given, allowed):
        yield violation(service, "compliance_type", one_of(allowed))


class Protocols(Settings):
    """The settings of service-protocols."""

    forbidden: list[str] = setting("Protocols that must be disabled.", default=["mysql"])


@rule(
    SERVICE,
    "service-protocols",
    "A service enables no forbidden protocol.",
    severity=Severity.MEDIUM,
    comply="Set enabled to false for the endpoint.",
    tags=("network", "security"),
    control="CM-7 Least Functionality",
    settings=Protocols,
)
def service_protocols(service: Service, context: Context[Protocols]) -> Findings:
    """Check the enabled endpoints."""
    for endpoint in service.endpoints or ():
        with if_known:
            if endpoint.protocol in context.settings.forbidden and endpoint.enabled:
                yield Finding(
                    path_of(endpoint, "enabled"), f"is true for {shown(endpoint.protocol)}", "set it to false"
                )


@service_protocols.fix
def _disable_forbidden(_: Service, context: Context[Protocols]) -> Mapping[str, Any]:
    """Sets enabled to false for endpoints with a forbidden protocol."""
    endpoints = context.args.props["endpoints"]
    for endpoint in endpoints:
        values = plain(endpoint)
        if not isinstance(values, dict) or values.get("enabled") is not True:
            continue
        if values.get("protocol") in context.settings.forbidden:
            endpoint["enabled"] = False
    return {"endpoints": endpoints}


# -- location --------------------------------------------------------------------------------------------------------


class Regions(Settings):
    """The settings of service-regions."""

    regions: list[str] = setting("Allowed regions; if there are none, any one.", default=[])


class Providers(Settings):
    """The settings of service-providers."""

    providers: list[str] = setting("Allowed clouds; if there are none, any one.", default=[])


ORIGINS = {
    SERVICE: ("data_warehouse_id", "backup_id", "byoc_id"),
    POSTGRES_SERVICE: ("read_replica_of", "restore_from"),
}
"""The properties that can determine the location of a service instead of provider and region."""


def _has_origin(service: Database, context: Context[Any]) -> bool:
    return any(getattr(service, attribute) is not None for attribute in ORIGINS[context.type])


@rule(
    DATABASES,
    "service-regions",
    "A service runs in an allowed region.",
    severity=Severity.HIGH,
    comply="Set one of the allowed regions when the service is created.",
    tags=("placement", "compliance"),
    settings=Regions,
)
def service_regions(service: Database, context: Context[Regions]) -> Findings:
    """Check the region."""
    allowed, given = context.settings.regions, service.region
    if not (_has_origin(service, context) if given is None else is_allowed(given, allowed)):
        yield violation(service, "region", one_of(allowed))


@rule(
    DATABASES,
    "service-providers",
    "A service runs in an allowed cloud.",
    severity=Severity.HIGH,
    comply="Set one of the allowed clouds when the service is created.",
    tags=("placement", "compliance"),
    settings=Providers,
)
def service_providers(service: Database, context: Context[Providers]) -> Findings:
    """Check the cloud."""
    allowed, given = context.settings.providers, service.provider
    if not (_has_origin(service, context) if given is None else is_allowed(given, allowed)):
        yield violation(service, "provider", one_of(allowed))


@rule(
    SERVICE,
    "secondary-services-read-only",
    "A service that joins a warehouse is read-only.",
    severity=Severity.LOW,
    comply="Set isReadonly to true when the service is created, or add an exception for services that must write.",
    tags=("operations",),
)
def secondary_services_read_only(service: Service, _: Context[Settings]) -> Findings:
    """Check isReadonly of services that join a warehouse."""
    if service.data_warehouse_id is not None and not service.is_readonly:
        yield violation(service, "is_readonly", "set it to true, so that only one service of the warehouse writes")
