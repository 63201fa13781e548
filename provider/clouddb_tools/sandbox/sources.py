"""Data sources of an observability server.

Each server has predefined ones for logs and metrics, and in the clickhouse dialect also for traces.

Validation and defaults follow the vendor's observability server 2.36.0
(routers/external-api/v2/sources.ts, models/source.ts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pulumi_clouddb.schema.base import Number, prop, wire_names
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vendor import alternatives
from pulumi_clouddb.things.sources.api import Sources
from pulumi_clouddb.things.sources.parts import USUAL_PRECISION, ColumnAggFn, SourceKind
from pulumi_clouddb.things.sources.source import KINDS, METRIC_TABLES, NEEDS, Source

from .bodies import body_with, known_of
from .connections import CONNECTION
from .connections import SERVED as CONNECTIONS
from .ids import is_object_id
from .responses import bad_request
from .served import ServedWithPredefined
from .state import SELF_HOSTED, Call, SandboxState
from .store import Document
from .zod import body_errors, object_of, refuse

LOGS = "65f5e4a3b9e77c001a567801"
TRACES = "65f5e4a3b9e77c001a567802"
METRICS = "65f5e4a3b9e77c001a567803"

_LISTS: Document = {
    "highlightedTraceAttributeExpressions": [],
    "highlightedRowAttributeExpressions": [],
    "materializedViews": [],
}


_ADDED: dict[str, Document] = {"log": _LISTS, "trace": {**_LISTS, "durationPrecision": USUAL_PRECISION}}

_KINDS = tuple(each.value for each in SourceKind)

_NULLABLE = ("logSourceId",)

_WITH_COLUMN = (None, *(each for each in ColumnAggFn if each != ColumnAggFn.COUNT))
"""Of another aggregation, the server says only that it does not know it."""


_BODY = body_with(Source, duration_precision=(Number | None, prop("Digits, which may be fractional.", ge=0, le=9)))


class ServedSources(ServedWithPredefined):
    """The data sources of an observability server."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields and the defaults that the server adds."""
        stack, given = self.parent(state, call), object_of(call.body)
        kind = str(given.get("kind"))
        if kind not in _KINDS:
            refuse([f"kind: Invalid discriminator value. Expected {alternatives(_KINDS)}"])
        body = known_of(_BODY, _with_views(given, _shortened, "minGranularity", "granularity"))
        names = _names_of(kind)
        body = {name: _known_tables(name, each) for name, each in body.items() if name in names}
        filled = _with_views(body, _without_null, "minDate", "keyRollupTable")
        refuse([*body_errors(_BODY, filled, _NULLABLE), *_missing(kind, body, managed=stack != SELF_HOSTED)])
        if not is_object_id(body["connection"]):
            raise bad_request("connection must be a valid connection id")
        if CONNECTIONS.find(state, stack, body["connection"]) is None:
            raise bad_request("connection must be an existing connection id")
        return with_defaults(body)

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a source with the defaults of its kind."""
        return super().add(state, parent, with_defaults(fields))


def with_defaults(source: Document) -> Document:
    """Return a source with the defaults of its kind."""
    return {"disabled": False, "querySettings": [], **_ADDED.get(str(source.get("kind")), {}), **source}


def _known_tables(name: str, value: Any) -> Any:
    """Return the value of a property without the metric tables that the server does not support."""
    if name != "metricTables" or not isinstance(value, dict):
        return value
    return {kind: table for kind, table in value.items() if kind in METRIC_TABLES}


def _names_of(kind: str) -> set[str]:
    """Return the wire names of the properties that a kind of source has."""
    elsewhere = {name for kinds, read in KINDS.items() for name in property_names(Source, read) if kind not in kinds}
    return set(wire_names(body_of(Source))) - elsewhere


def _with_views(body: Document, change: Callable[[Any, str], Any], of_view: str, of_rollup: str) -> Document:
    """Return a body after changing a property of each materialized view, and a property of the rollup."""
    views, rollup = body.get("materializedViews"), body.get("metadataMaterializedViews")
    changed: Document = {}
    if isinstance(views, list):
        changed["materializedViews"] = [change(each, of_view) for each in views]
    if rollup is not None:
        changed["metadataMaterializedViews"] = change(rollup, of_rollup)
    return {**body, **changed}


def _shortened(value: Any, name: str) -> Any:
    """Return an object with a granularity such as `5 minute` in the short form of responses, `5m`."""
    if not isinstance(value, dict) or not isinstance(value.get(name), str):
        return value
    return {**value, name: re.sub(r"^(\d+) ([smhd])(?:econd|inute|our|ay)$", r"\1\2", value[name])}


def _without_null(value: Any, name: str) -> Any:
    """Return an object without a property if it is null, which the server accepts."""
    if not isinstance(value, dict) or value.get(name) is not None:
        return value
    return {key: each for key, each in value.items() if key != name}


def _missing(kind: str, body: Document, *, managed: bool) -> Iterator[str]:
    """Yield the errors about properties that the kind requires."""
    yield from _missing_properties(kind, body, managed=managed)
    yield from _missing_tables(kind, body)
    for at, column in _columns_of_views(body):
        yield from _column_errors(at, column)


def _missing_properties(kind: str, body: Document, *, managed: bool) -> Iterator[str]:
    for kinds, read in NEEDS.items():
        for name in property_names(Source, read):
            if kind in kinds and body.get(name) is None:
                yield f"{name}: Required"
    if body.get("timestampValueExpression") is None and not (managed and kind == SourceKind.SESSION):
        yield "timestampValueExpression: Required"


def _missing_tables(kind: str, body: Document) -> Iterator[str]:
    table = body.get("from")
    if isinstance(table, dict) and not isinstance(table.get("tableName"), str):
        yield "from.tableName: Required"
    elif isinstance(table, dict) and not table["tableName"] and kind != SourceKind.METRIC:
        yield "from.tableName: Table is required"
    tables = body.get("metricTables")
    if isinstance(tables, dict) and not any(tables.get(each) for each in METRIC_TABLES):
        yield "metricTables: At least one metric table must be specified"


def _columns_of_views(body: Document) -> Iterator[tuple[str, Document]]:
    """Yield the aggregated columns of the materialized views with their places; other checks report odd values."""
    for index, view in enumerate(_list(body.get("materializedViews"))):
        columns = view.get("aggregatedColumns") if isinstance(view, dict) else None
        for place, column in enumerate(_list(columns)):
            if isinstance(column, dict):
                yield f"materializedViews.{index}.aggregatedColumns.{place}", column


def _column_errors(at: str, column: Document) -> Iterator[str]:
    if column.get("aggFn") in _WITH_COLUMN and not column.get("sourceColumn"):
        yield f"{at}: Materialized View Source Column is required"


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


SERVED = ServedSources(Sources, body_of(Source), name="Source", kind="log", connection=CONNECTION)


def add_predefined(state: SandboxState, stack: str) -> None:
    """Add the predefined sources of an observability server."""
    if not state.settings.is_clickhouse:
        connection = state.ids.object_id()
        for kind, fields in _FIELDS.items():
            SERVED.add(state, stack, {"name": f"{kind.title()}s", "kind": kind, "connection": connection, **fields})
        return
    for id_, kind in ((LOGS, "log"), (TRACES, "trace"), (METRICS, "metric")):
        usual = {"name": f"{kind.title()}s", "kind": kind, "connection": CONNECTION, "querySettings": []}
        fields = _TRACE if kind == "trace" else _FIELDS[kind]
        SERVED.add_predefined(state, stack, {id_: {**usual, **_ADDED.get(kind, {}), **fields}})


_FIELDS: dict[str, dict[str, Any]] = {
    "log": {
        "from": {"databaseName": "default", "tableName": "otel_logs"},
        "timestampValueExpression": "Timestamp",
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
