"""A dashboard and an alert, as in state or in the events of a preview."""

from __future__ import annotations

from typing import Any

from support.pictures import tile

URN = "urn:pulumi:dev::shop::clouddb:index:{}::{}"
BOARD, ALERT = URN.format("Dashboard", "shop"), URN.format("Alert", "errors")
TILES = [tile("a", 0, 0, 12, 5), tile("b", 12, 0, 12, 5)]
SERVER_TILES = [{**each, "id": f"id-{each['name']}", "containerId": "c"} for each in TILES]
IDS = {"a": "id-a", "b": "id-b"}
Values = dict[str, Any]


def resource(urn: str, inputs: Values, outputs: Values | None = None, *, id_: str = "", **more: Any) -> Values:
    """Return a resource, as in state or in an event."""
    kind = urn.split("::")[2]
    return {"urn": urn, "type": kind, "id": id_, "inputs": inputs, "outputs": {**inputs, **(outputs or {})}, **more}


def board(tiles_: Any = None, **more: Any) -> Values:
    """Return a dashboard as in state; its server has a container that the program does not declare."""
    inputs = {"name": "Shop", "tiles": TILES if tiles_ is None else tiles_}
    outputs = {
        "__managed": ["name", "tiles"],
        "__server": {"tiles": SERVER_TILES},
        "tileIds": IDS,
        "containers": [{"id": "c", "title": "By hand"}],
    }
    return resource(BOARD, inputs, outputs, id_="board-1", **more)


def alert(tile_id: Any = "id-a", dashboard_id: Any = "board-1", threshold: float = 100) -> Values:
    """Return an alert as in state."""
    watched = {"tileId": tile_id, "dashboardId": dashboard_id}
    return resource(ALERT, {**watched, "threshold": threshold, "thresholdType": "above", "interval": "5m"}, id_="al-1")
