"""Rules about services: how they are protected, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_policy import Severity

from pulumi_clouddb.policy.rule import Context, Finding, Findings, Settings, rule, sets, setting, shown, violation
from pulumi_clouddb.policy.views import if_known, plain
from pulumi_clouddb.schema.view import path_of
from pulumi_clouddb.services.enums import CloudProvider, ComplianceType, Region, ServerRegion
from pulumi_clouddb.services.service import SERVICE, Service

# -- protection ------------------------------------------------------------------------------------------------------


@rule(
    SERVICE,
    "production-deletion-protection",
    "A production service cannot be deleted by accident.",
    severity=Severity.HIGH,
    comply="Set deletionProtection to true, or Pulumi's option protect.",
    tags=("protection", "production"),
)
def production_deletion_protection(service: Service, context: Context[Settings]) -> Findings:
    """Judge the protection, the one of this provider or Pulumi's own."""
    if context.production and not context.args.opts.protect and service.deletion_protection is not True:
        yield violation(service, "deletion_protection", "set it to true in production, or the resource option protect")


production_deletion_protection.fix(sets("deletionProtection", True))


@rule(
    SERVICE,
    "no-replacement-left-on",
    "No change may delete a database and create another.",
    severity=Severity.HIGH,
    comply="Take allowReplacement out once the replacement is done.",
    tags=("protection",),
)
def no_replacement_left_on(service: Service, _: Context[Settings]) -> Findings:
    """Judge the permission to replace."""
    if service.allow_replacement:
        yield violation(service, "allow_replacement", "take it out, or the next such change deletes the data")


no_replacement_left_on.fix(sets("allowReplacement", False))


@rule(
    SERVICE,
    "no-duplicate-names",
    "No service takes a name that another one has.",
    severity=Severity.LOW,
    comply="Take allowDuplicateName out and give the service a name of its own.",
    tags=("naming",),
)
def no_duplicate_names(service: Service, _: Context[Settings]) -> Findings:
    """Judge the permission to be a duplicate."""
    if service.allow_duplicate_name:
        yield violation(
            service, "allow_duplicate_name", "take it out: two services of one name are mixed up sooner or later"
        )


no_duplicate_names.fix(sets("allowDuplicateName", False))


@rule(
    SERVICE,
    "production-no-private-preview",
    "A production service does not depend on a private preview.",
    severity=Severity.MEDIUM,
    comply="Take privatePreviewTermsChecked out, and use what is generally available.",
    tags=("availability", "production"),
)
def production_no_private_preview(service: Service, context: Context[Settings]) -> Findings:
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
def service_encrypted(service: Service, _: Context[Settings]) -> Findings:
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
def service_compliance_type(service: Service, context: Context[Compliance]) -> Findings:
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
def service_protocols(service: Service, context: Context[Protocols]) -> Findings:
    """Judge the endpoints that are opened."""
    for endpoint in service.endpoints or ():
        with if_known:
            if endpoint.protocol in context.settings.forbidden and endpoint.enabled:
                yield Finding(
                    path_of(endpoint, "enabled"), f"is true for {shown(endpoint.protocol)}", "set it to false"
                )


@service_protocols.fix
def _closed(_: Service, context: Context[Protocols]) -> Mapping[str, Any]:
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


def _placed_elsewhere(service: Service) -> bool:
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
def service_regions(service: Service, context: Context[Regions]) -> Findings:
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
def service_providers(service: Service, context: Context[Providers]) -> Findings:
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
def secondary_services_read_only(service: Service, _: Context[Settings]) -> Findings:
    """Judge whether a second service of a warehouse writes."""
    if service.data_warehouse_id is not None and not service.is_readonly:
        yield violation(service, "is_readonly", "set it to true, so that one service of the warehouse does the writing")
