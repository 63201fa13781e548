"""Rows of data sources: the properties of each kind."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.check.wording import TAKE_ID
from support.ids import LOGS, METRICS, TRACES
from support.rows import Row, Usual, Values
from things.sources.life import BEFORE

SERVICE = "11111111-2222-4333-8444-555555555555"
LOG: dict[str, Any] = BEFORE
TRACE: dict[str, Any] = {
    **{name: LOG[name] for name in ("name", "connection", "from", "timestampValueExpression")},
    "kind": "trace",
    "defaultTableSelectExpression": "Start",
    "durationExpression": "Duration",
    "durationPrecision": 9,
    "traceIdExpression": "TraceId",
    "spanIdExpression": "SpanId",
    "parentSpanIdExpression": "ParentSpanId",
    "spanNameExpression": "SpanName",
    "spanKindExpression": "SpanKind",
}
METRIC: dict[str, Any] = {
    **{name: LOG[name] for name in ("name", "connection", "timestampValueExpression")},
    "kind": "metric",
    "from": {"databaseName": "shop"},
    "metricTables": {"gauge": "gauges", "exponential histogram": "histograms"},
    "resourceAttributesExpression": "ResourceAttributes",
}
SESSION: dict[str, Any] = {
    **{name: LOG[name] for name in ("name", "connection", "from", "timestampValueExpression")},
    "kind": "session",
    "traceSourceId": TRACES,
}
PROMQL: dict[str, Any] = {
    **{name: LOG[name] for name in ("name", "connection", "from", "timestampValueExpression")},
    "kind": "promql",
}
NETFLOW: dict[str, Any] = {
    **PROMQL,
    "kind": "netflow",
    "defaultTableSelectExpression": "TimeReceived, Bytes",
    **{f"{name}Expression": name for name in ("bytes", "packets", "srcAddr", "dstAddr", "srcPort", "dstPort")},
    "protocolExpression": "Proto",
}
SOURCE = Usual("Source", {})
SOURCE_LINKS = Usual("SourceLinks", {"sourceId": TRACES})

VIEW = {
    "databaseName": "d",
    "tableName": "t",
    "dimensionColumns": "a, b",
    "minGranularity": "15m",
    "timestampColumn": "ts",
    "aggregatedColumns": [{"aggFn": "count", "mvColumn": "c"}],
}
FILTERS = {
    "databaseName": "d",
    "tableName": "t",
    "columns": [{"name": "a", "label": "A"}, {"name": "b", "label": "B", "valueExpression": "f(b)", "allowAll": True}],
}
ROLLUP = {"kvRollupTable": "kv", "granularity": "1h"}
ATTRIBUTE = {"sqlExpression": "a", "luceneExpression": "a", "alias": "A"}
SPANS_ONLY = {
    "sampleRateExpression": "Rate",
    "spanLinksValueExpression": "Links",
    "durationExpression": "Duration",
    "durationPrecision": 9,
    "parentSpanIdExpression": "ParentSpanId",
    "spanNameExpression": "SpanName",
    "spanKindExpression": "SpanKind",
    "sessionSourceId": TRACES,
    "statusCodeExpression": "StatusCode",
    "statusMessageExpression": "StatusMessage",
    "spanEventsValueExpression": "Events",
}
EVENTS_ONLY = {
    "orderByExpression": "Start",
    "eventAttributesExpression": "Attributes",
    "metricSourceId": METRICS,
    "traceIdExpression": "TraceId",
    "knownColumnsListExpression": "Body",
    "useTextIndexForImplicitColumn": "auto",
    "highlightedTraceAttributeExpressions": [ATTRIBUTE],
    "highlightedRowAttributeExpressions": [ATTRIBUTE],
    "materializedViews": [VIEW],
    "metadataMaterializedViews": ROLLUP,
}
FLOWS_ONLY = {name: value for name, value in NETFLOW.items() if name not in TRACE} | {
    "exporterExpression": "Exporter",
    "inIfExpression": "InIf",
    "outIfExpression": "OutIf",
}
OF_KINDS: tuple[tuple[str, Values, Values], ...] = (
    ("kind log only", SESSION, {"severityTextExpression": "Severity"}),
    ("kind trace only", LOG, SPANS_ONLY),
    ("kind metric only", LOG, {"metricTables": {"gauge": "gauges"}, "seriesTable": "all"}),
    ("kind netflow only", TRACE, FLOWS_ONLY),
    (
        "kinds log, trace and netflow only",
        METRIC,
        {"defaultTableSelectExpression": "a", "implicitColumnExpression": "a"},
    ),
    ("kinds log and trace only", METRIC, EVENTS_ONLY),
    ("kinds log and trace only", {**SESSION, "serviceId": SERVICE}, {"filterSettings": FILTERS}),
    ("kinds log and session only", METRIC, {"traceSourceId": TRACES}),
    ("kinds trace and metric only", LOG, {"logSourceId": LOGS}),
)
"""The kinds that have properties, a source of another kind, and the properties."""
NEEDED: tuple[tuple[str, Values, tuple[str, ...]], ...] = (
    ("kinds log, trace and netflow", LOG, ("defaultTableSelectExpression",)),
    ("kind netflow", NETFLOW, tuple(name for name in NETFLOW if name.endswith("Expression") and name not in LOG)),
    (
        "kind trace",
        TRACE,
        ("durationExpression", "traceIdExpression", "spanIdExpression", "parentSpanIdExpression", "spanNameExpression"),
    ),
    ("kind metric", METRIC, ("resourceAttributesExpression",)),
    ("kind session", SESSION, ("traceSourceId",)),
)
"""The kinds that require properties, a source, and the properties."""
SELF_HOSTED: tuple[tuple[Values, str], ...] = (
    (LOG, "tableFilterExpression"),
    (LOG, "orderByExpression"),
    (TRACE, "sampleRateExpression"),
    (TRACE, "spanLinksValueExpression"),
)
CASES: list[Row] = [
    *(
        SOURCE.rule(other, {**other, name: value}, f"{name} is for {words}, not {other['kind']}")
        for words, other, properties in OF_KINDS
        for name, value in properties.items()
    ),
    *(
        SOURCE.rule(whole, {**whole, name: None}, f"{name} is required for {words}")
        for words, whole, names in NEEDED
        for name in names
    ),
    *(
        SOURCE.rule(
            {**source, name: "Start"},
            {**source, name: "Start", "serviceId": SERVICE},
            f"{name} is for self-hosted servers only",
        )
        for source, name in SELF_HOSTED
    ),
    SOURCE_LINKS.rule({"logSourceId": LOGS}, {}, "sourceId needs one of logSourceId, metricSourceId, sessionSourceId"),
    SOURCE.rule(
        LOG, {**LOG, "kind": "spans"}, "kind must be one of log, trace, metric, session, promql, netflow, not 'spans'"
    ),
    SOURCE.rule(
        LOG, {**LOG, "connection": "c1"}, "connection must be an id of 24 hexadecimal digits, not 'c1'" + TAKE_ID
    ),
    SOURCE.rule(METRIC, {**LOG, "from": {"databaseName": "d"}}, "from needs a tableName, except for kind metric"),
    SOURCE.rule(
        {
            **{name: value for name, value in SESSION.items() if name[0] != "t"},
            "serviceId": SERVICE,
            "traceSourceId": TRACES,
        },
        {name: value for name, value in SESSION.items() if name != "timestampValueExpression"},
        "timestampValueExpression is required, except for kind session in the managed form",
    ),
    SOURCE.rule(TRACE, {**TRACE, "bodyExpression": "b"}, "bodyExpression is for kind log only, not trace"),
    SOURCE.rule(
        {**TRACE, "spanIdExpression": "s"},
        {**METRIC, "spanIdExpression": "s"},
        "spanIdExpression is for kinds log and trace only, not metric",
    ),
    SOURCE.rule(
        {**METRIC, "serviceNameExpression": "s"},
        {**SESSION, "serviceNameExpression": "s"},
        "serviceNameExpression is for kinds log, trace and metric only, not session",
    ),
    SOURCE.rule(
        {**TRACE, "displayedTimestampValueExpression": "t"},
        {**SESSION, "displayedTimestampValueExpression": "t"},
        "displayedTimestampValueExpression is for kinds log and trace only, not session",
    ),
    SOURCE.rule(
        {**SESSION, "resourceAttributesExpression": "r"},
        {**PROMQL, "resourceAttributesExpression": "r"},
        "resourceAttributesExpression is for kinds log, trace, metric and session only, not promql",
    ),
    SOURCE.rule(
        {**LOG, "tableFilterExpression": "a = 1", "orderByExpression": "Start"},
        {**TRACE, "tableFilterExpression": "a = 1"},
        "tableFilterExpression is for kind log only, not trace",
    ),
    SOURCE.rule(
        {**TRACE, "spanLinksValueExpression": "Links", "sampleRateExpression": "Rate", "orderByExpression": "Start"},
        {**LOG, "sampleRateExpression": "Rate"},
        "sampleRateExpression is for kind trace only, not log",
    ),
    SOURCE.rule(
        {**METRIC, "seriesTable": "all"},
        {**METRIC, "seriesTable": "all", "serviceId": SERVICE},
        "seriesTable is for self-hosted servers only",
    ),
    SOURCE.rule(
        TRACE,
        {name: value for name, value in TRACE.items() if name != "spanKindExpression"},
        "spanKindExpression is required for kind trace",
    ),
    SOURCE.rule(METRIC, {**METRIC, "metricTables": {}}, "metricTables is required for kind metric"),
    SOURCE.rule(METRIC, {**METRIC, "metricTables": {"gauge": ""}}, "metricTables must name at least one table"),
    SOURCE.rule(
        METRIC,
        {**METRIC, "metricTables": {"guage": "t"}},
        "metricTables accepts only tables of gauge, sum, histogram, summary, exponential histogram, not 'guage'",
    ),
    SOURCE.rule(
        {**LOG, "serviceVersionExpression": "v", "serviceId": SERVICE},
        {**METRIC, "serviceVersionExpression": "v"},
        "serviceVersionExpression is for kinds log and trace only, not metric",
    ),
    SOURCE.rule(
        NETFLOW,
        {name: value for name, value in NETFLOW.items() if name != "srcAddrExpression"},
        "srcAddrExpression is required for kind netflow",
    ),
    SOURCE.rule(NETFLOW, {**NETFLOW, "serviceId": SERVICE}, "kind must not be netflow in the managed form"),
    SOURCE.rule(
        {**NETFLOW, "samplingRateExpression": "Rate", "implicitColumnExpression": "Text"},
        {**LOG, "samplingRateExpression": "Rate"},
        "samplingRateExpression is for kind netflow only, not log",
    ),
    SOURCE.rule(
        {**LOG, "filterSettings": FILTERS, "serviceId": SERVICE},
        {**LOG, "filterSettings": FILTERS},
        "filterSettings is for the managed form only",
    ),
    SOURCE.rule(
        {**LOG, "querySettings": [{"setting": "a", "value": "1"}] * 10},
        {**LOG, "querySettings": [{"setting": "a", "value": "1"}] * 11},
        "querySettings must have at most 10 elements",
    ),
    SOURCE.rule({**LOG, "section": "s" * 256}, {**LOG, "section": "s" * 257}, "section must have at most 256"),
    SOURCE.rule(
        {**TRACE, "durationPrecision": 9}, {**TRACE, "durationPrecision": 10}, "durationPrecision must be at most 9"
    ),
    SOURCE.rule(
        {**LOG, "materializedViews": [VIEW]},
        {**LOG, "materializedViews": [{**VIEW, "minGranularity": "15 minutes"}]},
        "materializedViews[0].minGranularity must be a whole number with a unit",
    ),
    SOURCE.rule(
        {**LOG, "materializedViews": []},
        {**LOG, "materializedViews": [{**VIEW, "aggregatedColumns": []}]},
        "materializedViews[0].aggregatedColumns must have at least 1 element(s)",
    ),
    SOURCE.rule(
        {**LOG, "materializedViews": [VIEW]},
        {**LOG, "materializedViews": [{**VIEW, "aggregatedColumns": [{"aggFn": "sum", "mvColumn": "s"}]}]},
        "materializedViews[0].aggregatedColumns[0].sourceColumn is required for every aggFn except count",
    ),
    SOURCE.rule(
        {**LOG, "metadataMaterializedViews": ROLLUP},
        {**LOG, "metadataMaterializedViews": {"granularity": "1h"}},
        "metadataMaterializedViews.kvRollupTable is required",
    ),
]
