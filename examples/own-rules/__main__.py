"""A pack with the rules of pulumi-clouddb, and two of a team's own."""

from team_rules import RULES

from pulumi_clouddb.policy import start

start(profile="baseline", rules=RULES)
