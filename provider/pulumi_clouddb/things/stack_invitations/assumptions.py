"""What the provider and the sandbox assume of servers about stack invitations."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import SELF_HOSTED_ONLY, Assumption, measured

TEAM_MEMBERS_HAVE_DATED_IDS = Assumption(
    "The id of a member begins with the second in which the person joined; the list has the addresses.",
    "`/team/setup/:token` in root.ts of the observability server 2.36.0",
    SELF_HOSTED_ONLY,
)
INVITING_AGAIN_RETURNS_THE_INVITATION = measured(
    "A second invitation of an address returns the first one; addresses are stored in lower case.",
    servers=SELF_HOSTED_ONLY,
)
