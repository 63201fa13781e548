"""Lives of query API endpoints."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from lives.life import Life, a_service
from lives.wire import wire_life


def a_service_and_keys(sandbox: Sandbox) -> dict[str, str]:
    """Create a service and two keys."""
    keys = {name: str(sandbox.add("keys", name=name)["key"]["id"]) for name in ("key_id", "other_key")}
    return {**a_service(sandbox), **keys}


ENDPOINT = Life(
    "QueryApiEndpoint",
    before={
        "serviceId": "$service_id",
        "name": "Orders of a day",
        "sql": "SELECT count() FROM orders WHERE day = {day:Date}",
        "database": "shop",
        "parameters": {"day": "2026-11-01"},
        "apiKeyIds": ["$key_id"],
        "roles": ["sql_console_read_only"],
        "allowedOrigins": ["https://shop.example.com"],
    },
    after={
        "serviceId": "$service_id",
        "name": "Orders",
        "sql": "SELECT count() FROM orders",
        "database": "archive",
        "apiKeyIds": ["$key_id", "$other_key"],
        "roles": ["sql_console_admin"],
    },
    drift={"sql": "SELECT 1", "roles": ["reader"]},
    setting=a_service_and_keys,
)
LIVES = {"query API endpoint": ENDPOINT}

WIRE_LIVES = [
    wire_life("query API endpoint", ENDPOINT, known=frozenset({"url", "ownerType"})),
]

OF_NO_INPUT = frozenset({"url", "ownerType"})
"""Outputs that copy no input."""
