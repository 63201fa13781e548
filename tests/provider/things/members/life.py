"""Lives of members' roles."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role
from lives.life import Life
from lives.wire import wire_life

ADMIN, DEVELOPER = system_role("admin"), system_role("developer")
CUSTOM = "22222222-3333-4444-8555-666666666666"


def a_member(sandbox: Sandbox) -> dict[str, str]:
    """Create a member."""
    member = {"name": "Ada", "joinedAt": "2026-01-01T00:00:00Z", "assignedRoleIds": [DEVELOPER]}
    return {"user_id": str(sandbox.add("members", **member)["id"])}


MEMBER = Life(
    "Member",
    before={"userId": "$user_id", "assignedRoleIds": [CUSTOM]},
    after={"userId": "$user_id", "assignedRoleIds": [ADMIN, CUSTOM]},
    drift={"assignedRoleIds": [DEVELOPER]},
    setting=a_member,
    stays=True,
    wanted=lambda member: set(member["assignedRoleIds"]) == {ADMIN, CUSTOM},
)
LIVES = {"member": MEMBER}

WIRE_LIVES = [
    wire_life(
        "member",
        MEMBER,
        details={"assignedRoleIds[0]": "ADD"},
        known=frozenset({"original", "name", "email", "joinedAt"}),
        extra=frozenset({"assignedRoleIds"}),
    )
]

OF_NO_INPUT = frozenset({"name", "email", "joinedAt"})
"""Outputs that copy no input."""
