"""Lives of roles."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life

_VIEW = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}

ROLE = Life(
    "Role",
    before={"name": "Reader", "policies": [_VIEW]},
    after={
        "name": "Writer",
        "actors": ["user/1"],
        "policies": [
            {
                "allowDeny": "DENY",
                "permissions": ["control-plane:service:delete", "control-plane:service:view"],
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
            "policies": [{**_VIEW, "tags": {"grants": ["GRANT SELECT ON shop.*"]}}],
            "actors": ["user/1"],
        },
        extra=frozenset({"actors"}),
    )
]

OF_NO_INPUT = frozenset({"type", "tenantId", "ownerId"})
"""Outputs that copy no input."""
