"""Lives of the organization's settings."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life

SETTINGS = Life(
    "OrganizationSettings",
    before={"name": "Acme"},
    after={"name": "Acme Inc.", "enableCoreDumps": False},
    drift={"name": "Mine"},
    stays=True,
)
LIVES = {"organization settings": SETTINGS}

WIRE_LIVES = [
    wire_life(
        "organization settings",
        SETTINGS,
        known=frozenset({"original", "createdAt", "privateEndpoints", "byocConfig"}),
    )
]

OF_NO_INPUT = frozenset({"privateEndpoints", "byocConfig", "capabilities"})
"""Outputs that copy no input."""
