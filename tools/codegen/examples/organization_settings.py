"""Examples of the organization."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

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
    "getCreditBalances": (
        Example(
            "Read the credits that remain",
            [Step("credits", "getCreditBalances", {})],
            {"remaining": Ref("credits.totalRemainingCredits")},
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
