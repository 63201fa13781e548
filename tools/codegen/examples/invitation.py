"""Examples of invitations."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples
from .member import ROLE_ID

_INVITATION = Step("grace", "Invitation", {"email": "grace@example.com", "assignedRoleIds": [ROLE_ID]})

EXAMPLES: Examples = {
    "Invitation": (
        Example(
            "Invite a colleague, with a role such as one with read access",
            [_INVITATION],
            {"expireAt": Ref("grace.expireAt")},
        ),
    ),
    "listInvitations": (
        Example(
            "List the invitations that nobody has accepted yet",
            [Step("found", "listInvitations", {})],
            {"invitations": Ref("found.invitations")},
        ),
    ),
}
