"""Lives of infrastructures: the account and the network never change in place."""

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
    before={
        **_PLACE,
        "displayName": "Ours",
        "externalId": "ch-0a1b2c3d4e5f6789",
        "tags": {"team": "shop"},
        "enablePublicLoadBalancer": True,
        "skipPreflightValidation": True,
    },
    after={
        **_PLACE,
        "displayName": "Shop",
        "externalId": "ch-0a1b2c3d4e5f6789",
        "tags": {"team": "shop", "stage": "live"},
        "enablePrivateLink": True,
        "enablePrivateLoadBalancer": True,
        "enablePublicLoadBalancer": False,
        "waitTimeoutMinutes": 5,
    },
    drift={"displayName": "Mine", "enablePrivateLink": False},
    other={"regionId": "us-west-2"},
)
LIVES = {"BYOC infrastructure": INFRASTRUCTURE}

WIRE_LIVES = [
    wire_life(
        "BYOC infrastructure",
        INFRASTRUCTURE,
        extra=frozenset({"availabilityZoneSuffixes", "externalId"}),
    )
]

OF_NO_INPUT = frozenset({"state", "accountName", "cloudProvider", "isByoVpc", "lastError"})
"""Outputs that copy no input."""
