"""Where the server's page shows tiles: each moved up until it touches another one.

The page is a react-grid-layout 1.3.4 (`compact` and `correctBounds` of lib/utils.js), one for each container or tab.
When somebody opens a dashboard, it stores the moved places (HyperDX: packages/app/src/DBDashboardPage.tsx,
`makeOnLayoutChange`; the grid calls it when it is mounted), although that person has changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.values import WireValues, is_number, objects

from .parts import DashboardContainer
from .tile import COLUMNS, Tile

X = property_name(Tile, lambda tile: tile.x)
Y = property_name(Tile, lambda tile: tile.y)
W = property_name(Tile, lambda tile: tile.w)
H = property_name(Tile, lambda tile: tile.h)
CONTAINER_ID = property_name(Tile, lambda tile: tile.container_id)
TAB_ID = property_name(Tile, lambda tile: tile.tab_id)
TABS = property_name(DashboardContainer, lambda container: container.tabs)


@dataclass(frozen=True)
class Size:
    """A width and a height."""

    w: float
    h: float


@dataclass(frozen=True)
class Place(Size):
    """The place of a tile, in columns and rows."""

    x: float
    y: float

    @property
    def bottom(self) -> float:
        """The first row below the tile."""
        return self.y + self.h

    def shares_columns(self, other: Place) -> bool:
        """Return whether two tiles share a column."""
        return self.x < other.x + other.w and other.x < self.x + self.w

    def meets(self, other: Place) -> bool:
        """Return whether two tiles share a cell."""
        return self.y < other.bottom and other.y < self.bottom and self.shares_columns(other)


def place_of(tile: WireValues) -> Place | None:
    """Return the place of a tile; None if it is not known."""
    numbers: list[Any] = [tile.get(name) for name in (W, H, X, Y) if is_number(tile.get(name))]
    return Place(*numbers) if len(numbers) == 4 else None


def overlap(places: Iterable[Place]) -> tuple[int, int] | None:
    """Return the numbers of two tiles that share a cell, if there are any."""
    ordered = sorted(enumerate(places), key=lambda each: each[1].y)
    for number, (one, place) in enumerate(ordered):
        beside = takewhile(lambda each: each[1].y < place.bottom, ordered[number + 1 :])  # noqa: B023 - used up at once
        if (other := next((index for index, each in beside if each.meets(place)), None)) is not None:
            return one, other
    return None


def compacted(places: Iterable[Place]) -> list[Place]:
    """Return where the page shows the tiles of a grid, in the same order; if some overlap, it may move other ones."""
    bounded = [_within_columns(each) for each in places]
    shown: dict[int, Place] = {}
    for index in sorted(range(len(bounded)), key=lambda index: (bounded[index].y, bounded[index].x)):
        others = shown.values()
        place = bounded[index]
        place = replace(place, y=min(place.y, max((each.bottom for each in others), default=0)))
        if not _obstacle(place, others):
            ends = (each.bottom for each in others if each.shares_columns(place) and each.bottom <= place.y)
            place = replace(place, y=max(ends, default=0))
        while obstacle := _obstacle(place, others):
            place = replace(place, y=obstacle.bottom)
        shown[index] = place
    return [shown[index] for index in range(len(bounded))]


def _within_columns(place: Place) -> Place:
    x = min(place.x, COLUMNS - place.w)
    return replace(place, x=x) if x >= 0 else replace(place, x=0, w=COLUMNS)


def _obstacle(place: Place, others: Iterable[Place]) -> Place | None:
    return next((each for each in others if each.meets(place)), None)


def with_places_of(before: Iterable[WireValues], now: Sequence[WireValues], containers: object) -> list[WireValues]:
    """Return the current tiles with their earlier places where the page shows them at the same ones."""
    earlier = {str(tile.get(ID)): tile for tile in before}
    shown_before, shown_now = _shown(earlier.values(), containers), _shown(now, containers)
    same = {tile_id for tile_id, place in shown_now.items() if place == shown_before.get(tile_id)}
    place = {tile_id: {name: earlier[tile_id][name] for name in (X, Y, W, H)} for tile_id in same}
    return [{**tile, **place.get(str(tile.get(ID)), {})} for tile in now]


def _shown(tiles: Iterable[WireValues], containers: object) -> dict[str, Place]:
    """Return where the page shows the tiles of those grids in which that is certain, by their ids."""
    tabs = {str(each.get(ID)): len(objects(each.get(TABS))) for each in objects(containers)}
    grids: dict[tuple[str, str], list[WireValues]] = {}
    for tile in tiles:
        container = str(tile.get(CONTAINER_ID))
        in_tab = tabs.get(container, 0) > 1
        grid = (container if container in tabs else "", str(tile.get(TAB_ID)) if in_tab else "")
        grids.setdefault(grid, []).append(tile)
    shown: dict[str, Place] = {}
    for inside in grids.values():
        places = [place for tile in inside if (place := place_of(tile)) is not None]
        if len(places) == len(inside) and overlap(map(_within_columns, places)) is None:
            each = zip(inside, compacted(places), strict=True)
            shown.update((str(tile[ID]), place) for tile, place in each if tile.get(ID) is not None)
    return shown
