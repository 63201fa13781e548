"""Objects that the requests refer to: connections, a source of each kind, webhooks, a search, a dashboard."""

from __future__ import annotations

from .request import Request, Values

CONNECTION: Values = {"name": "Main", "host": "http://localhost:8123", "username": "default", "password": "secret"}
LOGS: Values = {
    "name": "Logs",
    "kind": "log",
    "connection": "<connection.id>",
    "from": {"databaseName": "default", "tableName": "otel_logs"},
    "timestampValueExpression": "TimestampTime",
    "defaultTableSelectExpression": "Timestamp, Body",
}
TRACES: Values = {
    "name": "Traces",
    "kind": "trace",
    "connection": "<connection.id>",
    "from": {"databaseName": "default", "tableName": "otel_traces"},
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Timestamp, SpanName",
    "durationExpression": "Duration",
    "traceIdExpression": "TraceId",
    "spanIdExpression": "SpanId",
    "parentSpanIdExpression": "ParentSpanId",
    "spanNameExpression": "SpanName",
    "spanKindExpression": "SpanKind",
}
METRICS: Values = {
    "name": "Metrics",
    "kind": "metric",
    "connection": "<connection.id>",
    "from": {"databaseName": "default", "tableName": ""},
    "timestampValueExpression": "TimeUnix",
    "metricTables": {"gauge": "otel_metrics_gauge", "sum": "otel_metrics_sum"},
    "resourceAttributesExpression": "ResourceAttributes",
}
SESSIONS: Values = {
    "name": "Sessions",
    "kind": "session",
    "connection": "<connection.id>",
    "from": {"databaseName": "default", "tableName": "hyperdx_sessions"},
    "timestampValueExpression": "TimestampTime",
    "traceSourceId": "<traces.id>",
}
WEBHOOK: Values = {"name": "Pager", "service": "generic", "url": "https://events.example.com/pager"}
SEARCH: Values = {"name": "Errors", "sourceId": "<logs.id>", "where": "level:error"}
BOARD: Values = {
    "name": "Watched",
    "tiles": [
        {
            "name": kind,
            "x": 0,
            "y": number,
            "w": 6,
            "h": 3,
            "config": {"displayType": kind, "sourceId": "<logs.id>", "select": [{"aggFn": "count"}]},
        }
        for number, kind in enumerate(("line", "stacked_bar", "number", "table", "pie", "bar"))
    ],
}

WORLD: tuple[Request, ...] = (
    Request("connection", "POST", "connections", CONNECTION),
    Request("other_connection", "POST", "connections", {**CONNECTION, "name": "Other"}),
    Request("logs", "POST", "sources", LOGS),
    Request("traces", "POST", "sources", TRACES),
    Request("metrics", "POST", "sources", METRICS),
    Request("sessions", "POST", "sources", SESSIONS),
    Request("webhook", "POST", "webhooks", WEBHOOK),
    Request("other_webhook", "POST", "webhooks", {**WEBHOOK, "name": "Mail"}),
    Request("search", "POST", "saved-searches", SEARCH),
    Request("board", "POST", "dashboards", BOARD),
)
"""Each object is kept under its name."""
