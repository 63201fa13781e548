"""Rows of invitations: their roles."""

from __future__ import annotations

from support.rows import Row, Usual

ROLE = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
INVITATION = Usual("Invitation", {"email": "ada@example.com", "role": "developer"})
CASES: list[Row] = [
    INVITATION.rule(
        {"role": None, "assignedRoleIds": [ROLE]},
        {"assignedRoleIds": [ROLE]},
        "role must not be given together with assignedRoleIds",
    )
]
