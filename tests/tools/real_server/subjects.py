"""Objects of all kinds for lives, each with all properties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .alerts import ON_SEARCH, ON_TILE, OTHER, RANGE, STARTED, WHOLE_SEARCH, WHOLE_TILE
from .boards import FILTER, VARIABLE, WHOLE
from .others import HOOK, PREFIX, SEARCHES, SOURCES, WHOLE_CONNECTION, WHOLE_HOOK, WHOLE_LOGS
from .request import Values, without
from .tiles import FULL, SERIES, board, tile
from .world import CONNECTION, LOGS, METRICS, SEARCH, SESSIONS, TRACES


@dataclass(frozen=True)
class Subject:
    """An object that the provider creates, updates, repairs, imports, resets and deletes.

    Attributes:
        cleared: Inputs at the end, without optional properties.
        by_hand: Returns the body of a PUT with which a user changes the object.
        edits: Inputs of ten edits, each in addition to all others.
        stays: Properties that the server never changes.
        must: Inputs in addition to `cleared` that an edit of another property needs.
        beyond: Properties that a user can set and the provider does not have.
    """

    name: str
    resource: str
    collection: str
    before: Values
    after: Values
    cleared: Values
    by_hand: Callable[[Values], Values]
    edits: Callable[[int], Values]
    stays: frozenset[str] = frozenset()
    must: Values = field(default_factory=dict)
    beyond: Values = field(default_factory=dict)


SET_BY_SERVER = ("id", "teamId", "createdAt", "updatedAt", "state", "silenced", "executionErrors")


def _sendable(record: Values, **changed: Any) -> Values:
    return {**without(record, *SET_BY_SERVER), **changed}


def _renamed(number: int) -> Values:
    return {"name": f"Edit {number}"}


def dashboard(name: str, before: Values, /, **after: Any) -> Subject:
    """Return a dashboard whose first tile moves later."""
    first, *rest = before["tiles"]

    def by_hand(record: Values) -> Values:
        tiles = [{**each, "y": each["y"] + 7} for each in record["tiles"]]
        return _sendable(record, name="By hand", tiles=tiles)

    return Subject(
        f"dashboard {name}",
        "Dashboard",
        "dashboards",
        before,
        {**before, "name": "Later", "tiles": [{**first, "key": first["name"], "x": 3, "h": 9}, *rest], **after},
        {"name": "Bare", "tiles": [without(each, "containerId", "tabId") for each in before["tiles"]]},
        by_hand,
        _renamed,
    )


def alert(name: str, before: Values, /, *, cleared: Values = ON_TILE, **after: Any) -> Subject:
    """Return an alert whose threshold changes later."""
    return Subject(
        f"alert {name}",
        "Alert",
        "alerts",
        before,
        {
            name: each
            for name, each in {**before, "threshold": before["threshold"] + 0.5, **after}.items()
            if each is not None
        },
        cleared,
        lambda record: _sendable(record, interval="6h"),
        lambda number: {"threshold": -number if before.get("thresholdMax") is None else 1 - number},
        stays=frozenset({"thresholdMax", "scheduleOffsetMinutes", "scheduleStartAt"}),
        must={
            name: before[name] for name in ("interval", "threshold", "thresholdType", "thresholdMax") if name in before
        },
    )


def plain(resource: str, collection: str, name: str, before: Values, cleared: Values, **more: Any) -> Subject:
    """Return an object that a user renames."""
    return Subject(
        f"{resource.lower()} {name}",
        resource,
        collection,
        before,
        {**before, "name": "Later", **more.pop("after", {})},
        {**cleared, "name": "Bare"},
        lambda record: _sendable(record, name="By hand", **more.get("sent", {})),
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
        dashboard(f"of series: {name}", board({**without(tile({}), "config"), "series": each}))
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


def source(kind: str, whole: Values, cleared: Values, *beyond: str) -> Subject:
    """Return a data source; `beyond` has properties that the vendor's description does not have."""
    known, more = without(whole, *beyond), {name: whole[name] for name in beyond}
    return plain("Source", "sources", f"of {kind} with everything", known, cleared, beyond=more)


OTHERS: tuple[Subject, ...] = (
    plain("SavedSearch", "saved-searches", "with everything", SEARCHES["of everything"], without(SEARCH, "where")),
    source("logs", WHOLE_LOGS, LOGS, "tableFilterExpression", "orderByExpression"),
    source("traces", SOURCES["of traces with everything"], TRACES, "sampleRateExpression", "spanLinksValueExpression"),
    source(
        "metrics", METRIC, {**METRICS, "metricTables": METRIC["metricTables"]}, "serviceNameExpression", "seriesTable"
    ),
    source("sessions", SOURCES["of sessions with everything"], SESSIONS, "resourceAttributesExpression"),
    plain("Webhook", "webhooks", "with everything", WHOLE_HOOK, HOOK),
    plain("Webhook", "webhooks", "of slack", {**SLACK, "description": "d"}, SLACK),
    plain("Webhook", "webhooks", "of incident.io", {**INCIDENT, "headers": {"a": "b"}}, INCIDENT),
    plain(
        "Connection",
        "connections",
        "with everything",
        WHOLE_CONNECTION,
        without(CONNECTION, "password"),
        after={PREFIX: "other_"},
        stays=frozenset({"isPrometheusEndpoint"}),
    ),
)
SUBJECTS: tuple[Subject, ...] = (*DASHBOARDS, *ALERTS, *OTHERS)
