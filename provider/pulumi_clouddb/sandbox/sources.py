"""Data sources of a stack: one of logs and one of metrics, there from the start."""

from __future__ import annotations

from typing import Any

from .stack import stack_of
from .store import Document
from .world import Call, World

SOURCES = "sources"


def list_all(world: World, call: Call) -> list[Document]:
    """List the sources of a stack."""
    return world.listed(call, SOURCES, stack_of(world, call))


def add_all(world: World, stack: str) -> None:
    """Give a stack its sources."""
    connection = world.ids.object_id()
    for kind, fields in _FIELDS.items():
        add(world, stack, {"name": f"{kind.title()}s", "kind": kind, "connection": connection, **fields})


def add(world: World, stack: str, fields: dict[str, Any]) -> Document:
    """Give a stack one more source."""
    document = {"id": world.ids.object_id(), "name": "Source", **fields}
    world.store.put(SOURCES, document["id"], document, stack)
    return document


_FIELDS: dict[str, dict[str, Any]] = {
    "log": {
        "from": {"databaseName": "default", "tableName": "otel_logs"},
        "timestampValueExpression": "TimestampTime",
        "defaultTableSelectExpression": "Timestamp, ServiceName, SeverityText, Body",
        "serviceNameExpression": "ServiceName",
        "severityTextExpression": "SeverityText",
        "bodyExpression": "Body",
        "disabled": False,
    },
    "metric": {
        "from": {"databaseName": "default", "tableName": ""},
        "metricTables": {
            "gauge": "otel_metrics_gauge",
            "sum": "otel_metrics_sum",
            "histogram": "otel_metrics_histogram",
        },
        "timestampValueExpression": "TimeUnix",
        "resourceAttributesExpression": "ResourceAttributes",
        "disabled": False,
    },
}
