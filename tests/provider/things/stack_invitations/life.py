"""Lives of invitations to the team of a self-hosted server: only what steers the provider changes in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

INVITATION = Life(
    name="StackInvitation",
    kind="stack_invitations",
    before="email='Grace@example.com', name='Grace'",
    after="email='Grace@example.com', name='Grace', remove_member=True",
    updated=frozenset({"removeMember"}),
    drift=None,
    drifted=frozenset(),
    as_wanted=lambda invitation: (invitation["email"], invitation["name"]) == ("grace@example.com", "Grace"),
)
LIVES = {"invitation to a team": INVITATION}

_GRACE = {"email": "grace@example.com", "name": "Grace"}

WIRE_LIVES = [
    WireLife(
        "invitation to a team",
        INVITATION,
        operations=(
            *("create_stack_invitation", "list_stack_invitations", "delete_stack_invitation"),
            "list_stack_invitations",
        ),
        before=_GRACE,
        after={**_GRACE, "removeMember": True},
        details={"removeMember": "ADD"},
        left_alone=frozenset({"email", "name"}),
        extra=frozenset({"removeMember"}),
    )
]

OF_NO_INPUT = frozenset({"id", "url", "createdAt", "userId", "joinedAt", "accepted"})
"""Outputs that tell nothing of an input."""
