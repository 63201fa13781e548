"""Rows of members: their roles."""

from __future__ import annotations

from support.rows import UUID, Row, Usual

ROLE = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
MEMBER = Usual("Member", {"userId": UUID, "role": "developer"})
CASES: list[Row] = [
    MEMBER.rule(
        {"role": None, "assignedRoleIds": [ROLE]},
        {"assignedRoleIds": [ROLE]},
        "role must not be given together with assignedRoleIds",
    )
]
