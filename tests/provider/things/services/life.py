"""Lives of services."""

from __future__ import annotations

from lives.life import Life
from lives.wire import wire_life

_PLACE = {"name": "orders", "provider": "aws", "region": "us-east-1"}

SERVICE = Life(
    "Service",
    before={
        **_PLACE,
        "minReplicaMemoryGb": 16,
        "maxReplicaMemoryGb": 32,
        "numReplicas": 2,
        "idleScaling": True,
        "idleTimeoutMinutes": 10,
        "releaseChannel": "default",
        "privateEndpointIds": ["vpce-1a2b3c4d"],
        "endpoints": [{"protocol": "mysql", "enabled": False}],
        "ipAccessList": [{"source": "10.0.0.0/8", "description": "office"}],
    },
    after={
        **_PLACE,
        "name": "orders and returns",
        "minReplicaMemoryGb": 24,
        "maxReplicaMemoryGb": 48,
        "numReplicas": 3,
        "idleScaling": False,
        "idleTimeoutMinutes": 15,
        "releaseChannel": "slow",
        "privateEndpointIds": ["vpce-2a2b3c4d"],
        "endpoints": [{"protocol": "mysql", "enabled": True}],
        "ipAccessList": [{"source": "10.1.0.0/16", "description": "office"}, {"source": "192.0.2.1"}],
    },
    other={"region": "us-east-2"},
    drift={"numReplicas": 5, "ipAccessList": [{"source": "0.0.0.0/0", "description": "oops"}]},
    wanted=lambda service: (
        service["name"] == "orders and returns"
        and [service[f"{end}ReplicaMemoryGb"] for end in ("min", "max")] == [24, 48]
        and (service["numReplicas"], service["idleScaling"], service["idleTimeoutMinutes"]) == (3, False, 15)
        and service["releaseChannel"] == "slow"
        and service["privateEndpointIds"] == ["vpce-2a2b3c4d"]
        and "mysql" in {endpoint["protocol"] for endpoint in service["endpoints"]}
        and {entry["source"] for entry in service["ipAccessList"]} == {"10.1.0.0/16", "192.0.2.1"}
    ),
)
LIVES = {"service": SERVICE}

_LIST = [{"source": "10.0.0.0/8", "description": "office"}]
_CLOSED = {"releaseChannel": "default", "endpoints": [{"protocol": "mysql", "enabled": False}]}

WIRE_LIVES = [
    wire_life(
        "service",
        SERVICE,
        before={
            **_PLACE,
            **_CLOSED,
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 2,
            "idleScaling": True,
            "ipAccessList": [*_LIST, {"source": "10.9.0.0/16", "description": "a"}],
        },
        after={
            **_PLACE,
            **_CLOSED,
            "name": "orders and returns",
            "minReplicaMemoryGb": 24,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 3,
            "idleTimeoutMinutes": 20,
            "ipAccessList": [*_LIST, {"source": "10.8.0.0/16", "description": "a"}],
        },
        operations=("create_service", "scale_service", "delete_service", "list_services"),
        known=frozenset({"password", "endpoints", "createdAt", "iamRole"}),
        extra=frozenset({"provider", "region", "endpoints", "releaseChannel", "ipAccessList"}),
    )
]

OF_NO_INPUT = frozenset({"engineVersion", "isPrimary", "state", "password", "lastError"})
"""Outputs that copy no input."""
