"""Lives of infrastructures: only the name is updated in place."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life

_PLACE = {
    "regionId": "us-east-1",
    "accountId": "123456789012",
    "availabilityZoneSuffixes": ["a", "b"],
    "vpcCidrRange": "10.0.0.0/16",
}

INFRASTRUCTURE = Life(
    "ByocInfrastructure",
    before={**_PLACE, "displayName": "Ours"},
    after={**_PLACE, "displayName": "Shop", "waitTimeoutMinutes": 5},
    drift={"displayName": "Mine"},
    other={"regionId": "us-west-2"},
)
LIVES = {"BYOC infrastructure": INFRASTRUCTURE}

WIRE_LIVES = [
    wire_life(
        "BYOC infrastructure",
        INFRASTRUCTURE,
        extra=frozenset({"accountId", "availabilityZoneSuffixes", "vpcCidrRange"}),
    )
]

OF_NO_INPUT = frozenset({"state", "accountName", "cloudProvider", "lastError"})
"""Outputs that copy no input."""
