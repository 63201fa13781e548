"""The positions of tiles on the grid, as on the server's page: no tiles overlap, and no row stays empty."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pulumi_clouddb.things.dashboards import layout
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
    """Return the positions of tiles, those that are further up in the program first."""
    wanted = sorted(((_wanted_place(each), each) for each in tiles), key=lambda each: (each[0].y, each[0].x))
    shown = layout.compacted(place for place, _ in wanted)
    return tuple(
        Spot(tile, int(place.x), int(place.y), int(place.w), int(place.h))
        for place, (_, tile) in zip(shown, wanted, strict=True)
    )


def _wanted_place(tile: TilePicture) -> layout.Place:
    x, y, w, h = tile.place
    width = _clamped(w, 1, COLUMNS, DEFAULT_WIDTH)
    return layout.Place(
        w=width,
        h=_clamped(h, 1, MAX_HEIGHT, DEFAULT_HEIGHT),
        x=min(_clamped(x, 0, COLUMNS - 1, 0), COLUMNS - width),
        y=_clamped(y, 0, _BOTTOM, _BOTTOM),
    )


def _clamped(value: float | None, minimum: int, maximum: int, default: int) -> int:
    return default if value is None or math.isnan(value) else int(max(minimum, min(maximum, value)))
