"""Rules about what the server counts: quotas and costs. `clouddb ci preview` asks it; elsewhere nothing is known."""

from __future__ import annotations

from pulumi_policy import Severity

from pulumi_clouddb.organizations.measured_usage import read_usage
from pulumi_clouddb.organizations.usage import MOST_DAYS, SERVICES
from pulumi_clouddb.policy.resources import service
from pulumi_clouddb.policy.rule import Finding, Findings, Settings, StackContext, setting, shown, stack_rule
from pulumi_clouddb.policy.views import if_known
from pulumi_clouddb.services.service import SERVICE


class MaxCost(Settings):
    """What the services of a stack may cost together."""

    maximum_credits: float = setting(
        f"Credits of all services and their pipes in {MOST_DAYS} days.", default=10000, ge=0
    )


@stack_rule(
    "max-cost",
    f"The services of a stack stay within its budget of credits in {MOST_DAYS} days (in `clouddb ci preview`).",
    severity=Severity.MEDIUM,
    comply="Scale down or delete what costs most, or raise maximumCredits.",
    tags=("cost",),
    settings=MaxCost,
)
def max_cost(context: StackContext[MaxCost]) -> Findings:
    """Judge the sum; a service that is created has cost nothing."""
    costs, taken = read_usage().costs, []
    for placed in context.all_of(SERVICE):
        with if_known:
            taken.append((costs.get(str(service(placed.resource).id), 0.0), placed.resource.name))
    total, most = sum(cost for cost, _ in taken), context.settings.maximum_credits
    if total > most:
        _, largest = max(taken, key=lambda each: each[0])
        found = f"is {total:g} credits in {MOST_DAYS} days for {len(taken)} services, most of it for {shown(largest)}"
        yield Finding("cost", found, f"keep the stack within {most:g} credits")


class QuotaHeadroom(Settings):
    """How much of a quota is left to others."""

    minimum_free: int = setting("Services that others can still create after this plan.", default=1, ge=0)


@stack_rule(
    "quota-headroom",
    "A plan leaves room in the organization's quota of services (in `clouddb ci preview`).",
    severity=Severity.MEDIUM,
    comply="Delete services that nobody needs, or let the vendor raise the quota.",
    tags=("operations",),
    settings=QuotaHeadroom,
)
def quota_headroom(context: StackContext[QuotaHeadroom]) -> Findings:
    """Judge plans that create a service: one without an id yet."""
    quota, new = read_usage().quotas.get(SERVICES), 0
    for placed in context.all_of(SERVICE):
        known = None
        with if_known:
            known = service(placed.resource).id
        new += known is None
    if quota is None or not new:
        return
    free, least = quota.limit - quota.used - new, context.settings.minimum_free
    if free < least:
        found = f"has {quota.used:g} of {quota.limit:g} in use, and this plan creates {new} more"
        yield Finding(f"quota {SERVICES}", found, f"leave at least {least} free")
