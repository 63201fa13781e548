"""The layout of tiles, which is that of the vendor's page, so that no tiles overlap."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.render.layout import MAX_HEIGHT, Spot, compacted
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.dashboards.tile import COLUMNS
from support.pictures import dashboard, picture, tile

Place = tuple[Any, Any, Any, Any]

GRIDS: dict[str, tuple[list[Place], list[Place]]] = {
    "an empty row is closed": ([(0, 0, 12, 4), (0, 9, 12, 4)], [(0, 0, 12, 4), (0, 4, 12, 4)]),
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
    """Their places on the grid are those of things/dashboards/layout.py, once sizes and places are possible ones."""
    assert [(spot.x, spot.y, spot.w, spot.h) for spot in laid(places)] == expected


def test_largest_dashboard_is_laid_out_fast() -> None:
    """It has two columns of 250 tiles, the second one far below the first."""
    places = [(0, 10 * number, 12, 10) for number in range(250)]
    spots = laid([*places, *((12, 2500 + x, 12, h) for _, x, _, h in places)])
    assert [(spot.x, spot.y) for spot in spots[250:]] == [(12, y) for _, y, _, _ in places]
