"""Lives of Postgres services."""

from __future__ import annotations

from lives.life import Inputs, Life
from lives.wire import wire_life

_PLACE: Inputs = {"provider": "aws", "region": "us-east-1"}

POSTGRES = Life(
    "PostgresService",
    before={
        **_PLACE,
        "name": "orders",
        "size": "m6gd.large",
        "haType": "none",
        "tags": [{"key": "team", "value": "shop"}],
        "pgConfig": {"max_connections": "100"},
        "pgBouncerConfig": {"default_pool_size": "16"},
        "password": "Orders-0123456",
    },
    after={
        **_PLACE,
        "name": "orders and returns",
        "size": "m6gd.xlarge",
        "haType": "async",
        "tags": [{"key": "team", "value": "store"}],
        "pgConfig": {"work_mem": "8MB"},
        "pgBouncerConfig": {"default_pool_size": "32"},
        "password": "Orders-6543210",
    },
    drift={"size": "m6gd.2xlarge", "haType": "sync"},
    wanted=lambda service: (
        (service["name"], service["size"], service["haType"]) == ("orders and returns", "m6gd.xlarge", "async")
        and {"key": "team", "value": "store"} in service["tags"]
    ),
)
LIVES = {"Postgres service": POSTGRES}

_ORDERS: Inputs = {
    **_PLACE,
    "name": "orders",
    "size": "m6gd.large",
    "tags": [{"key": "team", "value": "shop"}],
    "pgConfig": {"max_connections": "100"},
}

WIRE_LIVES = [
    wire_life(
        "Postgres service",
        POSTGRES,
        _ORDERS,
        {**_ORDERS, "size": "m6gd.xlarge", "haType": "async", "tags": [{"key": "team", "value": "store"}]},
        known=frozenset({"password", "connectionString", "hostname", "username", "createdAt", "isPrimary"}),
    )
]

OF_NO_INPUT = frozenset({"state", "isPrimary", "username", "storageSize", "earliestRestoreTime", "lastError"})
"""Outputs that copy no input."""
