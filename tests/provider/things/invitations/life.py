"""Lives of invitations: only options of the provider are updated in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life
from things.members.life import CUSTOM

_GRACE = {"email": "Grace@example.com", "assignedRoleIds": [CUSTOM]}

INVITATION = Life(
    "Invitation",
    before=_GRACE,
    after={**_GRACE, "removeMember": True},
    drift=None,
    other={"role": "developer"},
    wanted=lambda invitation: (invitation["email"], invitation["assignedRoleIds"]) == ("grace@example.com", [CUSTOM]),
)
LIVES = {"invitation": INVITATION}

_ADMIN = {"email": "grace@example.com", "role": "admin"}

WIRE_LIVES = [
    wire_life("invitation", INVITATION, _ADMIN, {**_ADMIN, "removeMember": True}, extra=frozenset({"role"})),
]

OF_NO_INPUT = frozenset({"expireAt", "userId", "joinedAt", "accepted"})
"""Outputs that copy no input."""
