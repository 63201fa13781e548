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
_ANALYST = Step(
    "analyst",
    "Role",
    {
        "name": "Analyst of the shop",
        "policies": [
            {
                "allowDeny": "ALLOW",
                "permissions": ["sql-console:database:access"],
                "resources": ["instance/11111111-2222-4333-8444-555555555555"],
                "tags": {"grants": ["GRANT SELECT ON shop.*", "REVOKE SELECT ON shop.customers"]},
            }
        ],
    },
)
_INVITATION = Step("invitation", "Invitation", {"email": "analyst@example.com", "assignedRoleIds": [Ref("analyst.id")]})
_KEY = Step("reports", "ApiKey", {"name": "Reports", "assignedRoleIds": [Ref("reader.id")]})

EXAMPLES: Examples = {
    "Role": (
        Example("Give a key a role of your own", [_ROLE, _KEY], {"roleId": Ref("reader.id")}),
        Example(
            "Let a person read a database in the SQL console", [_ANALYST, _INVITATION], {"roleId": Ref("analyst.id")}
        ),
    ),
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
