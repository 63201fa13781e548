"""The pack that `pulumi preview --policy-pack` takes: the rules of pulumi-clouddb, and two of the team's own."""

from team_rules import RULES

from pulumi_clouddb.policy import start

start(profile="baseline", rules=RULES)
