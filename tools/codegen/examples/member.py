"""Examples of members."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

USER_ID = "33333333-4444-4555-8666-777777777777"
ROLE_ID = "22222222-3333-4444-8555-666666666666"

_ADA = Step("ada", "Member", {"userId": USER_ID, "assignedRoleIds": [ROLE_ID]})

EXAMPLES: Examples = {
    "Member": (Example("Give a colleague a role, such as one with read access", [_ADA], {"name": Ref("ada.name")}),),
    "getMember": (
        Example("Read a member", [Step("member", "getMember", {"userId": USER_ID})], {"email": Ref("member.email")}),
    ),
    "listMembers": (
        Example("List the members", [Step("found", "listMembers", {})], {"members": Ref("found.members")}),
    ),
}
