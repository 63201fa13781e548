"""Rules of a team, written in two ways; both check the resources of both front ends."""

from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
)

from pulumi_clouddb.policy import (
    SERVICE,
    Context,
    Findings,
    Rule,
    Settings,
    dashboard,
    is_complete,
    is_dashboard,
    is_unknown,
    rule,
    setting,
    violation,
)
from pulumi_clouddb.things.services.service import Service


# 1. With pulumi-policy, and helpers for the resources of this package.
def _has_owner(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    if not is_dashboard(args) or is_unknown(dashboard(args), "tags"):
        return
    tags = dashboard(args).tags or []
    if is_complete(tags) and not any(tag.startswith("team:") for tag in tags):
        report_violation("tags names no team; set one such as team:checkout.", None)


dashboard_owner = ResourceValidationPolicy(
    name="team-dashboard-owner",
    description="A dashboard says which team it belongs to.",
    validate=_has_owner,
    enforcement_level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
)


# 2. Like the rules of this package: with exceptions, settings, and unknown values handled.
class Products(Settings):
    """The products."""

    products: list[str] = setting("Words that names of services begin with.", default=["Shop", "Reports"])


@rule(
    SERVICE,
    "team-service-product",
    "A service is named after the product it belongs to.",
    severity=Severity.LOW,
    comply="Begin the name with the product.",
    level=EnforcementLevel.ADVISORY,
    settings=Products,
)
def service_product(service: Service, context: Context[Products]) -> Findings:
    """Check the first word of the name."""
    products = context.settings.products
    if service.name is not None and service.name.split(" ")[0] not in products:
        yield violation(service, "name", f"begin it with one of {', '.join(products)}")


RULES: list[Rule[Any] | Policy] = [dashboard_owner, service_product]
