"""Lives of invitations to the team of a self-hosted server: only options of the provider are updated in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life

_GRACE = {"email": "Grace@example.com", "name": "Grace"}

INVITATION = Life(
    "StackInvitation",
    before=_GRACE,
    after={**_GRACE, "removeMember": True},
    drift=None,
    other={"name": "Mine"},
    wanted=lambda invitation: (invitation["email"], invitation["name"]) == ("grace@example.com", "Grace"),
)
LIVES = {"invitation to a team": INVITATION}

WIRE_LIVES = [wire_life("invitation to a team", INVITATION, extra=frozenset({"email"}))]

OF_NO_INPUT = frozenset({"url", "userId", "joinedAt", "accepted"})
"""Outputs that copy no input."""
