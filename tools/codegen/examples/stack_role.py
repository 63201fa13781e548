"""Examples of roles of an observability server."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_ROLE = Step(
    "deploys",
    "StackRole",
    {
        "serviceId": SERVICE_ID,
        "name": "Deploy bot",
        "description": "Manages dashboards from a pipeline",
        "permissions": [{"action": "manage", "subject": "dashboard"}, {"action": "read", "subject": "alert"}],
    },
)

EXAMPLES: Examples = {
    "StackRole": (Example("Let a pipeline manage dashboards", [_ROLE], {"roleId": Ref("deploys.id")}),),
    "getStackRole": (
        Example(
            "Read a role",
            [Step("role", "getStackRole", {"serviceId": SERVICE_ID, "stackRoleId": "65f5e4a3b9e77c001a567870"})],
            {"permissions": Ref("role.permissions")},
        ),
    ),
    "listStackRoles": (
        Example(
            "Find a predefined role",
            [Step("found", "listStackRoles", {"serviceId": SERVICE_ID, "name": "Admin"})],
            {"roles": Ref("found.stackRoles")},
        ),
    ),
}
