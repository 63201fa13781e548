"""Examples of the organization."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

BYOC_ID = "6c1f2b3a-4d5e-4f60-8a7b-9c0d1e2f3a44"

EXAMPLES: Examples = {
    "OrganizationSettings": (
        Example(
            "Name the organization, and collect no core dumps",
            [Step("acme", "OrganizationSettings", {"name": "Acme", "enableCoreDumps": False})],
            {"createdAt": Ref("acme.createdAt")},
        ),
    ),
    "getQuota": (
        Example(
            "Read how many services there may be",
            [Step("quota", "getQuota", {"quotaCode": "services-per-organization"})],
            {"value": Ref("quota.value")},
        ),
    ),
    "listQuotas": (Example("List the quotas", [Step("found", "listQuotas", {})], {"quotas": Ref("found.quotas")}),),
    "listServiceProfiles": (
        Example(
            "List the profiles of an infrastructure",
            [Step("found", "listServiceProfiles", {"byocId": BYOC_ID})],
            {"profiles": Ref("found.serviceProfiles")},
        ),
    ),
    "getCreditBalances": (
        Example(
            "Read the credits that remain",
            [Step("credits", "getCreditBalances", {})],
            {"remaining": Ref("credits.totalRemainingCredits")},
        ),
    ),
    "listNotificationTypes": (
        Example(
            "List the types of notifications",
            [Step("found", "listNotificationTypes", {})],
            {"types": Ref("found.notificationTypes")},
        ),
    ),
    "getPrometheusTargets": (
        Example(
            "Read the targets of Prometheus, with all metrics",
            [Step("metrics", "getPrometheusTargets", {"filteredMetrics": False})],
            {"targets": Ref("metrics.targetGroups")},
        ),
    ),
    "getUsageCost": (
        Example(
            "Read the cost of a month for one tag",
            [
                Step(
                    "january",
                    "getUsageCost",
                    {"fromDate": "2027-01-01", "toDate": "2027-01-31", "filters": ["tag:team=shop"]},
                )
            ],
            {"credits": Ref("january.grandTotalCHC")},
        ),
    ),
    "getOrganization": (
        Example(
            "Read the organization",
            [Step("organization", "getOrganization", {})],
            {"name": Ref("organization.name")},
        ),
    ),
}
