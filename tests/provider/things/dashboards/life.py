"""Lives of dashboards."""

from __future__ import annotations

from typing import Any

from lives.life import Life
from lives.wire import both_forms, tile
from support.ids import LOGS


def _tile(name: str, series: str, **grid: int) -> str:
    place = ", ".join(f"{side}={value}" for side, value in grid.items())
    return f"clouddb.TileArgs(key={name.lower()!r}, name={name!r}, {place}, series=[clouddb.SeriesArgs({series})])"


def _shown(tile: dict[str, Any]) -> dict[str, Any]:
    """Return what a tile shows first, in whichever form the server keeps it."""
    (first, *_) = tile["series"] if "series" in tile else tile["config"]["select"]
    return dict(first)


ERRORS = _tile("Errors", f"type='time', agg_fn='count', source_id={LOGS!r}, where='', group_by=[]", x=0, y=0, w=8, h=3)
SPEED = _tile("Speed", f"type='number', agg_fn='avg', field='ms', source_id={LOGS!r}, where=''", x=8, y=0, w=4, h=3)
SLOWEST = _tile("Speed", f"type='number', agg_fn='max', field='ms', source_id={LOGS!r}, where=''", x=0, y=3, w=4, h=2)

SELF_HOSTED = Life(
    name="Dashboard",
    kind="dashboards",
    before=f"name='Orders', tags=['shop'], tiles=[{ERRORS}, {SPEED}]",
    after=f"name='Orders and returns', tags=['shop', 'returns'], tiles=[{SLOWEST}, {ERRORS}]",
    updated=frozenset({"name", "tags", "tiles"}),
    drift=lambda sandbox, id_: sandbox.change(
        "dashboards", id_, name="Mine now", tiles=sandbox.dashboards[id_]["tiles"][:1]
    ),
    drifted=frozenset({"name", "tiles"}),
    as_wanted=lambda dashboard: (
        dashboard["name"] == "Orders and returns"
        and dashboard["tags"] == ["shop", "returns"]
        and [(tile["name"], _shown(tile)["aggFn"]) for tile in dashboard["tiles"]]
        == [("Speed", "max"), ("Errors", "count")]
    ),
)

DASHBOARD: dict[str, Any] = {
    "before": {
        "name": "Orders",
        "tags": ["shop"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=3), tile("Speed", x=8, y=0, w=4, h=3)],
    },
    "after": {
        "name": "Orders",
        "tags": ["shop", "new"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=4), tile("Slow", x=8, y=0, w=4, h=3)],
    },
    "details": {"tags[1]": "ADD", "tiles[0].h": "UPDATE", "tiles[1].key": "UPDATE", "tiles[1].name": "UPDATE"},
}

LIVES = {"self-hosted dashboard": SELF_HOSTED, "managed dashboard": SELF_HOSTED.of_a_service}

WIRE_LIVES = both_forms(
    "dashboard",
    SELF_HOSTED,
    ("create_dashboard", "update_dashboard", "delete_dashboard", "list_dashboards"),
    **DASHBOARD,
    left_alone=frozenset({"name", "tags"}),
    extra=frozenset({"tiles"}),
)

OF_NO_INPUT = frozenset({"id"})
"""Outputs that tell nothing of an input."""
