"""Lives of roles."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life
from support.rows import UUID

_VIEW = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}

ROLE = Life(
    "Role",
    before={"name": "Reader", "policies": [_VIEW]},
    after={
        "name": "Writer",
        "actors": [f"user/{UUID}"],
        "policies": [
            {
                "allowDeny": "DENY",
                "permissions": ["control-plane:service:delete", "sql-console:database:access"],
                "resources": ["instance/*"],
                "tags": {"grants": ["GRANT SELECT ON shop.*"]},
            }
        ],
    },
    drift={"name": "Mine now", "policies": []},
)
LIVES = {"role": ROLE}

WIRE_LIVES = [
    wire_life(
        "role",
        ROLE,
        after={
            "name": "Reader and more",
            "policies": [
                {
                    **_VIEW,
                    "permissions": ["sql-console:database:access"],
                    "tags": {"grants": ["GRANT SELECT ON shop.*"]},
                }
            ],
            "actors": [f"user/{UUID}"],
        },
        extra=frozenset({"actors"}),
    )
]

OF_NO_INPUT = frozenset({"type", "tenantId", "ownerId"})
"""Outputs that copy no input."""
