"""The positions of tiles on the grid, as on the server's page.

The vendor's page is a react-grid-layout of 24 columns and rows of 32 pixels with default settings: tiles move up until
they meet another one, so tiles do not overlap and no row stays empty (tests/tools/render/test_render_layout.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pulumi_clouddb.things.dashboards.tile import COLUMNS

from .picture import Picture, TilePicture

DEFAULT_WIDTH, DEFAULT_HEIGHT = 8, 6
"""The size of a tile whose size is unknown."""

MAX_HEIGHT = 40
"""The maximum height of a drawn tile: a higher one would push all others out of sight."""

_BOTTOM = 10_000
"""A row below all others, for tiles whose row is unknown."""


@dataclass(frozen=True)
class Spot:
    """The position of a tile, in columns and rows."""

    tile: TilePicture
    x: int
    y: int
    w: int
    h: int

    @property
    def bottom(self) -> int:
        """The first row below the tile."""
        return self.y + self.h

    def shares_columns(self, other: Spot) -> bool:
        """Return whether two tiles share a column."""
        return self.x < other.x + other.w and other.x < self.x + self.w

    def meets(self, other: Spot) -> bool:
        """Return whether two tiles share a cell."""
        return self.y < other.bottom and other.y < self.bottom and self.shares_columns(other)


@dataclass(frozen=True)
class Section:
    """Tiles that share a grid: those of a tab, those of a container without tabs, or those outside of containers.

    Attributes:
        container: Title of the container; None outside of containers.
        notes: Notes about the container.
        tab: Title of the tab; None if the container has no tabs.
        first: Whether the container begins here.
        spots: The tiles.
    """

    container: str | None
    notes: tuple[str, ...]
    tab: str | None
    first: bool
    spots: tuple[Spot, ...]


def sections(picture: Picture) -> list[Section]:
    """Return the grids of a dashboard from top to bottom, with all tabs."""
    known = {container.id for container in picture.containers}
    free = [tile for tile in picture.tiles if tile.container not in known]
    grids = [Section(None, (), None, True, compacted(free))] if free else []
    for container in picture.containers:
        inside = [tile for tile in picture.tiles if tile.container == container.id]
        if len(container.tabs) < 2:
            grids.append(Section(container.title, container.notes, None, True, compacted(inside)))
            continue
        for number, (tab, title) in enumerate(container.tabs.items()):
            # The first tab also shows tiles without a tab.
            tiles = [tile for tile in inside if tile.tab == tab or (number == 0 and tile.tab not in container.tabs)]
            grids.append(Section(container.title, container.notes, title or tab, number == 0, compacted(tiles)))
    return grids


def compacted(tiles: Iterable[TilePicture]) -> tuple[Spot, ...]:
    """Return the positions of tiles: each moves up as far as it can, and down if it would overlap another one."""
    placed: list[Spot] = []
    for wanted in sorted(map(_wanted_spot, tiles), key=lambda spot: (spot.y, spot.x)):
        spot = replace(wanted, y=min(wanted.y, max((each.bottom for each in placed), default=0)))
        if not _obstacle(spot, placed):
            ends = (each.bottom for each in placed if each.shares_columns(spot) and each.bottom <= spot.y)
            spot = replace(spot, y=max(ends, default=0))
        while obstacle := _obstacle(spot, placed):
            spot = replace(spot, y=obstacle.bottom)
        placed.append(spot)
    return tuple(placed)


def _wanted_spot(tile: TilePicture) -> Spot:
    x, y, w, h = tile.place
    width = _clamped(w, 1, COLUMNS, DEFAULT_WIDTH)
    return Spot(
        tile,
        min(_clamped(x, 0, COLUMNS - 1, 0), COLUMNS - width),
        _clamped(y, 0, _BOTTOM, _BOTTOM),
        width,
        _clamped(h, 1, MAX_HEIGHT, DEFAULT_HEIGHT),
    )


def _clamped(value: float | None, minimum: int, maximum: int, default: int) -> int:
    return default if value is None or math.isnan(value) else int(max(minimum, min(maximum, value)))


def _obstacle(spot: Spot, placed: Iterable[Spot]) -> Spot | None:
    return next((each for each in placed if each.meets(spot)), None)
