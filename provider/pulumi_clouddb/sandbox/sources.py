"""Data sources of a stack: one of logs and one of metrics, there from the start."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.api.collections.sources import Sources

from .served import Served
from .state import SandboxState

SERVED = Served(Sources, name="Source")


def add_usual(state: SandboxState, stack: str) -> None:
    """Give a stack its sources."""
    connection = state.ids.object_id()
    for kind, fields in _FIELDS.items():
        SERVED.add(state, stack, {"name": f"{kind.title()}s", "kind": kind, "connection": connection, **fields})


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
