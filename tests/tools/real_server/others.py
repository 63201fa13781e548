"""Connections, sources, webhooks, saved searches and the current user."""

from __future__ import annotations

from typing import Any

from .request import ABSENT, Request, Scenario, Values, each_alone, scenario, without
from .tiles import LINE, board, sql, tile
from .world import CONNECTION, LOGS, METRICS, SEARCH, SESSIONS, TRACES, WEBHOOK

PREFIX = "hyperdxSettingPrefix"
CONNECTIONS: dict[str, Any] = {
    "of everything": {**CONNECTION, PREFIX: "team_", "isPrometheusEndpoint": True},
    "without password": without(CONNECTION, "password"),
    "of an empty password": {**CONNECTION, "password": ""},
    "of a password of null": {**CONNECTION, "password": None},
    "without name": without(CONNECTION, "name"),
    "of an empty name": {**CONNECTION, "name": ""},
    "without host": without(CONNECTION, "host"),
    "of an empty host": {**CONNECTION, "host": ""},
    "of a host that is no address": {**CONNECTION, "host": "db"},
    "without user": without(CONNECTION, "username"),
    "of an empty user": {**CONNECTION, "username": ""},
    "of a prefix of null": {**CONNECTION, PREFIX: None},
    "of an empty prefix": {**CONNECTION, PREFIX: ""},
    "of a prefix with a blank": {**CONNECTION, PREFIX: "a b"},
    "of an endpoint of text": {**CONNECTION, "isPrometheusEndpoint": "yes"},
    "of a name that nobody knows": {**CONNECTION, "colour": "red", "id": ABSENT},
    "of a long name": {**CONNECTION, "name": "n" * 2000},
    "of nothing": {},
}
VIEW: Values = {
    "databaseName": "default",
    "tableName": "rollup",
    "dimensionColumns": "ServiceName",
    "minGranularity": "5m",
    "minDate": "2026-01-01T00:00:00Z",
    "timestampColumn": "Timestamp",
    "aggregatedColumns": [
        {"sourceColumn": "Duration", "aggFn": "sum", "mvColumn": "total"},
        {"aggFn": "count", "mvColumn": "n"},
    ],
}
ROLLUP: Values = {"keyRollupTable": "keys", "kvRollupTable": "values", "granularity": "15m"}
HIGHLIGHT: list[Values] = [{"sqlExpression": "a", "luceneExpression": "a", "alias": "b"}]
WHOLE_LOGS: Values = {
    **LOGS,
    "section": "Apps",
    "disabled": True,
    "querySettings": [{"setting": "max_threads", "value": "4"}],
    "serviceNameExpression": "ServiceName",
    "serviceVersionExpression": "Version",
    "severityTextExpression": "SeverityText",
    "bodyExpression": "Body",
    "eventAttributesExpression": "LogAttributes",
    "resourceAttributesExpression": "ResourceAttributes",
    "displayedTimestampValueExpression": "Timestamp",
    "metricSourceId": "<metrics.id>",
    "traceSourceId": "<traces.id>",
    "traceIdExpression": "TraceId",
    "spanIdExpression": "SpanId",
    "implicitColumnExpression": "Body",
    "knownColumnsListExpression": "a, b",
    "tableFilterExpression": "a = 1",
    "highlightedTraceAttributeExpressions": HIGHLIGHT,
    "highlightedRowAttributeExpressions": HIGHLIGHT,
    "materializedViews": [VIEW],
    "metadataMaterializedViews": ROLLUP,
    "orderByExpression": "Timestamp",
    "useTextIndexForImplicitColumn": "enabled",
}
SOURCES: dict[str, Any] = {
    "of logs with everything": WHOLE_LOGS,
    "of logs in the language of text": {**LOGS, "useTextIndexForImplicitColumn": True},
    "of logs without columns": without(LOGS, "defaultTableSelectExpression"),
    "of logs of empty columns": {**LOGS, "defaultTableSelectExpression": ""},
    "of logs without table": {**LOGS, "from": {"databaseName": "default"}},
    "of logs of an empty table": {**LOGS, "from": {"databaseName": "default", "tableName": ""}},
    "of logs without database": {**LOGS, "from": {"tableName": "a"}},
    "without from": without(LOGS, "from"),
    "without name": without(LOGS, "name"),
    "of an empty name": {**LOGS, "name": ""},
    "without kind": without(LOGS, "kind"),
    "of a kind": {**LOGS, "kind": "event"},
    "without connection": without(LOGS, "connection"),
    "of an absent connection": {**LOGS, "connection": ABSENT},
    "of a malformed connection": {**LOGS, "connection": "main"},
    "of an empty connection": {**LOGS, "connection": ""},
    "without time": without(LOGS, "timestampValueExpression"),
    "of an empty time": {**LOGS, "timestampValueExpression": ""},
    "of a long section": {**LOGS, "section": "s" * 257},
    "of eleven settings": {**LOGS, "querySettings": [{"setting": "a", "value": "b"}] * 11},
    "of an empty setting": {**LOGS, "querySettings": [{"setting": "", "value": ""}]},
    "of a view of a granularity": {**LOGS, "materializedViews": [{**VIEW, "minGranularity": "5 minutes"}]},
    "of a view of a long granularity": {**LOGS, "materializedViews": [{**VIEW, "minGranularity": "5 minute"}]},
    "of a view of no columns": {**LOGS, "materializedViews": [{**VIEW, "aggregatedColumns": []}]},
    "of a view of a sum of nothing": {
        **LOGS,
        "materializedViews": [{**VIEW, "aggregatedColumns": [{"aggFn": "sum", "mvColumn": "a"}]}],
    },
    "of a view of a date of null": {**LOGS, "materializedViews": [{**VIEW, "minDate": None}]},
    "of a view of a date": {**LOGS, "materializedViews": [{**VIEW, "minDate": "yesterday"}]},
    "of a rollup without table": {**LOGS, "metadataMaterializedViews": without(ROLLUP, "kvRollupTable")},
    "of a rollup of null": {**LOGS, "metadataMaterializedViews": {**ROLLUP, "keyRollupTable": None}},
    "of a highlight of nothing": {**LOGS, "highlightedRowAttributeExpressions": [{"sqlExpression": ""}]},
    "of a name that nobody knows": {**LOGS, "colour": "red", "id": ABSENT},
    "of logs with what traces have": {**LOGS, "durationExpression": "a"},
    "of a text of null": {**LOGS, "bodyExpression": None},
    "of traces with everything": {
        **TRACES,
        "durationPrecision": 9,
        "sampleRateExpression": "SampleRate",
        "logSourceId": "<logs.id>",
        "sessionSourceId": "<sessions.id>",
        "metricSourceId": "<metrics.id>",
        "statusCodeExpression": "StatusCode",
        "statusMessageExpression": "StatusMessage",
        "serviceNameExpression": "ServiceName",
        "serviceVersionExpression": "Version",
        "resourceAttributesExpression": "ResourceAttributes",
        "eventAttributesExpression": "SpanAttributes",
        "spanEventsValueExpression": "Events",
        "spanLinksValueExpression": "Links",
        "implicitColumnExpression": "SpanName",
        "materializedViews": [VIEW],
        "metadataMaterializedViews": ROLLUP,
        "useTextIndexForImplicitColumn": "disabled",
    },
    "of traces of logs of null": {**TRACES, "logSourceId": None},
    "of traces without duration": without(TRACES, "durationExpression"),
    "of traces of a precision": {**TRACES, "durationPrecision": 10},
    "of traces of half a precision": {**TRACES, "durationPrecision": 0.5},
    "of metrics with everything": {
        **METRICS,
        "metricTables": {"gauge": "a", "sum": "b", "histogram": "c", "summary": "d", "exponential histogram": "e"},
        "serviceNameExpression": "ServiceName",
        "logSourceId": "<logs.id>",
        "seriesTable": "series",
    },
    "of metrics of no tables": {**METRICS, "metricTables": {}},
    "of metrics without tables": without(METRICS, "metricTables"),
    "of metrics of another table": {**METRICS, "metricTables": {"counter": "a"}},
    "of metrics without attributes": without(METRICS, "resourceAttributesExpression"),
    "of sessions with everything": {**SESSIONS, "resourceAttributesExpression": "a"},
    "of sessions without traces": without(SESSIONS, "traceSourceId"),
    "of sessions of absent traces": {**SESSIONS, "traceSourceId": ABSENT},
    "of promql": {**without(LOGS, "defaultTableSelectExpression"), "kind": "promql", "name": "Prometheus"},
    "of promql with what logs have": {**LOGS, "kind": "promql", "name": "Prometheus"},
    "of nothing": {},
}
HOOK: Values = {**WEBHOOK, "name": "Hook"}
WEBHOOKS: dict[str, Any] = {
    "of everything": {
        **HOOK,
        "description": "On call",
        "headers": {"X-Token": "t"},
        "queryParams": {"a": "b"},
        "body": '{"a": "{{title}}"}',
    },
    "of slack": {**HOOK, "service": "slack", "url": "https://hooks.slack.com/services/T/B/x", "description": "d"},
    "of slack elsewhere": {**HOOK, "service": "slack"},
    "of slack with headers": {**HOOK, "service": "slack", "headers": {"a": "b"}},
    "of slack with a body": {**HOOK, "service": "slack", "body": "b"},
    "of incident.io": {**HOOK, "service": "incidentio", "body": "b", "headers": {"Authorization": "t"}},
    "of a service": {**HOOK, "service": "pager"},
    "without service": without(HOOK, "service"),
    "without name": without(HOOK, "name"),
    "of an empty name": {**HOOK, "name": ""},
    "of a blank name": {**HOOK, "name": "  "},
    "of a name with blanks": {**HOOK, "name": "  Hook  "},
    "of a name of 1025": {**HOOK, "name": "n" * 1025},
    "of a known name": WEBHOOK,
    "of a known name of another service": {**WEBHOOK, "service": "incidentio"},
    "without url": without(HOOK, "url"),
    "of a url that is none": {**HOOK, "url": "pager"},
    "of a url of another scheme": {**HOOK, "url": "ftp://example.com/"},
    "of plain http": {**HOOK, "url": "http://example.com/"},
    "of a url of this machine": {**HOOK, "url": "https://localhost/a"},
    "of a url of a private address": {**HOOK, "url": "https://10.0.0.1/a"},
    "of a url of loopback": {**HOOK, "url": "https://127.0.0.1/a"},
    "of a url of loopback in six": {**HOOK, "url": "https://[::1]/a"},
    "of a url of a public address": {**HOOK, "url": "https://8.8.8.8/a"},
    "of a url of a user": {**HOOK, "url": "https://user:secret@example.com/"},
    "of a long url": {**HOOK, "url": "https://example.com/" + "u" * 2048},
    "of a long description": {**HOOK, "description": "d" * 2049},
    "of an empty description": {**HOOK, "description": ""},
    "of a long body": {**HOOK, "body": "b" * (16 * 1024 + 1)},
    "of a header of an empty name": {**HOOK, "headers": {"": "a"}},
    "of a header with a blank": {**HOOK, "headers": {"a b": "c"}},
    "of a header that begins with a digit": {**HOOK, "headers": {"1a": "c"}},
    "of a header of two lines": {**HOOK, "headers": {"a": "b\nc"}},
    "of a header of a number": {**HOOK, "headers": {"a": 1}},
    "of a long header": {**HOOK, "headers": {"a": "b" * 4097}},
    "of many headers": {**HOOK, "headers": {f"a{number}": "b" for number in range(101)}},
    "of a parameter of an empty name": {**HOOK, "queryParams": {"": "a"}},
    "of a parameter of two lines": {**HOOK, "queryParams": {"a": "b\nc"}},
    "of many parameters": {**HOOK, "queryParams": {f"a{number}": "b" for number in range(101)}},
    "of headers of null": {**HOOK, "headers": None},
    "of no headers": {**HOOK, "headers": {}},
    "of a name that nobody knows": {**HOOK, "colour": "red", "id": ABSENT},
    "of nothing": {},
}
SEARCHES: dict[str, Any] = {
    "of everything": {
        **SEARCH,
        "select": "Timestamp, Body",
        "where": "a = 1",
        "whereLanguage": "sql",
        "orderBy": "Timestamp DESC",
        "tags": ["a", "b"],
        "filters": [{"type": "sql", "condition": "ServiceName IN ('a', 'b')"}, {"condition": "a BETWEEN 1 AND 2"}],
    },
    "of little": {"name": "a", "sourceId": "<logs.id>"},
    "without name": without(SEARCH, "name"),
    "of a blank name": {**SEARCH, "name": "  "},
    "of a name with blanks": {**SEARCH, "name": "  Errors  "},
    "of a name of 1025": {**SEARCH, "name": "n" * 1025},
    "without source": without(SEARCH, "sourceId"),
    "of an absent source": {**SEARCH, "sourceId": ABSENT},
    "of a malformed source": {**SEARCH, "sourceId": "logs"},
    "of long columns": {**SEARCH, "select": "s" * 4097},
    "of a long condition": {**SEARCH, "where": "w" * 8193},
    "of a long order": {**SEARCH, "orderBy": "o" * 1025},
    "of a language": {**SEARCH, "whereLanguage": "cql"},
    "of promql": {**SEARCH, "whereLanguage": "promql"},
    "of a condition of null": {**SEARCH, "where": None},
    "of 51 tags": {**SEARCH, "tags": [f"t{number}" for number in range(51)]},
    "of a long tag": {**SEARCH, "tags": ["t" * 33]},
    "of a tag twice": {**SEARCH, "tags": ["b", "a", "b"]},
    "of tags of null": {**SEARCH, "tags": None},
    "of a filter in lucene": {**SEARCH, "filters": [{"type": "lucene", "condition": "a:1"}]},
    "of a filter of parts": {**SEARCH, "filters": [{"type": "sql_ast", "operator": "=", "left": "a", "right": "'b'"}]},
    "of a filter of an operator": {
        **SEARCH,
        "filters": [{"type": "sql_ast", "operator": "~", "left": "a", "right": "b"}],
    },
    "of a filter of other SQL": {**SEARCH, "filters": [{"condition": "a LIKE '%b%'"}]},
    "of a filter of an empty condition": {**SEARCH, "filters": [{"condition": ""}]},
    "of a filter that is not in": {**SEARCH, "filters": [{"condition": "a NOT IN ('b')"}]},
    "of a filter of a type": {**SEARCH, "filters": [{"type": "regex", "condition": "a"}]},
    "of a filter without condition": {**SEARCH, "filters": [{"type": "sql"}]},
    "of 100 filters": {**SEARCH, "filters": [{"condition": "a IN ('b')"}] * 100},
    "of 101 filters": {**SEARCH, "filters": [{"condition": "a IN ('b')"}] * 101},
    "of a name that nobody knows": {**SEARCH, "colour": "red", "id": ABSENT},
    "of nothing": {},
}


def life(collection: str, first: Values, changes: dict[str, Any], *, single: bool = True) -> Scenario:
    """Return a scenario with the create, the updates and the delete of an object."""
    steps: list[tuple[Any, ...]] = [("create", "POST", collection, first, "made")]
    for name, body in changes.items():
        steps.append((name, "PUT", f"{collection}/<made.id>", body))
        if single:
            steps.append((f"read after {name}", "GET", f"{collection}/<made.id>"))
    listed = [("list", "GET", collection), ("delete", "DELETE", f"{collection}/<made.id>")]
    gone = [
        ("read after deletion", "GET", f"{collection}/<made.id>"),
        ("update after deletion", "PUT", f"{collection}/<made.id>", first),
        ("delete again", "DELETE", f"{collection}/<made.id>"),
    ]
    return scenario(f"life of {collection}", *steps, *listed, *gone)


def ids(collection: str, body: Values) -> Scenario:
    """Return a scenario of unknown ids."""
    return scenario(
        f"ids of {collection}",
        *(
            (f"{method} of {name}", method, f"{collection}/{id_}", None if method != "PUT" else body)
            for method in ("GET", "PUT", "DELETE")
            for name, id_ in (
                ("a malformed id", "nonsense"),
                ("an absent id", ABSENT),
                ("twelve letters", "twelve_chars"),
            )
        ),
        ("a method", "PATCH", f"{collection}/{ABSENT}", body),
        ("an empty body", "PUT", f"{collection}/{ABSENT}", {}),
        Request("nobody's token", "GET", collection, token=False),
    )


def paged(collection: str) -> Scenario:
    """Return a scenario of pages."""
    return scenario(
        f"pages of {collection}",
        ("one", "GET", f"{collection}?limit=1"),
        ("the second", "GET", f"{collection}?limit=1&offset=1"),
        ("after the last", "GET", f"{collection}?offset=9"),
        ("more than the most", "GET", f"{collection}?limit=1001"),
        ("none", "GET", f"{collection}?limit=0"),
        ("a limit of text", "GET", f"{collection}?limit=all"),
    )


WHOLE_CONNECTION: Values = {**CONNECTION, "name": "New", PREFIX: "team_", "isPrometheusEndpoint": True}
WHOLE_HOOK: Values = {
    **HOOK,
    "description": "On call",
    "headers": {"X-Token": "t"},
    "queryParams": {"a": "b"},
    "body": "b",
}
WHOLE_SEARCH: Values = SEARCHES["of everything"]
USED: tuple[Scenario, ...] = (
    scenario(
        "what is used and goes",
        ("connection", "POST", "connections", {**CONNECTION, "name": "Used"}, "db"),
        ("source", "POST", "sources", {**LOGS, "connection": "<db.id>"}, "source"),
        ("search", "POST", "saved-searches", {"name": "a", "sourceId": "<source.id>"}, "saved"),
        (
            "dashboard",
            "POST",
            "dashboards",
            board(tile({**LINE, "sourceId": "<source.id>"}), tile(sql("line", connectionId="<db.id>"))),
            "used",
        ),
        ("delete the connection", "DELETE", "connections/<db.id>"),
        ("read the source", "GET", "sources/<source.id>"),
        ("update the source", "PUT", "sources/<source.id>", {**LOGS, "connection": "<db.id>"}),
        ("update the dashboard", "PUT", "dashboards/<used.id>", "<used>"),
        ("delete the source", "DELETE", "sources/<source.id>"),
        ("read the dashboard", "GET", "dashboards/<used.id>"),
        ("update the dashboard again", "PUT", "dashboards/<used.id>", "<used>"),
        ("read the search", "GET", "saved-searches/<saved.id>"),
        ("update the search", "PUT", "saved-searches/<saved.id>", {"name": "b", "sourceId": "<source.id>"}),
    ),
)
WHO: tuple[Scenario, ...] = (
    scenario(
        "who asks",
        Request("team", "GET", "team", form_only=True),
        Request("members", "GET", "team/members", form_only=True),
        Request("nobody's team", "GET", "team", token=False),
        Request("nobody", "GET", "", token=False),
        Request("another route", "GET", "nothing"),
        Request("nobody's other route", "GET", "nothing", token=False),
    ),
)

OTHERS: tuple[Scenario, ...] = (
    *each_alone("a connection", "POST", "connections", CONNECTIONS),
    life(
        "connections",
        WHOLE_CONNECTION,
        {
            "all left out": without(CONNECTION, "password"),
            "an empty prefix": {**CONNECTION, PREFIX: ""},
            "a prefix": {**CONNECTION, PREFIX: "x"},
            "a prefix of null": {**CONNECTION, PREFIX: None},
            "no endpoint": {**CONNECTION, "isPrometheusEndpoint": False},
            "no host": without(CONNECTION, "host"),
        },
    ),
    ids("connections", CONNECTION),
    *each_alone("a source", "POST", "sources", SOURCES),
    life(
        "sources",
        WHOLE_LOGS,
        {
            "all left out": LOGS,
            "everything": WHOLE_LOGS,
            "another connection": {**LOGS, "connection": "<other_connection.id>"},
            "another kind": TRACES,
            "and back": {**LOGS, "name": "Back"},
            "an absent connection": {**LOGS, "connection": ABSENT},
            "no name": without(LOGS, "name"),
        },
    ),
    ids("sources", LOGS),
    *each_alone("a webhook", "POST", "webhooks", WEBHOOKS),
    life(
        "webhooks",
        WHOLE_HOOK,
        {
            "all left out": HOOK,
            "everything": WHOLE_HOOK,
            "another url": {**HOOK, "url": "https://example.com/other"},
            "another service": {**HOOK, "service": "incidentio"},
            "a known name": {**WEBHOOK},
            "no url": without(HOOK, "url"),
            "no headers": {**HOOK, "headers": {}},
        },
        single=False,
    ),
    ids("webhooks", HOOK),
    scenario(
        "an absent webhook",
        ("a known name", "PUT", f"webhooks/{ABSENT}", WEBHOOK),
        ("a private address", "PUT", f"webhooks/{ABSENT}", {**HOOK, "url": "https://10.0.0.1/"}),
    ),
    paged("webhooks"),
    *each_alone("a search", "POST", "saved-searches", SEARCHES),
    life(
        "saved-searches",
        WHOLE_SEARCH,
        {
            "all left out": SEARCH,
            "everything": WHOLE_SEARCH,
            "other filters": {**SEARCH, "filters": [{"condition": "a LIKE 'b'"}]},
            "an absent source": {**SEARCH, "sourceId": ABSENT},
            "another source": {**SEARCH, "sourceId": "<traces.id>"},
        },
    ),
    ids("saved-searches", SEARCH),
    paged("saved-searches"),
    *USED,
    *WHO,
)
