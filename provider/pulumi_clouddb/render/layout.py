"""Where tiles are drawn: on the grid as the server's page lays it out, or one below another where it is narrow.

The vendor's page is a react-grid-layout of 24 columns and rows of 32 pixels with its usual settings: tiles fall upwards
until they meet another one, so that nothing overlaps and no row stays empty
(tests/render/test_render_layout.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pulumi_clouddb.dashboards.tile import COLUMNS

from .picture import Picture, TilePicture

USUAL_WIDTH, USUAL_HEIGHT = 8, 6
"""The size of a tile whose own is not known."""

TALLEST = 40
"""A tile that is higher is drawn so high: it would push everything else out of sight."""


@dataclass(frozen=True)
class Spot:
    """A tile on the grid, in columns and rows."""

    tile: TilePicture
    x: int
    y: int
    w: int
    h: int

    def shares_columns(self, other: Spot) -> bool:
        """Return whether one tile could fall onto the other."""
        return self.x < other.x + other.w and other.x < self.x + self.w

    def meets(self, other: Spot) -> bool:
        """Return whether two tiles share a cell."""
        return self.y < other.y + other.h and other.y < self.y + self.h and self.shares_columns(other)


@dataclass(frozen=True)
class Section:
    """Tiles that share a grid: those outside of containers, or those of one tab of a container.

    Attributes:
        container: Title of the container; None outside of them.
        notes: What else there is to say of the container.
        tab: Title of the tab; None where the container has none.
        first: Whether the container begins here.
        spots: The tiles.
    """

    container: str | None
    notes: tuple[str, ...]
    tab: str | None
    first: bool
    spots: tuple[Spot, ...]


def sections(picture: Picture) -> list[Section]:
    """Return the grids of a dashboard, from top to bottom; every tab is one."""
    known = {box.id for box in picture.containers}
    free = [tile for tile in picture.tiles if tile.container not in known]
    found = [Section(None, (), None, True, compacted(free))] if free else []
    for box in picture.containers:
        inside = [tile for tile in picture.tiles if tile.container == box.id]
        if len(box.tabs) < 2:
            found.append(Section(box.title, box.notes, None, True, compacted(inside)))
            continue
        for number, (tab, title) in enumerate(box.tabs.items()):
            # A tile in no tab is shown in the first one.
            shown = [tile for tile in inside if tile.tab == tab or (number == 0 and tile.tab not in box.tabs)]
            found.append(Section(box.title, box.notes, title or tab, number == 0, compacted(shown)))
    return found


def compacted(tiles: Iterable[TilePicture]) -> tuple[Spot, ...]:
    """Return tiles on a grid, each moved up as far as nothing is in its way, and down where something is."""
    placed: list[Spot] = []
    for wanted in sorted(map(_spot, tiles), key=lambda spot: (spot.y, spot.x)):
        bottom = max((each.y + each.h for each in placed), default=0)
        spot = replace(wanted, y=min(wanted.y, bottom))
        if not _hit(spot, placed):
            ends = (each.y + each.h for each in placed if each.shares_columns(spot))
            spot = replace(spot, y=max((end for end in ends if end <= spot.y), default=0))
        while hit := _hit(spot, placed):
            spot = replace(spot, y=hit.y + hit.h)
        placed.append(spot)
    return tuple(placed)


def _spot(tile: TilePicture) -> Spot:
    x, y, w, h = tile.place
    width = _within(w, 1, COLUMNS, USUAL_WIDTH)
    return Spot(
        tile,
        min(_within(x, 0, COLUMNS - 1, 0), COLUMNS - width),
        _within(y, 0, 10_000, 10_000),
        width,
        _within(h, 1, TALLEST, USUAL_HEIGHT),
    )


def _within(value: float | None, least: int, most: int, usual: int) -> int:
    return usual if value is None or value != value else int(max(least, min(most, value)))


def _hit(spot: Spot, placed: Iterable[Spot]) -> Spot | None:
    return next((each for each in placed if each.meets(spot)), None)
