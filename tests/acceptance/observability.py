"""The objects of a self-hosted observability server, each with all properties, and those of each display type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pulumi_clouddb.things.dashboards.columns import with_columns
from real_server.alerts import LIMIT, ON_SEARCH, ON_TILE, OTHER, RANGE, STARTED, WHOLE_SEARCH, WHOLE_TILE
from real_server.boards import FILTER, VARIABLE, WHOLE
from real_server.others import HOOK, PREFIX, SEARCHES, SOURCES, WHOLE_CONNECTION, WHOLE_HOOK, WHOLE_LOGS
from real_server.request import Values, without
from real_server.tiles import FULL, SERIES, board, tile
from real_server.world import CONNECTION, LOGS, METRICS, SEARCH, SESSIONS, TRACES

from .account import Kind
from .subject import Subject, sendable

SERVER = Kind.OBSERVABILITY


def _renamed(number: int) -> Values:
    return {"name": f"Edit {number}"}


def dashboard(name: str, body: Values, /, *, adopted: bool = True, **after: Any) -> Subject:
    """Return a dashboard whose first tile moves later; programs do not have columns in `select`, as requests do."""
    before = {**body, "tiles": with_columns(body["tiles"])}
    first, *rest = before["tiles"]

    def by_hand(record: Values) -> Values:
        tiles = [{**each, "y": each["y"] + 7} for each in record["tiles"]]
        return sendable(record, name="By hand", tiles=tiles)

    return Subject(
        f"dashboard {name}",
        "Dashboard",
        SERVER,
        before,
        {"": {**before, "name": "Later", "tiles": [{**first, "key": first["name"], "x": 3, "h": 9}, *rest], **after}},
        by_hand,
        {"name": "Bare", "tiles": [without(each, "containerId", "tabId") for each in before["tiles"]]},
        _renamed,
        adopted=adopted,
    )


def alert(name: str, before: Values, /, *, cleared: Values = ON_TILE, **after: Any) -> Subject:
    """Return an alert whose threshold changes later."""
    later = {**before, "threshold": before["threshold"] + 0.5, **after}
    return Subject(
        f"alert {name}",
        "Alert",
        SERVER,
        before,
        {"": {name: each for name, each in later.items() if each is not None}},
        lambda record: sendable(record, interval="6h"),
        cleared,
        lambda number: {"threshold": -number if before.get("thresholdMax") is None else 1 - number},
        stays=frozenset({"thresholdMax", "scheduleOffsetMinutes", "scheduleStartAt"}),
        must={
            name: before[name] for name in ("interval", "threshold", "thresholdType", "thresholdMax") if name in before
        },
    )


def plain(resource: str, name: str, before: Values, cleared: Values, **more: Any) -> Subject:
    """Return an object that a user renames."""
    return Subject(
        f"{resource.lower()} {name}",
        resource,
        SERVER,
        before,
        {"": {**before, "name": "Later", **more.get("after", {})}},
        lambda record: sendable(record, name="By hand"),
        {**cleared, "name": "Bare"},
        _renamed,
        stays=more.get("stays", frozenset()),
        beyond=more.get("beyond", {}),
    )


SHOWN_SERIES = {
    name: each
    for name, each in SERIES.items()
    if name
    in (
        "time",
        "time with everything",
        "time of a metric",
        "time as lines",
        "table of two",
        "number",
        "search",
        "markdown",
    )
}

METRIC: Values = SOURCES["of metrics with everything"]
SLACK: Values = {**HOOK, "service": "slack", "url": "https://hooks.slack.com/services/T/B/x"}
INCIDENT: Values = {**HOOK, "service": "incidentio"}

DASHBOARDS: tuple[Subject, ...] = (
    dashboard("with everything", WHOLE, filters=[VARIABLE, {**FILTER, "where": "a:1"}], tags=["b"], savedQuery="b:2"),
    dashboard("of every kind", board(*(tile(each, name=name) for name, each in FULL.items()))),
    *(dashboard(f"of {name}", board(tile(each))) for name, each in FULL.items()),
    *(
        # The server returns tiles of another form, which do not prove what was sent.
        dashboard(f"of series: {name}", board({**without(tile({}), "config"), "series": each}), adopted=False)
        for name, each in SHOWN_SERIES.items()
    ),
)
ALERTS: tuple[Subject, ...] = (
    alert("on a tile", ON_TILE),
    alert(
        "on a tile with everything",
        WHOLE_TILE,
        channels=[OTHER],
        name="Other",
        note="Elsewhere",
        scheduleOffsetMinutes=1,
    ),
    alert("on a saved search with everything", WHOLE_SEARCH, cleared=ON_SEARCH, groupBy="HostName"),
    alert("of a range", RANGE, thresholdMax=7.5, thresholdType="not_between"),
    alert("with a start", {**STARTED, "interval": "1d"}, scheduleStartAt="2026-02-01T00:00:00Z"),
    alert(
        "that moves to a search",
        ON_TILE,
        dashboardId=None,
        tileId=None,
        source="saved_search",
        savedSearchId="<search.id>",
    ),
    alert("that moves to another tile", WHOLE_TILE, tileId="<board.tiles.2.id>"),
    *(
        alert(f"{each} every {interval}", {**ON_TILE, "thresholdType": each, "interval": interval})
        for each, interval in zip(
            ("below", "above_exclusive", "below_or_equal", "equal", "not_equal"),
            ("1m", "15m", "30m", "1h", "12h"),
            strict=True,
        )
    ),
)
CHART: Values = {"displayType": "line", "sourceId": "<logs.id>", "select": [{"aggFn": "count"}]}
RAW: Values = {
    "configType": "sql",
    "displayType": "stacked_bar",
    "connectionId": "<connection.id>",
    "sqlTemplate": "SELECT $__timeInterval(Timestamp) AS ts, count() FROM default.otel_logs GROUP BY ts",
}
WITH_CHART: Values = {**LIMIT, "source": "inline", "chartConfig": CHART}
INLINE = replace(
    alert(
        "with a chart",
        {**WITH_CHART, "displayName": "Errors", "tags": ["shop"]},
        cleared={**WITH_CHART, "name": "Bare"},
        chartConfig=RAW,
        displayName="Rows",
        tags=["shop", "rows"],
    ),
    by_hand=lambda record: sendable(record, interval="6h", chartConfig=RAW),  # lists have no chart
    edits=None,
    need="newer_stack",
)


def source(kind: str, whole: Values, cleared: Values, *beyond: str, **more: Any) -> Subject:
    """Return a data source; `beyond` has properties that the vendor's description does not have."""
    unknown = {name: whole[name] for name in beyond}
    return plain("Source", f"of {kind} with everything", without(whole, *beyond), cleared, beyond=unknown, **more)


OTHER_LOGS: Values = {
    "connection": "<other_connection.id>",
    "from": {"databaseName": "other", "tableName": "logs"},
    "timestampValueExpression": "Timestamp",
    "defaultTableSelectExpression": "Body",
}
OTHER_TRACES: Values = {
    f"{name}Expression": "Other"
    for name in (
        "duration",
        "traceId",
        "spanId",
        "parentSpanId",
        "spanName",
        "spanKind",
        "sampleRate",
        "spanLinksValue",
    )
}


FLOWS: Values = {
    **LOGS,
    "kind": "netflow",
    **{
        f"{name}Expression": "a"
        for name in ("bytes", "packets", "srcAddr", "dstAddr", "srcPort", "dstPort", "protocol")
    },
}
OTHER_FLOWS: Values = {
    f"{name}Expression": "b"
    for name in (
        *("bytes", "packets", "srcAddr", "dstAddr", "srcPort", "dstPort", "protocol"),
        *("samplingRate", "exporter", "inIf", "outIf", "implicitColumn"),
    )
}


OTHERS: tuple[Subject, ...] = (
    plain(
        "SavedSearch",
        "with everything",
        SEARCHES["of everything"],
        without(SEARCH, "where"),
        after={"sourceId": "<traces.id>"},
    ),
    source("logs", WHOLE_LOGS, LOGS, after=OTHER_LOGS),
    source("traces", SOURCES["of traces with everything"], TRACES, after=OTHER_TRACES),
    source(
        "metrics",
        METRIC,
        {**METRICS, "metricTables": METRIC["metricTables"]},
        "serviceNameExpression",
        after={"metricTables": {"gauge": "other"}},
    ),
    replace(plain("Source", "of flows", FLOWS, FLOWS, after=OTHER_FLOWS), need="newer_stack"),
    source("sessions", SOURCES["of sessions with everything"], SESSIONS, "resourceAttributesExpression"),
    plain(
        "Webhook",
        "with everything",
        WHOLE_HOOK,
        HOOK,
        after={"service": "incidentio", "url": "https://events.example.com/other"},
    ),
    plain("Webhook", "of slack", {**SLACK, "description": "d"}, SLACK),
    plain("Webhook", "of incident.io", {**INCIDENT, "headers": {"a": "b"}}, INCIDENT),
    plain(
        "Connection",
        "with everything",
        WHOLE_CONNECTION,
        without(CONNECTION, "password"),
        after={PREFIX: "other_", "host": "http://localhost:9000", "username": "other"},
        stays=frozenset({"isPrometheusEndpoint"}),
    ),
)
BECOMES_TRACES = Subject(
    "source of logs that becomes one of traces",
    "Source",
    SERVER,
    LOGS,
    {"": TRACES},
    lambda record: sendable(record, name="By hand"),
)


def links(kind: str, before: Values, after: Values) -> Subject:
    """Return the links of a source of the world, whose ids no server checks."""
    source = {"sourceId": f"<{kind}.id>"}
    return Subject(
        f"links of a source of {kind}",
        "SourceLinks",
        SERVER,
        {**source, **before},
        {"": {**source, **after}},
        lambda record: sendable(record, metricSourceId="1" * 24),
        remains=True,
    )


LINKS = (
    links(
        "traces",
        {"logSourceId": "<logs.id>"},
        {"logSourceId": "2" * 24, "metricSourceId": "<metrics.id>", "sessionSourceId": "3" * 24},
    ),
    links("logs", {"metricSourceId": "<metrics.id>"}, {"metricSourceId": "4" * 24, "traceSourceId": "<traces.id>"}),
)
INVITATION = Subject(
    "stackinvitation",
    "StackInvitation",
    SERVER,
    {"email": "<invite>", "name": "Grace"},
    {"": {"email": "<invite>", "name": "Grace", "removeMember": True}},
    None,
    need="invite",
)
SUBJECTS: tuple[Subject, ...] = (*DASHBOARDS, *ALERTS, INLINE, *OTHERS, BECOMES_TRACES, *LINKS, INVITATION)
WITH_ALL = tuple(each for each in SUBJECTS if each.name.endswith(("everything", "every kind", "invitation")))
"""Subjects with all properties; the others are variants of them."""
