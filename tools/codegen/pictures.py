"""The pictures in docs/pictures: a dashboard with a tile of every display type, and a change of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clouddb_tools.render.diff import compare_all
from clouddb_tools.render.files import DiffDrawing, Drawing, with_comment
from clouddb_tools.render.objects import Item, pictures
from pulumi_clouddb.things.dashboards.places import placed
from pulumi_clouddb.things.dashboards.tile_config_fields import DisplayType

from .names import NOTICE

Values = dict[str, Any]

LOGS, TRACES = "65f5e4a3b9e77c001a567801", "65f5e4a3b9e77c001a567802"

DASHBOARD_ID = "65f5e4a3b9e77c001a5678d0"
COUNT = {"aggFn": "count"}
P95 = {"aggFn": "quantile", "level": 0.95, "valueExpression": "Duration", "alias": "p95"}
NOTES = """# On call
Read the [runbook](runbooks/orders.md) first, then:
- **page the team** if it does not recover in ten minutes
- run `pulumi refresh` if somebody has changed something by hand"""

TILES: Mapping[DisplayType, tuple[str, tuple[int, int, int, int], Values]] = {
    DisplayType.LINE: (
        "Requests and latency",
        (0, 0, 12, 5),
        {"sourceId": TRACES, "select": [COUNT, P95], "groupBy": "ServiceName"},
    ),
    DisplayType.STACKED_BAR: (
        "Errors",
        (12, 0, 8, 5),
        {"sourceId": LOGS, "select": [{**COUNT, "where": "level:error"}]},
    ),
    DisplayType.NUMBER: (
        "Success rate",
        (20, 0, 4, 5),
        {"sourceId": TRACES, "select": [COUNT], "numberFormat": {"output": "percent"}},
    ),
    DisplayType.TABLE: ("Slowest routes", (0, 5, 9, 4), {"sourceId": TRACES, "select": [P95], "groupBy": "Route"}),
    DisplayType.PIE: ("By status", (9, 5, 5, 4), {"sourceId": TRACES, "select": [COUNT], "groupBy": "Status"}),
    DisplayType.BAR: ("By region", (14, 5, 10, 4), {"sourceId": TRACES, "select": [COUNT], "groupBy": "Region"}),
    DisplayType.HEATMAP: (
        "Spread of latency",
        (0, 9, 12, 4),
        {"sourceId": TRACES, "select": [{"valueExpression": "Duration"}]},
    ),
    DisplayType.SEARCH: (
        "Latest errors",
        (12, 9, 12, 4),
        {"sourceId": LOGS, "columns": "Timestamp, ServiceName, Body", "where": "level:error"},
    ),
    DisplayType.EVENT_PATTERNS: ("Patterns", (0, 0, 12, 4), {"sourceId": LOGS}),
    DisplayType.MARKDOWN: ("Notes", (0, 0, 12, 3), {"markdown": NOTES}),
}
"""A tile of each display type: its name, its place, and its config without the type."""


def board() -> Values:
    """Return a dashboard in the form of its state."""
    tiles = [
        {**dict(zip("xywh", place, strict=True)), "name": name, "config": {"displayType": kind.value, **config}}
        for kind, (name, place, config) in TILES.items()
    ]
    places = {"Patterns": "patterns", "Notes": "notes"}
    for tile in tiles:
        if tab := places.get(str(tile["name"])):
            tile.update(containerId="more", tabId=tab)
    return {
        "name": "Shop",
        "tags": ["production"],
        "tiles": tiles,
        "filters": [{"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}],
        "containers": [
            {
                "id": "more",
                "title": "Look closer",
                "collapsed": False,
                "tabs": [{"id": "patterns", "title": "Patterns"}, {"id": "notes", "title": "Notes"}],
            }
        ],
        "tileIds": {tile["name"]: f"tile {tile['name']}" for tile in tiles},
    }


def alert(name: str, tile: str, kind: str, threshold: float, upper: float | None = None) -> Item:
    """Return an alert on a tile."""
    values = {
        "name": name,
        "dashboardId": DASHBOARD_ID,
        "tileId": f"tile {tile}",
        "thresholdType": kind,
        "threshold": threshold,
        "thresholdMax": upper,
        "interval": "5m",
        "channel": {"type": "webhook", "webhookId": "on-call"},
    }
    return Item("Alert", name, f"alert {name}", values)


def items(dashboard: Values | None = None, threshold: float = 100) -> list[Item]:
    """Return a dashboard with its alerts and sources."""
    return [
        Item("Dashboard", "shop", DASHBOARD_ID, board() if dashboard is None else dashboard),
        Item("Source", "logs", LOGS, {"name": "Logs"}),
        Item("Source", "traces", TRACES, {"name": "Traces"}),
        alert("Too many errors", "Errors", "above", threshold),
        alert("Slow", "Requests and latency", "above", 500),
        alert("Silence", "Requests and latency", "below", 5),
        alert("Odd rate", "Success rate", "not_between", 0.9, 1),
    ]


def changed() -> Values:
    """Return the same dashboard after a change of each sort."""
    dashboard = board()
    tiles = {tile["name"]: tile for tile in dashboard["tiles"]}
    tiles["Slowest routes"]["config"]["groupBy"] = "concat(Method, Route)"
    tiles["By region"].update(x=9)
    tiles["By status"].update(x=19)
    dashboard["tiles"] = [tile for tile in dashboard["tiles"] if tile["name"] != "Latest errors"]
    logins = {"displayType": "line", "sourceId": LOGS, "select": [{**COUNT, "where": "event:login"}]}
    dashboard["tiles"].append({"name": "Logins", "x": 12, "y": 9, "w": 12, "h": 4, "config": logins})
    return dashboard


PLACED: Mapping[str, tuple[DisplayType, Values]] = {
    "1": (DisplayType.NUMBER, {}),
    "2": (DisplayType.NUMBER, {}),
    "3": (DisplayType.LINE, {}),
    "4": (DisplayType.STACKED_BAR, {"w": 16}),
    "5": (DisplayType.PIE, {"w": 8}),
    "6": (DisplayType.TABLE, {"h": 5}),
}
"""Tiles without positions: their display types, and the sizes that the program sets."""


def placed_board() -> Values:
    """Return a dashboard whose tiles the provider has placed."""
    contents = {kind: config for kind, (_, _, config) in TILES.items()}
    tiles = [
        {"name": name, **size, "config": {"displayType": kind.value, **contents[kind]}}
        for name, (kind, size) in PLACED.items()
    ]
    return {"name": "In the order of the program", **placed({"tiles": tiles})}


def drawings() -> Iterator[tuple[str, str]]:
    """Yield the path in the repository and the text of each picture."""
    drawing = Drawing(list(pictures(items()).values()), "state of stack production")
    yield "docs/pictures/dashboard.svg", _noticed(drawing)
    in_order = [Item("Dashboard", "placed", DASHBOARD_ID, placed_board()), *items()[1:3]]
    yield (
        "docs/pictures/places.svg",
        _noticed(Drawing(list(pictures(in_order).values()), "preview of stack production")),
    )
    comparisons = compare_all(pictures(items()), pictures(items(changed(), threshold=50)))
    origins = ("state of stack production", "preview of stack production")
    yield "docs/pictures/change.svg", _noticed(DiffDrawing(comparisons, origins))


def _noticed(drawing: Drawing | DiffDrawing) -> str:
    return with_comment(drawing.text(".svg"), NOTICE.format("tools/codegen/pictures.py"))
