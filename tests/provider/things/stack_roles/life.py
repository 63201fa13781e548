"""Lives of roles of a service's observability server."""

from __future__ import annotations

from lives.life import Life, a_service
from lives.wire import WireLife

ROLE = Life(
    name="StackRole",
    kind="stack_roles",
    setting=a_service,
    before="""service_id=service_id, name='Reader', permissions=[
        clouddb.StackPermissionArgs(action='read', subject='dashboard')]""",
    after="""service_id=service_id, name='Writer', description='Writes dashboards', permissions=[
        clouddb.StackPermissionArgs(action='update', subject='dashboard', conditions={'tags': 'shop'}),
        clouddb.StackPermissionArgs(action='delete', subject='dashboard', inverted=True)]""",
    updated=frozenset({"name", "description", "permissions"}),
    drift=lambda sandbox, id_: sandbox.change("stack_roles", id_, name="Mine now", permissions=[]),
    drifted=frozenset({"name", "permissions"}),
    as_wanted=lambda role: (
        (role["name"], role.get("description")) == ("Writer", "Writes dashboards")
        and [(each["action"], each.get("inverted")) for each in role["permissions"]]
        == [("update", None), ("delete", True)]
    ),
)
LIVES = {"stack role": ROLE}

_READ = {"action": "read", "subject": "dashboard"}

WIRE_LIVES = [
    WireLife(
        "stack role",
        ROLE,
        operations=("create_stack_role", "update_stack_role", "delete_stack_role", "list_stack_roles"),
        before={"serviceId": "$service_id", "name": "Reader", "description": "Reads", "permissions": [_READ]},
        after={"serviceId": "$service_id", "name": "Reader", "permissions": [_READ, {**_READ, "subject": "alert"}]},
        details={"description": "DELETE", "permissions[1]": "ADD"},
        left_alone=frozenset({"createdAt", "serviceId", "name"}),
    )
]

OF_NO_INPUT = frozenset({"id", "isPredefined", "createdAt", "updatedAt"})
"""Outputs that tell nothing of an input."""
