"""Examples of invitations to the team of a self-hosted observability server."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

_GRACE = Step("grace", "StackInvitation", {"email": "grace@example.com", "name": "Grace"})

EXAMPLES: Examples = {
    "StackInvitation": (Example("Invite somebody to the team", [_GRACE], {"url": Ref("grace.url")}),),
    "listStackInvitations": (
        Example(
            "List the invitations that nobody has accepted yet",
            [Step("found", "listStackInvitations", {})],
            {"invitations": Ref("found.stackInvitations")},
        ),
    ),
    "listStackMembers": (
        Example(
            "List the members of the team", [Step("found", "listStackMembers", {})], {"members": Ref("found.members")}
        ),
    ),
    "getTeam": (Example("Read the team", [Step("team", "getTeam", {})], {"name": Ref("team.name")}),),
}
