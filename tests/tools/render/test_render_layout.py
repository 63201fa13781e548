"""The layout of tiles, which is that of the vendor's page, so that no tiles overlap."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clouddb_tools.render.layout import MAX_HEIGHT, Spot, compacted
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.dashboards.tile import COLUMNS
from support.pictures import dashboard, picture, tile

Place = tuple[Any, Any, Any, Any]

GRIDS: dict[str, tuple[list[Place], list[Place]]] = {
    "side by side": ([(0, 0, 12, 4), (12, 0, 12, 4)], [(0, 0, 12, 4), (12, 0, 12, 4)]),
    "an empty row is closed": ([(0, 0, 12, 4), (0, 9, 12, 4)], [(0, 0, 12, 4), (0, 4, 12, 4)]),
    "the first row is never empty": ([(3, 7, 6, 2)], [(3, 0, 6, 2)]),
    "a tile falls past one beside it": ([(0, 0, 6, 4), (6, 5, 6, 2)], [(0, 0, 6, 4), (6, 0, 6, 2)]),
    "it stops at what it meets": ([(0, 0, 6, 4), (5, 9, 6, 2)], [(0, 0, 6, 4), (5, 4, 6, 2)]),
    "two in one place": ([(0, 0, 6, 3), (0, 0, 6, 3)], [(0, 0, 6, 3), (0, 3, 6, 3)]),
    "half over another": ([(0, 0, 8, 3), (4, 1, 8, 3)], [(0, 0, 8, 3), (4, 3, 8, 3)]),
    "beyond the last column": ([(20, 0, 8, 3)], [(16, 0, 8, 3)]),
    "wider than the grid": ([(2, 0, 60, 3)], [(0, 0, COLUMNS, 3)]),
    "no size": ([(0, 0, 0, -1)], [(0, 0, 1, 1)]),
    "higher than a page": ([(0, 0, 4, 9000)], [(0, 0, 4, MAX_HEIGHT)]),
    "a place that is not known": ([(0, 0, 24, 2), (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)], [(0, 0, 24, 2), (0, 2, 8, 6)]),
    "no number": ([("a", None, True, float("nan"))], [(0, 0, 8, 6)]),
}


def laid(places: list[Place]) -> list[Spot]:
    """Return tiles at these places on the grid, in the same order."""
    tiles = [tile(str(index), *place) for index, place in enumerate(places)]
    return sorted(compacted(picture(dashboard(*tiles)).tiles), key=lambda spot: int(spot.tile.key))


@pytest.mark.parametrize(("places", "expected"), GRIDS.values(), ids=GRIDS)
def test_tiles_move_up_until_they_touch_another(places: list[Place], expected: list[Place]) -> None:
    """This is how react-grid-layout moves them with its default settings."""
    assert [(spot.x, spot.y, spot.w, spot.h) for spot in laid(places)] == expected


SIDE = st.integers(-2, 30)


@given(st.lists(st.tuples(SIDE, SIDE, SIDE, SIDE), max_size=12))
def test_tiles_do_not_overlap_and_are_as_high_as_possible(places: list[Place]) -> None:
    """This holds for all programs; all tiles stay within the columns."""
    spots = laid(places)
    assert len(spots) == len(places)
    for index, spot in enumerate(spots):
        others = [*spots[:index], *spots[index + 1 :]]
        assert 0 <= spot.x <= spot.x + spot.w <= COLUMNS
        assert not any(spot.meets(other) for other in others)
        above = Spot(spot.tile, spot.x, spot.y - 1, spot.w, spot.h)
        assert spot.y == 0 or any(above.meets(other) for other in others)


def test_largest_dashboard_is_laid_out_fast() -> None:
    """It has two columns of 250 tiles, the second one far below the first."""
    places = [(0, 10 * number, 12, 10) for number in range(250)]
    spots = laid([*places, *((12, 2500 + x, 12, h) for _, x, _, h in places)])
    assert [(spot.x, spot.y) for spot in spots[250:]] == [(12, y) for _, y, _, _ in places]
