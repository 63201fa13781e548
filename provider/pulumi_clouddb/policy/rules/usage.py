"""Rules about costs and quotas, which only `clouddb ci preview` reads from the server; elsewhere they find nothing."""

from __future__ import annotations

from pulumi_policy import PolicyResource, Severity

from pulumi_clouddb.policy.resources import service
from pulumi_clouddb.policy.rule import Finding, Findings, Settings, StackContext, setting, shown, stack_rule
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.things.organizations.measured_usage import read_usage
from pulumi_clouddb.things.organizations.usage import MOST_DAYS, SERVICES
from pulumi_clouddb.things.services.service import SERVICE


class MaxCost(Settings):
    """The settings of max-cost."""

    maximum_credits: float = setting(
        f"Maximum credits for all services and their pipes in {MOST_DAYS} days.", default=10000, ge=0
    )


@stack_rule(
    "max-cost",
    f"The services of a stack stay within its budget of credits for {MOST_DAYS} days (in `clouddb ci preview`).",
    severity=Severity.MEDIUM,
    comply="Scale down or delete the most expensive services, or raise maximumCredits.",
    tags=("cost",),
    settings=MaxCost,
)
def max_cost(context: StackContext[MaxCost]) -> Findings:
    """Check the sum; a new service has no costs yet."""
    usage, services = read_usage(), []
    for placed in context.all_of(SERVICE):
        with if_known:
            services.append((usage.costs.get(str(service(placed.resource).id), 0.0), placed.resource.name))
    total, maximum = sum(cost for cost, _ in services), context.settings.maximum_credits
    if total > maximum:
        _, largest = max(services, key=lambda each: each[0])
        several = f"{len(services)} services, most of it for {shown(largest)}"
        found = f"is {total:.15g} credits in {MOST_DAYS} days for {several if len(services) > 1 else shown(largest)}"
        yield Finding("cost", found, f"keep the stack within {maximum:.15g} credits")


class QuotaHeadroom(Settings):
    """The settings of quota-headroom."""

    minimum_free: int = setting(
        "Minimum number of services that can still be created after this plan.", default=1, ge=0
    )


@stack_rule(
    "quota-headroom",
    "A plan does not use up the organization's quota of services (in `clouddb ci preview`).",
    severity=Severity.MEDIUM,
    comply="Delete unused services, or ask the vendor for a larger quota.",
    tags=("operations",),
    settings=QuotaHeadroom,
)
def quota_headroom(context: StackContext[QuotaHeadroom]) -> Findings:
    """Check a plan that creates services: they have no id yet."""
    quota = read_usage().quotas.get(SERVICES)
    new = sum(_is_new(placed.resource) for placed in context.all_of(SERVICE))
    if quota is None or not new:
        return
    if quota.limit - quota.used - new < context.settings.minimum_free:
        found = f"has {quota.used:.15g} of {quota.limit:.15g} in use, and this plan creates {new} more"
        yield Finding(f"quota {SERVICES}", found, f"leave at least {context.settings.minimum_free} free")


def _is_new(resource: PolicyResource) -> bool:
    with if_known:
        return service(resource).id is None
    return True
