"""Lives of data sources."""

from __future__ import annotations

from dataclasses import replace

from clouddb_tools.sandbox import Sandbox
from lives.life import Inputs, Life, a_service
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


def a_trace_source(sandbox: Sandbox, **place: str) -> dict[str, str]:
    """Create a source of traces, which refers to one of sessions, with the defaults that a server adds to it."""
    fields: Inputs = {"kind": "trace", "name": "Spans", "connection": CONNECTION, "sessionSourceId": "1" * 24}
    fields |= {f"{name}Expression": name for name in ("timestampValue", "duration", "traceId", "spanId")}
    fields |= {f"{name}Expression": name for name in ("parentSpanId", "spanName", "spanKind", "defaultTableSelect")}
    fields |= {"disabled": False, "querySettings": [], "materializedViews": []}
    fields |= {f"highlighted{name}AttributeExpressions": [] for name in ("Trace", "Row")}
    table = {"databaseName": "shop", "tableName": "spans"}
    return {"source_id": str(sandbox.add("sources", **place, **{"from": table}, **fields, durationPrecision=9)["id"])}


def a_trace_source_of_a_service(sandbox: Sandbox) -> dict[str, str]:
    """Create a service, and a source of traces on its observability server."""
    names = a_service(sandbox)
    return {**names, **a_trace_source(sandbox, serviceId=names["service_id"])}


OF_SELF_HOSTED = Life(
    "SourceLinks",
    before={"sourceId": "$source_id", "logSourceId": LOGS},
    after={"sourceId": "$source_id", "logSourceId": "2" * 24, "metricSourceId": METRICS, "sessionSourceId": "3" * 24},
    drift={"metricSourceId": "4" * 24},
    setting=a_trace_source,
    stays=True,
)
OF_A_SERVICE = replace(
    OF_SELF_HOSTED,
    before={"serviceId": "$service_id", **OF_SELF_HOSTED.before},
    after={"serviceId": "$service_id", **OF_SELF_HOSTED.after},
    setting=a_trace_source_of_a_service,
)
LINKS_LIVES = {"self-hosted links of a source": OF_SELF_HOSTED, "managed links of a source": OF_A_SERVICE}

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
] + [wire_life(name, life) for name, life in LINKS_LIVES.items()]
LIVES |= LINKS_LIVES

OF_NO_INPUT = {name: frozenset({"kind"} if name == "SourceLinks" else ()) for name in ("Source", "SourceLinks")}
"""Outputs that copy no input."""
