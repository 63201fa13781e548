"""Reads pictures as a test sees them: tiles, texts and marks of an SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from pulumi_clouddb.render.objects import Item, pictures
from pulumi_clouddb.render.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"
LOGS = "65f5e4a3b9e77c001a567801"
DASHBOARD_ID = "65f5e4a3b9e77c001a5678d0"
LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}


def tile(name: Any, *place: Any, config: Any = None, **more: Any) -> dict[str, Any]:
    """Return a tile; without a place it is at the top left, without a config it shows lines."""
    x, y, w, h = place or (0, 0, 6, 3)
    return {"name": name, "x": x, "y": y, "w": w, "h": h, "config": LINE if config is None else config, **more}


def dashboard(*tiles: Any, **more: Any) -> Item:
    """Return a dashboard; the id of each tile is its name."""
    ids = {str(each.get("name")): str(each.get("name")) for each in tiles if isinstance(each, Mapping)}
    values = {"name": "Shop", "tiles": list(tiles), "tileIds": ids, **more}
    return Item("Dashboard", "shop", DASHBOARD_ID, values, urn="urn:shop")


def alert(tile_id: Any, kind: str = "above", threshold: Any = 100, **more: Any) -> Item:
    """Return an alert on a tile of it."""
    values = {"dashboardId": DASHBOARD_ID, "tileId": tile_id, "thresholdType": kind, "threshold": threshold, **more}
    return Item("Alert", "errors", "alert-1", {"interval": "5m", **values}, urn="urn:errors")


def picture(*items: Item) -> Picture:
    """Return the one picture of items."""
    (found,) = pictures(items).values()
    return found


def parsed(text: str) -> ET.Element:
    """Parse a picture as it is written to a file."""
    return ET.fromstring(text.encode())  # noqa: S314 - our own


def groups(root: ET.Element, name: str) -> list[ET.Element]:
    """Return the groups of a class."""
    return [each for each in root.iter(f"{SVG}g") if name in each.get("class", "").split()]


def tiles(root: ET.Element) -> dict[str, ET.Element]:
    """Return the tiles by their keys."""
    return {each.get("data-key", ""): each for each in groups(root, "tile")}


def texts(root: ET.Element) -> list[str]:
    """Return what is written, in order, a line at a time."""
    return [
        (each.text or "").strip() + "".join(part.text or "" for part in each.iter(f"{SVG}tspan"))
        for each in root.iter(f"{SVG}text")
    ]


def titles(root: ET.Element) -> list[str]:
    """Return what a pointer over something shows."""
    return [each.text or "" for each in root.iter(f"{SVG}title")]


def boxes(root: ET.Element) -> Iterator[tuple[str, float, float, float, float]]:
    """Yield the key and the edges of each tile's box: left, top, right and bottom."""
    for key, group in tiles(root).items():
        box = next(each for each in group.iter(f"{SVG}rect") if "box" in each.get("class", "").split())
        x, y, w, h = (float(box.get(side, "0")) for side in ("x", "y", "width", "height"))
        yield key, x, y, x + w, y + h


def overlapping(found: Iterable[tuple[str, float, float, float, float]]) -> list[tuple[str, str]]:
    """Return the pairs of boxes that share a point."""
    all_ = list(found)
    return [
        (one[0], other[0])
        for index, one in enumerate(all_)
        for other in all_[index + 1 :]
        if one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]
    ]
