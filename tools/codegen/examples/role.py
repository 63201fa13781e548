"""Examples of roles."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

_ROLE = Step(
    "reader",
    "Role",
    {
        "name": "Reader of the shop",
        "policies": [
            {
                "allowDeny": "ALLOW",
                "permissions": ["control-plane:service:view"],
                "resources": ["instance/11111111-2222-4333-8444-555555555555"],
            }
        ],
    },
)
_KEY = Step("reports", "ApiKey", {"name": "Reports", "assignedRoleIds": [Ref("reader.id")]})

EXAMPLES: Examples = {
    "Role": (Example("Give a key a role of your own", [_ROLE, _KEY], {"roleId": Ref("reader.id")}),),
    "getRole": (
        Example(
            "Read a role",
            [Step("role", "getRole", {"roleId": "22222222-3333-4444-8555-666666666666"})],
            {"actors": Ref("role.actors")},
        ),
    ),
    "listRoles": (
        Example(
            "Find a role of the system", [Step("found", "listRoles", {"name": "Admin"})], {"roles": Ref("found.roles")}
        ),
    ),
}
