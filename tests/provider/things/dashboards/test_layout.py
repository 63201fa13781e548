"""Places that the page moves are no drift, whoever opens a dashboard there; those that a person moves are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.things.dashboards.layout import Place, compacted, overlap
from pulumi_clouddb.things.dashboards.tile import COLUMNS
from support.sessions import ProviderProcess

Box = tuple[float, float, float, float]
"""x, y, width and height."""

SHOWN: dict[str, tuple[list[Box], list[Box]]] = {
    "side by side": ([(0, 0, 12, 4), (12, 0, 12, 4)], [(0, 0, 12, 4), (12, 0, 12, 4)]),
    "an empty row is closed": ([(0, 0, 12, 4), (0, 9, 12, 4)], [(0, 0, 12, 4), (0, 4, 12, 4)]),
    "the first row is never empty": ([(3, 7, 6, 2)], [(3, 0, 6, 2)]),
    "a tile falls past one beside it": ([(0, 0, 6, 4), (6, 5, 6, 2)], [(0, 0, 6, 4), (6, 0, 6, 2)]),
    "it stops at what it meets": ([(0, 0, 6, 4), (5, 9, 6, 2)], [(0, 0, 6, 4), (5, 4, 6, 2)]),
    "the order is that of the rows": ([(0, 20, 8, 2), (0, 10, 8, 3)], [(0, 3, 8, 2), (0, 0, 8, 3)]),
    "a fraction of a row": ([(0, 0.5, 8, 2), (0, 9.25, 8, 3.5)], [(0, 0, 8, 2), (0, 2, 8, 3.5)]),
    "stairs": (
        [(0, 2, 8, 3), (4, 7, 8, 3), (8, 12, 8, 3), (20, 12, 4, 1)],
        [(0, 0, 8, 3), (4, 3, 8, 3), (8, 6, 8, 3), (20, 0, 4, 1)],
    ),
    "two in one place": ([(0, 0, 6, 3), (0, 0, 6, 3)], [(0, 0, 6, 3), (0, 3, 6, 3)]),
    "half over another": ([(0, 0, 8, 3), (4, 1, 8, 3)], [(0, 0, 8, 3), (4, 3, 8, 3)]),
    "beyond the last column": ([(20, 0, 8, 3)], [(16, 0, 8, 3)]),
    "wider than the grid": ([(2, 0, 60, 3)], [(0, 0, COLUMNS, 3)]),
}


def places(boxes: list[Box]) -> list[Place]:
    """Return the places of tiles."""
    return [Place(x=x, y=y, w=w, h=h) for x, y, w, h in boxes]


@pytest.mark.parametrize(("boxes", "expected"), SHOWN.values(), ids=SHOWN)
def test_shown_places(boxes: list[Box], expected: list[Box]) -> None:
    """They are those that `correctBounds` and `compact` of react-grid-layout 1.3.4 return."""
    assert compacted(places(boxes)) == places(expected)


@given(st.lists(st.tuples(st.integers(0, 23), st.integers(0, 30), st.integers(1, 24), st.integers(1, 9)), max_size=12))
def test_shown_tiles_are_as_high_as_possible_and_stay_there(boxes: list[Box]) -> None:
    """They overlap none and stay within the columns; the page moves none of them again."""
    shown = compacted(places(boxes))
    assert overlap(shown) is None
    assert compacted(shown) == shown
    for index, place in enumerate(shown):
        above = Place(x=place.x, y=place.y - 1, w=place.w, h=place.h)
        assert 0 <= place.x <= place.x + place.w <= COLUMNS
        assert place.y == 0 or any(above.meets(other) for other in [*shown[:index], *shown[index + 1 :]])


def tile(name: str, box: Box, **inside: str) -> dict[str, Any]:
    """Return a tile at a place."""
    sides = dict(zip("xywh", box, strict=True))
    return {"name": name, **sides, **inside, "config": {"displayType": "markdown", "markdown": name}}


CONTAINERS = [
    {"id": "plain", "title": "Plain", "collapsed": False},
    {"id": "tabs", "title": "Tabs", "collapsed": False, "tabs": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]},
]
A, B = {"containerId": "tabs", "tabId": "a"}, {"containerId": "tabs", "tabId": "b"}
TOP, LOW, SHUT = (0, 0, 12, 4), (0, 9, 12, 4), (0, 4, 12, 4)

STORED: dict[str, tuple[list[Any], dict[str, Box], set[str]]] = {
    "an empty row is closed": ([tile("one", TOP), tile("two", LOW)], {"two": SHUT}, set()),
    "the first row is filled": ([tile("one", (3, 5, 6, 2))], {"one": (3, 0, 6, 2)}, set()),
    "within a container": (
        [tile("one", TOP), tile("two", LOW, containerId="plain"), tile("six", (0, 20, 12, 1), containerId="plain")],
        {"two": TOP, "six": (0, 4, 12, 1)},
        set(),
    ),
    "in the open one of two tabs": ([tile("one", LOW, **A), tile("two", LOW, **B)], {"one": TOP}, set()),
    "beyond the last column": ([tile("one", (18, 0, 12, 4))], {"one": (12, 0, 12, 4)}, set()),
    "a person has moved one to the side": (
        [tile("one", TOP), tile("two", LOW), tile("six", (12, 9, 12, 4))],
        {"two": (12, 0, 12, 4), "six": (12, 4, 12, 4)},
        {"two", "six"},
    ),
    "two have exchanged their places": (
        [tile("one", TOP), tile("two", SHUT)],
        {"one": SHUT, "two": TOP},
        {"one", "two"},
    ),
    "one is higher, and pushes the other": (
        [tile("one", TOP), tile("two", LOW)],
        {"one": (0, 0, 12, 6), "two": (0, 6, 12, 4)},
        {"one", "two"},
    ),
    "one is wider": ([tile("one", TOP), tile("two", LOW)], {"two": (0, 4, 14, 4)}, {"two"}),
    "overlapping tiles, of which a preview warns": ([tile("one", TOP), tile("two", TOP)], {"two": SHUT}, {"two"}),
}


@pytest.mark.parametrize(("tiles", "stored", "drifted"), STORED.values(), ids=STORED)
def test_drift_of_places(
    tiles: list[Any], stored: dict[str, Box], drifted: set[str], process: ProviderProcess, sandbox: Sandbox
) -> None:
    """A tile that the page shows where it was has not moved; state keeps the program's place, and so does an update."""
    board = {"name": "Board", "containers": CONTAINERS, "tiles": tiles}
    id_, state = process.create("Dashboard", board)
    served = sandbox.objects("dashboards")[id_]["tiles"]
    moved = [{**each, **dict(zip("xywh", stored.get(each["name"], ()), strict=False))} for each in served]
    sandbox.change("dashboards", id_, tiles=moved)
    read = process.read("Dashboard", id_, state)
    changed = {new["name"] for old, new in zip(tiles, read.inputs["tiles"], strict=True) if old != new}
    assert changed == drifted
    assert bool(process.changes("Dashboard", read.state, board)) == bool(drifted)
    if not drifted:
        assert read.state == state
