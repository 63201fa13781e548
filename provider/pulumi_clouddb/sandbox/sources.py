"""Data sources of a stack: one of logs and one of metrics from the start, in the clickhouse dialect one of traces, too.

What is refused, and which defaults are added, follows the vendor's observability server 2.36.0
(routers/external-api/v2/sources.ts, models/source.ts).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.models.source import SourceArgs, SourceBody
from pulumi_clouddb.models.source_fields import USUAL_PRECISION

from . import connections
from .bodies import checked
from .furnished import CONNECTION, LOGS, METRICS, TRACES, Furnished
from .responses import bad_request
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document

_LISTS: Document = {
    "highlightedTraceAttributeExpressions": [],
    "highlightedRowAttributeExpressions": [],
    "materializedViews": [],
}
_ADDED: dict[str, Document] = {"log": _LISTS, "trace": {**_LISTS, "durationPrecision": USUAL_PRECISION}}


class ServedSources(Furnished):
    """The data sources of a stack."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets with the defaults that the server adds, or refuse it."""
        stack, given = self.parent(state, call), call.body
        if isinstance(given, dict) and stack != SELF_HOSTED:
            given = {**given, "serviceId": stack}
        body = checked(SourceArgs, given, context=state.context, drop_unknown=True)
        body.pop("serviceId", None)
        if not connections.SERVED.is_there(state, stack, body["connection"]):
            raise bad_request("connection must be an existing connection id")
        return {"disabled": False, "querySettings": [], **_ADDED.get(body["kind"], {}), **body}


SERVED = ServedSources(Sources, SourceBody, name="Source", kind="log", connection=CONNECTION)


def add_usual(state: SandboxState, stack: str) -> None:
    """Give a stack its sources."""
    if not state.settings.is_clickhouse:
        connection = state.ids.object_id()
        for kind, fields in _FIELDS.items():
            SERVED.add(state, stack, {"name": f"{kind.title()}s", "kind": kind, "connection": connection, **fields})
        return
    for id_, kind in ((LOGS, "log"), (TRACES, "trace"), (METRICS, "metric")):
        usual = {"name": f"{kind.title()}s", "kind": kind, "connection": CONNECTION, "querySettings": []}
        fields = _TRACE if kind == "trace" else _FIELDS[kind]
        SERVED.furnish(state, stack, {id_: {**usual, **_ADDED.get(kind, {}), **fields}})


def require(state: SandboxState, stack: str, body: Document) -> None:
    """Refuse a dashboard that names sources or connections that the stack does not have.

    Raises:
        HTTPError: It does.
    """
    for name, word, served in (("sourceId", "source", SERVED), ("connectionId", "connection", connections.SERVED)):
        missing = [each for each in dict.fromkeys(_named(body, name)) if not served.is_there(state, stack, each)]
        if missing:
            raise bad_request(f"Could not find the following {word} IDs: {', '.join(missing)}")


def _named(value: Any, name: str) -> Iterator[str]:
    """Yield the texts of this name in a body."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == name and isinstance(item, str):
            yield item
        yield from _named(item, name)


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

_TRACE: dict[str, Any] = {
    "from": {"databaseName": "default", "tableName": "otel_traces"},
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Timestamp, ServiceName, StatusCode, Duration, SpanName",
    "durationExpression": "Duration",
    "durationPrecision": 9,
    "traceIdExpression": "TraceId",
    "spanIdExpression": "SpanId",
    "parentSpanIdExpression": "ParentSpanId",
    "spanNameExpression": "SpanName",
    "spanKindExpression": "SpanKind",
    "logSourceId": LOGS,
    "disabled": False,
}
