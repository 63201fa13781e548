"""Lives of invitations: only what steers the provider changes in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife
from things.members.life import CUSTOM

INVITATION = Life(
    name="Invitation",
    kind="invitations",
    before=f"email='Grace@example.com', assigned_role_ids=[{CUSTOM!r}]",
    after=f"email='Grace@example.com', assigned_role_ids=[{CUSTOM!r}], remove_member=True",
    updated=frozenset({"removeMember"}),
    drift=None,
    drifted=frozenset(),
    as_wanted=lambda invitation: (
        (invitation["email"], invitation["assignedRoleIds"]) == ("grace@example.com", [CUSTOM])
    ),
)
LIVES = {"invitation": INVITATION}

_GRACE = {"email": "grace@example.com", "role": "admin"}

WIRE_LIVES = [
    WireLife(
        "invitation",
        INVITATION,
        operations=("create_invitation", "list_invitations", "delete_invitation", "list_invitations"),
        before=_GRACE,
        after={**_GRACE, "removeMember": True},
        details={"removeMember": "ADD"},
        left_alone=frozenset({"createdAt", "email"}),
        extra=frozenset({"removeMember", "assignedRoleIds", "role"}),
    )
]

OF_NO_INPUT = frozenset({"id", "createdAt", "expireAt", "userId", "joinedAt", "accepted"})
"""Outputs that tell nothing of an input."""
