"""The profiles: the enforcement level and the thresholds of each rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_policy import EnforcementLevel

from .rule import Rule
from .scope import Production

NAMES = ("baseline", "production", "strict")

TABLE = """
service-no-open-access          mandatory  mandatory  mandatory
service-narrow-access           advisory   mandatory  mandatory
service-access-described        advisory   advisory   mandatory
key-no-open-access              mandatory  mandatory  mandatory
key-narrow-access               advisory   mandatory  mandatory
key-access-described            advisory   advisory   mandatory
production-replicas             advisory   mandatory  mandatory
production-no-idle-scaling      advisory   mandatory  mandatory
production-release-channel      advisory   mandatory  mandatory
service-waited-for              advisory   advisory   mandatory
idle-scaling-elsewhere          advisory   advisory   advisory
idle-timeout-elsewhere          advisory   advisory   advisory
service-memory-ceiling          advisory   mandatory  mandatory
production-deletion-protection  advisory   mandatory  mandatory
no-replacement-left-on          mandatory  mandatory  mandatory
no-duplicate-names              advisory   mandatory  mandatory
production-no-private-preview   advisory   mandatory  mandatory
service-encrypted-with-own-key  disabled   advisory   mandatory
service-compliance-type         disabled   disabled   mandatory
service-protocols               disabled   advisory   mandatory
service-regions                 advisory   mandatory  mandatory
service-providers               advisory   mandatory  mandatory
secondary-services-read-only    disabled   advisory   mandatory
production-postgres-standby     advisory   mandatory  mandatory
postgres-sizes                  advisory   mandatory  mandatory
key-limited-by-address          advisory   mandatory  mandatory
key-expires                     advisory   mandatory  mandatory
key-no-admin                    advisory   mandatory  mandatory
key-one-role                    advisory   advisory   mandatory
key-can-be-rotated              advisory   advisory   mandatory
key-not-left-behind             advisory   mandatory  mandatory
query-endpoint-no-any-origin    advisory   mandatory  mandatory
query-endpoint-no-admin         advisory   mandatory  mandatory
pipe-within-budget              advisory   mandatory  mandatory
production-pipe-replicas        advisory   advisory   mandatory
pipe-scaling-restored           advisory   advisory   mandatory
dashboard-tagged                disabled   advisory   mandatory
dashboard-tiles-name-source     advisory   mandatory  mandatory
dashboard-sql-time-bound        advisory   mandatory  mandatory
dashboard-tile-keys             disabled   advisory   mandatory
dashboard-size                  advisory   advisory   mandatory
alert-has-channel               mandatory  mandatory  mandatory
alert-has-message               advisory   mandatory  mandatory
alert-interval                  advisory   advisory   mandatory
alert-threshold                 advisory   advisory   mandatory
no-deprecated-properties        advisory   advisory   mandatory
naming                          advisory   advisory   mandatory
no-ignored-protection           advisory   mandatory  mandatory
no-credentials-in-inputs        mandatory  mandatory  mandatory
stack-memory-budget             advisory   mandatory  mandatory
production-services-watched     advisory   mandatory  mandatory
no-plain-credentials            mandatory  mandatory  mandatory
production-servers              advisory   mandatory  mandatory
one-scaling-per-pipe            mandatory  mandatory  mandatory
one-owner-per-property          advisory   mandatory  mandatory
unique-names                    advisory   mandatory  mandatory
alert-tile-keeps-alerts         advisory   mandatory  mandatory
references-within-account       advisory   mandatory  mandatory
max-cost                        advisory   advisory   mandatory
quota-headroom                  advisory   mandatory  mandatory
"""
"""The enforcement level of each rule in each profile, in the order of `NAMES`."""

LEVELS: dict[str, dict[str, EnforcementLevel]] = {
    rule: dict(zip(NAMES, map(EnforcementLevel, levels), strict=True))
    for rule, *levels in map(str.split, TABLE.strip().splitlines())
}
"""The enforcement levels by rule and profile."""


@dataclass(frozen=True)
class Profile:
    """The enforcement levels and thresholds of all rules.

    Attributes:
        name: The value of `start`'s `profile` and of CLOUDDB_POLICY_PROFILE.
        description: Which stacks it is for, and how strict it is.
        production: What counts as production.
        settings: Thresholds that differ from the defaults of the rules, by rule and setting.
    """

    name: str
    description: str
    production: Production
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def level(self, rule: Rule[Any]) -> EnforcementLevel:
        """Return the enforcement level of a rule."""
        return LEVELS[rule.name][self.name]

    def thresholds(self, rule: Rule[Any]) -> Mapping[str, Any]:
        """Return the settings of a rule that differ from its defaults."""
        return self.settings.get(rule.name, {})


BASELINE = Profile(
    "baseline",
    "For every stack: rules about general dangers are mandatory, others are advisory.",
    Production(stacks=("prod", "prod-*", "production", "*-prod", "*-production"), names=("*production*",)),
)
PRODUCTION = Profile(
    "production",
    "For stacks that others depend on: most rules are mandatory, everything is production.",
    Production(stacks=("*",)),
    {
        "service-narrow-access": {"shortestIpv4Prefix": 20},
        "key-narrow-access": {"shortestIpv4Prefix": 24, "shortestIpv6Prefix": 56},
    },
)
STRICT = Profile(
    "strict",
    "For data under regulation: almost all rules are mandatory, with strict thresholds, everything is production.",
    Production(stacks=("*",)),
    {
        "service-narrow-access": {"shortestIpv4Prefix": 24, "shortestIpv6Prefix": 56},
        "key-narrow-access": {"shortestIpv4Prefix": 28, "shortestIpv6Prefix": 64},
        "key-expires": {"maximumDays": 90},
        "production-replicas": {"minimum": 3},
    },
)
PROFILES: dict[str, Profile] = {profile.name: profile for profile in (BASELINE, PRODUCTION, STRICT)}
"""The profiles by name."""
