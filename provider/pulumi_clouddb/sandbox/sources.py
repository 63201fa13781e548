"""Data sources of a stack: one of logs and one of metrics, there from the start."""

from __future__ import annotations

from typing import Any

from .observability import stack_of
from .state import Call, SandboxState
from .store import Document

SOURCES = "sources"


def list_all(state: SandboxState, call: Call) -> list[Document]:
    """List the sources of a stack."""
    return state.listed(call, SOURCES, stack_of(state, call))


def add_all(state: SandboxState, stack: str) -> None:
    """Give a stack its sources."""
    connection = state.ids.object_id()
    for kind, fields in _FIELDS.items():
        add(state, stack, {"name": f"{kind.title()}s", "kind": kind, "connection": connection, **fields})


def add(state: SandboxState, stack: str, fields: dict[str, Any]) -> Document:
    """Give a stack one more source."""
    document = {"id": state.ids.object_id(), "name": "Source", **fields}
    state.store.put(SOURCES, document["id"], document, stack)
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
