"""Lives of dashboards."""

from __future__ import annotations

from typing import Any

from lives.life import Inputs, Life
from lives.wire import both_forms, tile, wire_life
from support.ids import LOGS


def _tile(name: str, series: Inputs, **grid: int) -> Inputs:
    return {"key": name.lower(), "name": name, **grid, "series": [{**series, "sourceId": LOGS, "where": ""}]}


def _shown(tile: dict[str, Any]) -> dict[str, Any]:
    """Return the first series of a tile, in either form of the server."""
    (first, *_) = tile["series"] if "series" in tile else tile["config"]["select"]
    return dict(first)


ERRORS = _tile("Errors", {"type": "time", "aggFn": "count", "groupBy": []}, x=0, y=0, w=8, h=3)
SPEED = _tile("Speed", {"type": "number", "aggFn": "avg", "field": "ms"}, x=8, y=0, w=4, h=3)
SLOWEST = _tile("Speed", {"type": "number", "aggFn": "max", "field": "ms"}, x=0, y=3, w=4, h=2)

SELF_HOSTED = Life(
    "Dashboard",
    before={"name": "Orders", "tags": ["shop"], "tiles": [ERRORS, SPEED]},
    after={"name": "Orders and returns", "tags": ["shop", "returns"], "tiles": [SLOWEST, ERRORS]},
    drift=lambda sandbox, id_: sandbox.change(
        "dashboards", id_, name="Mine now", tiles=sandbox.dashboards[id_]["tiles"][:1]
    ),
    drifted=frozenset({"name", "tiles"}),
    other={"tags": ["mine"]},
    wanted=lambda dashboard: (
        dashboard["name"] == "Orders and returns"
        and dashboard["tags"] == ["shop", "returns"]
        and [(tile["name"], _shown(tile)["aggFn"]) for tile in dashboard["tiles"]]
        == [("Speed", "max"), ("Errors", "count")]
    ),
)
LIVES = both_forms("dashboard", SELF_HOSTED)

BEFORE: Inputs = {
    "name": "Orders",
    "tags": ["shop"],
    "tiles": [tile("Errors", x=0, y=0, w=8, h=3), tile("Speed", x=8, y=0, w=4, h=3)],
}
AFTER: Inputs = {
    "name": "Orders",
    "tags": ["shop", "new"],
    "tiles": [tile("Errors", x=0, y=0, w=8, h=4), tile("Slow", x=8, y=0, w=4, h=3)],
}
DETAILS = {"tags[1]": "ADD", "tiles[0].h": "UPDATE", "tiles[1].key": "UPDATE", "tiles[1].name": "UPDATE"}

WIRE_LIVES = [
    wire_life(
        name,
        life,
        {**service, **BEFORE},
        {**service, **AFTER},
        details=DETAILS,
        known=frozenset(service or {"name", "tags"}),
        extra=frozenset({"tiles"}),
    )
    for (name, life), service in zip(LIVES.items(), ({}, {"serviceId": "$service_id"}), strict=True)
]
