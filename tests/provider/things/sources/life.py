"""Lives of data sources."""

from __future__ import annotations

from lives.life import Inputs, Life
from lives.wire import both_forms, wire_life
from support.ids import CONNECTION, LOGS, METRICS

_COMMON: Inputs = {"connection": CONNECTION}

LIVES = both_forms(
    "source",
    Life(
        "Source",
        before={
            **_COMMON,
            "name": "Shop logs",
            "kind": "log",
            "timestampValueExpression": "Timestamp",
            "from": {"databaseName": "shop", "tableName": "logs"},
            "defaultTableSelectExpression": "Timestamp, Body",
            "bodyExpression": "Body",
            "serviceVersionExpression": "ServiceVersion",
            "section": "shop",
        },
        after={
            **_COMMON,
            "name": "Shop spans",
            "kind": "trace",
            "timestampValueExpression": "Start",
            "from": {"databaseName": "shop", "tableName": "spans"},
            "defaultTableSelectExpression": "Start, SpanName",
            "durationExpression": "Duration",
            "durationPrecision": 6,
            "traceIdExpression": "TraceId",
            "spanIdExpression": "SpanId",
            "parentSpanIdExpression": "ParentSpanId",
            "spanNameExpression": "SpanName",
            "spanKindExpression": "SpanKind",
            "logSourceId": LOGS,
            "querySettings": [{"setting": "max_threads", "value": "4"}],
        },
        drift={"name": "Mine now", "timestampValueExpression": "End"},
    ),
)

_FLOWS: Inputs = {
    **_COMMON,
    "name": "Flows",
    "kind": "netflow",
    "from": {"databaseName": "shop", "tableName": "flows"},
    "timestampValueExpression": "TimeReceived",
    "defaultTableSelectExpression": "TimeReceived, Bytes",
}


def _mappings(text: str) -> Inputs:
    names = ("bytes", "packets", "srcAddr", "dstAddr", "srcPort", "dstPort", "protocol", "samplingRate", "exporter")
    return {f"{name}Expression": text.format(name) for name in (*names, "inIf", "outIf", "implicitColumn")}


LIVES["self-hosted source of flows"] = Life(
    "Source",
    before={**_FLOWS, **_mappings("{}")},
    after={**_FLOWS, **_mappings("({})"), "name": "Other flows"},
    drift={"bytesExpression": "Octets"},
)

TABLE = {"databaseName": "shop", "tableName": "logs"}
BEFORE: Inputs = {
    "name": "Shop logs",
    "kind": "log",
    "connection": CONNECTION,
    "from": TABLE,
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Timestamp, Body",
    "bodyExpression": "Body",
    "serviceVersionExpression": "ServiceVersion",
}
AFTER: Inputs = {
    "name": "Shop logs",
    "kind": "log",
    "connection": CONNECTION,
    "from": {**TABLE, "tableName": "log_records"},
    "timestampValueExpression": "Start",
    "defaultTableSelectExpression": "Timestamp, Body",
    "metricSourceId": METRICS,
    "querySettings": [{"setting": "max_threads", "value": "4"}],
    "highlightedRowAttributeExpressions": [{"sqlExpression": "ServiceName", "alias": "service"}],
}
WIRE_LIVES = [
    wire_life(name, life, {**service, **BEFORE}, {**service, **AFTER})
    for (name, life), service in zip(LIVES.items(), ({}, {"serviceId": "$service_id"}), strict=False)
]
