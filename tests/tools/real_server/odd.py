"""Rare requests: odd texts, all kinds of filters, addresses, paths, and the team."""

from __future__ import annotations

from typing import Any

from .request import ABSENT, Request, each_alone, scenario
from .world import BOARD, LOGS, METRICS, SEARCH, SESSIONS, TRACES, WEBHOOK

SOURCES: dict[str, Any] = {
    "of spans with every property of the page": {
        **TRACES,
        "displayedTimestampValueExpression": "Timestamp",
        "orderByExpression": "Timestamp",
        "sampleRateExpression": "SampleRate",
        "spanLinksValueExpression": "Links",
    },
    "of logs with every property of the page": {
        **LOGS,
        "tableFilterExpression": "a = 1",
        "orderByExpression": "Timestamp",
        "displayedTimestampValueExpression": "Timestamp",
    },
    "of metrics with every property of the page": {**METRICS, "serviceNameExpression": "Service", "seriesTable": "all"},
    "of sessions with every property of the page": {**SESSIONS, "resourceAttributesExpression": "Attributes"},
    "of a view that is text": {**LOGS, "materializedViews": ["x"]},
    "of a view with a column that is text": {**LOGS, "materializedViews": [{"aggregatedColumns": ["x"]}]},
    "of a view of a kind of sum": {
        **LOGS,
        "materializedViews": [
            {
                "databaseName": "a",
                "tableName": "b",
                "dimensionColumns": "c",
                "minGranularity": "5m",
                "timestampColumn": "t",
                "aggregatedColumns": [{"aggFn": "line", "mvColumn": "a"}, {"aggFn": "histogram", "mvColumn": "a"}],
            }
        ],
    },
    "of a table of series that is a list": {**METRICS, "seriesTable": ["a"]},
    "of a table of unknown metrics": {**METRICS, "metricTables": {"gauge": "a", "other": ["b"]}},
    "of a NUL": {**LOGS, "name": "a\0b", "bodyExpression": "\0"},
    "of a blank name": {**LOGS, "name": " "},
    "of a section of 256 units": {**LOGS, "section": "\U0001f600" * 128},
    "of a section of 258 units": {**LOGS, "section": "\U0001f600" * 129},
}

CONDITIONS = (
    *("Attrs['k'] IN ('v')", "JSONExtractString(a,'b') IN ('c')", "a IN (1, 2)", "a BETWEEN 1.5 AND 2e3"),
    *(" a IN ('b') ", "a IN ('b'); x", "a IN ('b') -- x", "a  IN ('b')", "a IN 'b'", "a IN b", "a IN (true)"),
    *("a not in ('b')", "NOT a IN ('b')", "a IN ('b') AND c IN ('d')", "a IN ('b') OR c", "a = 'b'"),
    *("a IN ()", "a IN (,)", "a IN", "IN ('b')", " ", "a IN ('b AND c')", "a IN ('it''s')", "a IN ('it\\'s')"),
    *("a BETWEEN 1 AND 2", "a BETWEEN 0x10 AND 0b11", "a BETWEEN '1' AND '2'", "a BETWEEN 1 AND 2 AND 3"),
    *("a NOT BETWEEN 1 AND 2", "a BETWEEN -1 AND +1", "a BETWEEN 1 AND Infinity", "a BETWEEN 1\nAND 2"),
    *("if(a = 'b' OR c, 1, 2) IN ('d')", "(a = 1) IN (true)", "a.b.c IN ('d')", "`a b` IN ('c')", "a LIKE 'b%'"),
    *("toDate(a) IN (toDate('2024-01-01'))", "a IN ('b') AND true", "a > 1", "a IN ('b', )", "a IN ('b'"),
    "a\0 IN ('b')",
)

FILTERS: dict[str, Any] = {
    **{f"of {each!r}": {**SEARCH, "filters": [{"condition": each}]} for each in CONDITIONS},
    "with what nobody knows": {**SEARCH, "filters": [{"condition": "a IN ('b')", "color": "red"}]},
    "in lucene": {**SEARCH, "filters": [{"type": "lucene", "condition": "a:b"}]},
    "in a tree": {**SEARCH, "filters": [{"type": "sql_ast", "operator": "=", "left": "a", "right": "b"}]},
    "of a long condition": {**SEARCH, "filters": [{"condition": "\U0001f600" * 4096 + " IN ('b')"}]},
}

ADDRESSES = (
    *("http://2130706433/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/", "http://017700000001/"),
    *("http://1/", "https://e.com:99999/", "https://e.com:65535/", "https://e.com:/", "https://e.com:a/"),
    *("https://256.1.1.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[fc00::1]/"),
    *("https://[2606:4700::1111]/", "https://[x]/", "https://10.1.2.3/", "https://172.20.0.1/"),
    *("https://192.168.0.1/", "https://169.254.169.254/", "https://100.64.0.1/", "https://198.18.0.1/"),
    *("https://203.0.113.9/", "https://224.0.0.1/", "https://255.255.255.255/", "https://8.8.8.8/"),
    *("http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://localhost.example.com/"),
    *("http://10.0.0/", "https://e.com.", "https://e com/", "https://e%20com/", "https://%65.com/", "https://"),
    *("https:e.com", "https:///e.com", "ftp://e.com/", "mailto:a@e.com", "//e.com/", "e.com", " https://e.com/ "),
    *("https://a:b@e.com/", "HTTPS://E.COM/"),
)

WEBHOOKS: dict[str, Any] = {
    **{f"to {each!r}": {**WEBHOOK, "name": "Odd", "url": each} for each in ADDRESSES},
    "with a long header": {**WEBHOOK, "name": "Odd", "headers": {"a": "\U0001f600" * 2049}},
    "of slack with a dot": {"name": "Odd", "service": "slack", "url": "https://hooks.slack.com./services/1"},
    "of slack at a private address": {"name": "Odd", "service": "slack", "url": "http://127.0.0.1/"},
}

TILE: dict[str, Any] = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
MARKDOWN: dict[str, Any] = {"displayType": "markdown", "markdown": "a"}
NUMBER: dict[str, Any] = {"type": "number", "sourceId": "<logs.id>", "aggFn": "count", "where": ""}
FORMAT: dict[str, Any] = {"output": "percent"}


def _board(**changed: Any) -> dict[str, Any]:
    return {"name": "Odd", "tiles": [{**TILE, "config": MARKDOWN}], **changed}


def _tile(**changed: Any) -> dict[str, Any]:
    return _board(tiles=[{**TILE, "config": MARKDOWN, **changed}])


_FILTER: dict[str, Any] = {"type": "QUERY_EXPRESSION", "name": "a", "expression": "b", "sourceId": "<logs.id>"}

BOARDS: dict[str, Any] = {
    "with a NUL": _board(name="a\0b", tags=["\0"]),
    "with a name of 1024 units": _board(name="\U0001f600" * 512),
    "with a name of 1026 units": _board(name="\U0001f600" * 513),
    "with a tag of 34 units": _board(tags=["\U0001f600" * 17]),
    "with a nameless tile": _tile(name=""),
    "with two nameless tiles": _board(tiles=[{**TILE, "name": "", "config": MARKDOWN}] * 2),
    "with a tile beyond the grid": _tile(x=23, w=24),
    "with tiles that overlap": _board(tiles=[{**TILE, "config": MARKDOWN}, {**TILE, "x": 3, "config": MARKDOWN}]),
    "with a tile at fractions": _tile(x=0.5, y=1.25, w=1.5, h=2.75),
    "with a variable for no sources": _board(
        filters=[{**_FILTER, "isBroadcastEnabled": False, "isVariableEnabled": True, "appliesToSourceIds": []}]
    ),
    "with a filter on two sources": _board(filters=[_FILTER, {**_FILTER, "sourceId": "<traces.id>"}]),
    "with a number of the first format": {
        "name": "Odd",
        "tiles": [{**TILE, "series": [NUMBER, {**NUMBER, "numberFormat": FORMAT}]}],
    },
    **{
        f"with a formula {formula!r} of a {kind}": _tile(
            config={
                "displayType": kind,
                "sourceId": "<logs.id>",
                "select": [{"aggFn": "count"}],
                "formulas": [{"expression": formula}],
            }
        )
        for kind in ("pie", "bar")
        for formula in ("A / B", "A * 2", "sum(A)", "")
    },
    "with a value in promql": _tile(
        config={
            "displayType": "line",
            "sourceId": "<logs.id>",
            "select": [{"aggFn": "count", "where": "a", "whereLanguage": "promql"}],
        }
    ),
    "with a search in promql": _tile(
        config={"displayType": "search", "sourceId": "<logs.id>", "select": "", "where": "a", "whereLanguage": "promql"}
    ),
    "with a series in promql": _board(tiles=[{**TILE, "series": [{**NUMBER, "whereLanguage": "promql"}]}]),
}

ALERT: dict[str, Any] = {
    "source": "tile",
    "dashboardId": "<board.id>",
    "tileId": "<board.tiles.0.id>",
    "threshold": 1,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": "<webhook.id>"},
}
ALERTS: dict[str, Any] = {
    "of a blank name": {**ALERT, "name": " "},
    "of a blank message": {**ALERT, "message": "\n"},
    "of a name of 514 units": {**ALERT, "name": "\U0001f600" * 257},
    "of empty groups": {
        "source": "saved_search",
        "savedSearchId": "<search.id>",
        "groupBy": "",
        **{name: ALERT[name] for name in ("threshold", "thresholdType", "interval", "channel")},
    },
}

CONNECTIONS: dict[str, Any] = {
    "of empty texts": {"name": "", "host": "", "username": ""},
    "of blank texts": {"name": " ", "host": " ", "username": " "},
}

QUERIES = (
    *("0x10", "0b1", "1e1", "%201", "", "0", "1.5", "-1", "a", "1&limit=2", "1_0", "Infinity"),
    *("1&offset=0o1", "+1"),
)
PATHS = {
    "with a slash": "alerts/",
    "in capitals": "ALERTS",
    "in capitals with an id": f"Alerts/{ABSENT.upper()}",
    "with a quoted slash": "dashboards/..%2falerts",
    "with a dot": "dashboards/.%2e/alerts",
    "of twelve letters": "alerts/abcdefghijkl",
    "of twelve bytes": "alerts/ééabcdefgh",
    "of twelve characters": "alerts/éaaaabcdefgh",
    "of nothing known": "nothing",
}


def _raw_sql(sql: str) -> dict[str, Any]:
    config = {"displayType": "line", "configType": "sql", "connectionId": "<connection.id>", "sqlTemplate": sql}
    return {"name": "Raw", "tiles": [{**TILE, "config": config}]}


SQL = {
    "a macro in a comment": "SELECT 1 -- $__timeInterval(t)",
    "a macro in a long comment": "SELECT 1 /* $__timeInterval(t) */",
    "a parameter in a comment": "SELECT 1 -- {intervalSeconds:Int64}",
    "a macro after quotes": "SELECT '--', $__timeInterval(t)",
    "a macro": "SELECT $__timeInterval(t)",
    "milliseconds": "SELECT {intervalMilliseconds:Int64}",
}

INVITED: dict[str, Any] = {"of nobody": {}, "of no address": {"email": "b"}, "of oneself in capitals": {"email": 5}}

ODD = (
    *each_alone("an odd source", "POST", "sources", SOURCES),
    *each_alone("a pinned filter", "POST", "saved-searches", FILTERS),
    *each_alone("a webhook", "POST", "webhooks", WEBHOOKS),
    *each_alone("an odd dashboard", "POST", "dashboards", BOARDS),
    *each_alone("an odd alert", "POST", "alerts", ALERTS),
    *each_alone("an odd connection", "POST", "connections", CONNECTIONS),
    *each_alone("an invitation", "POST", "team/invitation", INVITED),
    *(scenario("a page", (f"of limit={each}", "GET", f"saved-searches?limit={each}")) for each in QUERIES),
    *(
        scenario("a page", (f"of {each}", "GET", f"saved-searches?{each}"))
        for each in ("limit[]=1", "limit[0]=1", "limit[21]=1", "limit[a]=1", "limit[]=1&limit[]=2", "limit[][]=1")
    ),
    *(scenario("a path", (what, "GET", path)) for what, path in PATHS.items()),
    scenario("a path", ("of options", "OPTIONS", "alerts"), ("of options of nothing", "OPTIONS", "nothing")),
    scenario(
        "who asks",
        Request("with a slash", "GET", "", form_only=True),
        Request("the team", "GET", "team", form_only=True),
        Request("the members", "GET", "team/members", form_only=True),
        Request("nobody to remove", "DELETE", f"team/member/{ABSENT}"),
        Request("a malformed member", "DELETE", "team/member/abc"),
    ),
    scenario(
        "a guest",
        Request(
            "invited", "POST", "team/invitation", {"email": "Guest@example.com", "name": "G"}, "guest", form_only=True
        ),
        Request("invited again", "POST", "team/invitation", {"email": "guest@example.com"}, form_only=True),
        Request("listed", "GET", "team/invitations", form_only=True),
        Request("uninvited", "DELETE", "team/invitation/<guest.invitationId>"),
        Request("uninvited again", "DELETE", "team/invitation/<guest.invitationId>"),
        Request("a malformed one", "DELETE", "team/invitation/abc"),
        Request("nobody", "GET", "team/invitations"),
    ),
    *(
        scenario(
            "raw SQL",
            (f"with {what}", "POST", "dashboards", _raw_sql(sql), "raw"),
            (
                f"with {what}, watched",
                "POST",
                "alerts",
                {**ALERT, "dashboardId": "<raw.id>", "tileId": "<raw.tiles.0.id>"},
            ),
        )
        for what, sql in SQL.items()
    ),
    scenario(
        "a dashboard with filter values of the page",
        ("made", "POST", "dashboards", {**BOARD, "savedFilterValues": [{"condition": "a IN ('b')"}]}, "made"),
        (
            "put back",
            "PUT",
            "dashboards/<made.id>",
            {
                "name": "a",
                "tiles": [],
                "savedFilterValues": [{"type": "sql_ast", "operator": "=", "left": "a", "right": "b"}],
            },
        ),
        ("left out", "PUT", "dashboards/<made.id>", {"name": "a", "tiles": []}),
    ),
    *(
        scenario("a validation", (what, "POST", "dashboards/validate", body))
        for what, body in {
            "of nothing": {},
            "of wrong types": {"name": 5, "tiles": "a", "tags": [1], "filters": {}},
            "of wrong tiles": {"name": "a", "tiles": [{"x": 25, "config": {"displayType": "line"}}, 5, {}]},
            "of a wrong kind": _tile(config={"displayType": "graph"}),
            "of everything wrong": {**_board(), "savedQuery": "a", "savedQueryLanguage": None, "containers": [{}]},
            "of a good one": _board(),
        }.items()
    ),
)
