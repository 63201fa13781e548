"""Lives of members' roles."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role
from lives.life import Life
from lives.wire import WireLife

ADMIN, DEVELOPER = system_role("admin"), system_role("developer")
CUSTOM = "22222222-3333-4444-8555-666666666666"


def a_member(sandbox: Sandbox) -> dict[str, str]:
    """Make a member who is there already."""
    member = {"name": "Ada", "joinedAt": "2026-01-01T00:00:00Z", "assignedRoleIds": [DEVELOPER]}
    return {"user_id": str(sandbox.add("members", **member)["id"])}


MEMBER = Life(
    name="Member",
    kind="members",
    setting=a_member,
    before=f"user_id=user_id, assigned_role_ids=[{CUSTOM!r}]",
    after=f"user_id=user_id, assigned_role_ids=[{ADMIN!r}, {CUSTOM!r}]",
    updated=frozenset({"assignedRoleIds"}),
    drift=lambda sandbox, id_: sandbox.change("members", id_, assignedRoleIds=[DEVELOPER]),
    drifted=frozenset({"assignedRoleIds"}),
    as_wanted=lambda member: set(member["assignedRoleIds"]) == {ADMIN, CUSTOM},
    stays=True,
)
LIVES = {"member": MEMBER}

WIRE_LIVES = [
    WireLife(
        "member",
        MEMBER,
        operations=("update_member", "update_member", "update_member", "list_members"),
        before={"userId": "$user_id", "assignedRoleIds": [CUSTOM]},
        after={"userId": "$user_id", "assignedRoleIds": [ADMIN, CUSTOM]},
        details={"assignedRoleIds[0]": "ADD"},
        left_alone=frozenset({"original", "name", "email", "joinedAt"}),
        extra=frozenset({"assignedRoleIds"}),
    )
]

OF_NO_INPUT = frozenset({"id", "name", "email", "joinedAt"})
"""Outputs that tell nothing of an input."""
