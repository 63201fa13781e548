"""Lives of pipes."""

from __future__ import annotations

from typing import Any

from lives.life import Inputs, Life, a_service
from lives.wire import wire_life

_CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
_KAFKA = {
    "type": "kafka",
    "format": "JSONEachRow",
    "brokers": "kafka.example.com:9092",
    "topics": "clicks",
    "authentication": "PLAIN",
    "tombstoneMode": "soft_delete",
}
_COMMON: Inputs = {
    "serviceId": "$service_id",
    "destination": {
        "database": "default",
        "table": "clicks",
        "managedTable": True,
        "tableDefinition": {"engine": {"type": "MergeTree"}, "ttl": "at + INTERVAL 30 DAY"},
        "columns": [{"name": "at", "type": "DateTime"}],
    },
}


def _as_wanted(pipe: Any) -> bool:
    kafka = pipe["source"]["kafka"]
    return bool(
        (pipe["name"], kafka.get("caCertificate"), kafka["topics"]) == ("clicks of the shop", _CERTIFICATE, "clicks")
        and pipe["scaling"]["replicas"] == 3
        and pipe["settings"]["streaming_max_insert_wait_ms"] == 1000
        and pipe["fieldMappings"] == [{"sourceField": "at", "destinationField": "at"}]
        and pipe["state"] == "Stopped"
        and "credentials" not in str(pipe)
    )


STREAM = Life(
    "Pipe",
    before={
        **_COMMON,
        "name": "clicks",
        "source": {"kafka": _KAFKA},
        "credentials": {"username": "u", "password": "first"},
    },
    after={
        **_COMMON,
        "name": "clicks of the shop",
        "source": {"kafka": {**_KAFKA, "caCertificate": _CERTIFICATE}},
        "credentials": {"username": "u", "password": "second"},
        "fieldMappings": [{"sourceField": "at", "destinationField": "at"}],
        "scaling": {"replicas": 3},
        "settings": {"streaming_max_insert_wait_ms": 1000, "kafka_read_committed": True},
        "stopped": True,
    },
    drift=lambda sandbox, id_: sandbox.change("pipes", id_, name="Mine now", state="Running"),
    drifted=frozenset({"name", "stopped"}),
    other={"destination": {"database": "mine"}},
    setting=a_service,
    wanted=_as_wanted,
)


def _table(name: str) -> Inputs:
    return {"sourceSchemaName": "public", "sourceTable": name, "targetTable": name}


_POSTGRES = {"host": "db.example.com", "database": "shop"}
_ORDERS: Inputs = {
    "serviceId": "$service_id",
    "name": "orders",
    "credentials": {"username": "u", "password": "p"},
    "destination": {"database": "default"},
}

CHANGES = Life(
    "Pipe",
    before={
        **_ORDERS,
        "source": {"postgres": {**_POSTGRES, "port": 5432, "tableMappings": [_table("orders"), _table("items")]}},
    },
    after={
        **_ORDERS,
        "source": {
            "postgres": {
                **_POSTGRES,
                "port": 5433,
                "settings": {"syncIntervalSeconds": 30},
                "tableMappings": [_table("orders"), _table("users")],
            }
        },
    },
    drift={"name": "Mine now"},
    other={"destination": {"database": "mine"}},
    setting=a_service,
    wanted=lambda pipe: (
        (pipe["name"], pipe["state"], pipe["source"]["postgres"]["port"]) == ("orders", "Running", 5433)
        and {each["sourceTable"] for each in pipe["source"]["postgres"]["tableMappings"]} == {"orders", "users"}
    ),
)

LIVES = {"pipe of a stream": STREAM, "pipe of a database": CHANGES}

WIRE_LIVES = [
    wire_life(
        "pipe of a stream",
        STREAM,
        known=frozenset({"serviceId", "createdAt"}),
        extra=frozenset({"scaling", "settings", "source", "destination", "fieldMappings"}),
    ),
    wire_life("pipe of a database", CHANGES, extra=frozenset({"source", "destination"})),
]

OF_NO_INPUT = frozenset({"state", "lastError"})
"""Outputs that copy no input."""
