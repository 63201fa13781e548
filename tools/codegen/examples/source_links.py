"""Examples of the links of sources."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .connection import CONNECTION_STEP
from .example import Example, Examples
from .source import LOGS_STEP

_TRACES = Step(
    "traces",
    "Source",
    {
        "name": "Traces of the shop",
        "kind": "trace",
        "connection": Ref("shop.id"),
        "from": {"databaseName": "otel", "tableName": "otel_traces"},
        "timestampValueExpression": "Timestamp",
        "defaultTableSelectExpression": "Timestamp, ServiceName, SpanName, Duration",
        "durationExpression": "Duration",
        "durationPrecision": 9,
        "traceIdExpression": "TraceId",
        "spanIdExpression": "SpanId",
        "parentSpanIdExpression": "ParentSpanId",
        "spanNameExpression": "SpanName",
        "spanKindExpression": "SpanKind",
    },
)
_LOGS = Step("logs", "Source", {**LOGS_STEP.properties, "traceSourceId": Ref("traces.id")})
_LINKS = Step("back", "SourceLinks", {"sourceId": Ref("traces.id"), "logSourceId": Ref("logs.id")})

EXAMPLES: Examples = {
    "SourceLinks": (Example("Let logs and traces refer to each other", [CONNECTION_STEP, _TRACES, _LOGS, _LINKS]),),
}
