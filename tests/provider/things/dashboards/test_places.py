"""Tiles without a place: check computes it, and it is like one that the program sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN, FakeEngineStack
from support.front_ends import MakeFrontEnds
from support.ids import LOGS

MakeStack = Callable[..., FakeEngineStack]
Tile = dict[str, Any]
NUMBER, LINE, TABLE, TEXT = (6, 6), (12, 10), (24, 12), (12, 8)
NO_PLACE = (UNKNOWN, UNKNOWN)


def tile(kind: Any = "line", **more: Any) -> Tile:
    """Return a tile of a display type."""
    return {"config": {"displayType": kind}, **more}


def at(x: int, y: int, w: int, h: int, kind: str = "line") -> Tile:
    """Return a tile with a place."""
    return tile(kind, x=x, y=y, w=w, h=h)


def series(kind: str) -> Tile:
    """Return a tile in the older form."""
    return {"series": [{"type": kind}]}


CONTAINERS = {"containers": [{"id": "c", "tabs": [{"id": "t"}, {"id": "u"}]}]}

CASES: dict[str, tuple[list[Any], list[tuple[Any, ...]], dict[str, Any]]] = {
    "each display type has its size": (
        [*map(tile, ("number", "stacked_bar", "pie", "table", "markdown", "heatmap", "search", "new"))],
        [
            *((0, 0, *NUMBER), (6, 0, *LINE), (0, 10, *LINE), (0, 20, *TABLE), (0, 32, *TEXT), (12, 32, *LINE)),
            *((0, 42, *TABLE), (0, 54, *LINE)),
        ],
        {},
    ),
    "so have series, and tiles without contents": (
        [series("number"), series("time"), series("markdown"), series("table"), {"series": []}, {}],
        [(0, 0, *NUMBER), (6, 0, *LINE), (0, 10, *TEXT), (0, 18, *TABLE), (0, 30, *LINE), (12, 30, *LINE)],
        {},
    ),
    "a row ends at column 24, and the next begins below its highest tile": (
        [tile(w=12, h=3), tile(w=12, h=9), tile(w=23), tile(w=2), tile(w=22)],
        [(0, 0, 12, 3), (12, 0, 12, 9), (0, 9, 23, 10), (0, 19, 2, 10), (2, 19, 22, 10)],
        {},
    ),
    "a width or a height is enough": (
        [tile("number", w=4), tile("number", h=3.5), tile("number", x=None, y=None)],
        [(0, 0, 4, 6), (4, 0, 6, 3.5), (10, 0, *NUMBER)],
        {},
    ),
    "a place alone gets a size": ([tile("table", x=0, y=7)], [(0, 7, *TABLE)], {}),
    "what has a position stays, and the others fill the rows from the top": (
        [tile("number"), at(0, 0, 6, 6), tile("table"), at(0, 6, 12, 10), tile(), tile("number")],
        [(6, 0, *NUMBER), (0, 0, 6, 6), (0, 16, *TABLE), (0, 6, 12, 10), (12, 0, *LINE), (0, 28, *NUMBER)],
        {},
    ),
    "a row has no room if the tile would overlap one below it": (
        [at(0, 0, 6, 6, "number"), at(0, 6, 24, 12, "table"), tile(), tile("number")],
        [(0, 0, 6, 6), (0, 6, 24, 12), (0, 18, *LINE), (6, 0, *NUMBER)],
        {},
    ),
    "each container and each tab is a grid, and a tile without a tab is in the first one": (
        [
            *(tile(), tile(containerId="c", tabId="t"), tile(containerId="c"), tile(containerId="c", tabId="u")),
            *(tile(containerId="d"), tile()),
        ],
        [(0, 0, *LINE), (0, 0, *LINE), (12, 0, *LINE), (0, 0, *LINE), (0, 0, *LINE), (12, 0, *LINE)],
        CONTAINERS,
    ),
    "an unknown display type has no size, and no tile behind it a place": (
        [tile("number"), tile(UNKNOWN, w=3), tile("number"), tile("number", containerId="c")],
        [(0, 0, *NUMBER), (*NO_PLACE, 3, UNKNOWN), (*NO_PLACE, *NUMBER), (0, 0, *NUMBER)],
        {},
    ),
    "an unknown config": ([{"config": UNKNOWN}], [(*NO_PLACE, *NO_PLACE)], {}),
    "beside an unknown place, no tile has one": (
        [tile(x=UNKNOWN, y=0), tile()],
        [(UNKNOWN, 0, *LINE), (*NO_PLACE, *LINE)],
        {},
    ),
    "a tile in an unknown container could be in each grid": (
        [tile(), tile(containerId=UNKNOWN), at(1, 1, 1, 1)],
        [(*NO_PLACE, *LINE), (*NO_PLACE, *LINE), (1, 1, 1, 1)],
        {},
    ),
    "so could an unknown tile": ([tile(), UNKNOWN], [(*NO_PLACE, *LINE)], {}),
}


@pytest.mark.parametrize("vocabulary", ["clickhouse", "neutral"])
def test_places(vocabulary: str, front_ends_of: MakeFrontEnds) -> None:
    """Both front ends give the same places, in both dialects; what the program sets is as it was."""
    front_ends = front_ends_of(vocabulary=vocabulary)
    for case, (tiles, places, more) in CASES.items():
        checked = front_ends.check("Dashboard", {"name": "Orders", "tiles": tiles, **more}).inputs["tiles"]
        seen = [tuple(map(each.get, "xywh")) for each in checked if each is not UNKNOWN]
        assert (case, seen) == (case, places)
        again = front_ends.check("Dashboard", {"name": "Orders", "tiles": checked, **more}).inputs["tiles"]
        assert (case, again) == (case, checked)


@pytest.fixture(params=["clickhouse", "neutral"])
def clouddb_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox of each dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


PROGRAM = """
import pulumi_clouddb as clouddb

def number(name, **place):
    series = clouddb.SeriesArgs(type="number", agg_fn="count", source_id={source!r}, where="")
    return clouddb.TileArgs(name=name, series=[series], **place)

clouddb.Dashboard("board", name="Orders", tiles=[{tiles}])
"""


def program(*tiles: str) -> str:
    """Return a program whose dashboard has these tiles."""
    return PROGRAM.format(source=LOGS, tiles=", ".join(tiles))


A, B, C = (f"number({name!r})" for name in "ABC")


def places_in(sandbox: Sandbox) -> dict[str, tuple[int, ...]]:
    """Return the place of each tile on the server."""
    (board,) = sandbox.dashboards.values()
    return {each["name"]: tuple(each[side] for side in "xywh") for each in board["tiles"]}


def test_places_of_a_program(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> None:
    """They are no drift; a tile in front moves the others, and what somebody moves on the page is moved back."""
    stack = clouddb_stack(program(A, B))
    stack.up()
    assert places_in(clouddb_sandbox) == {"A": (0, 0, *NUMBER), "B": (6, 0, *NUMBER)}
    assert stack.preview().no_changes
    assert stack.refresh().no_changes

    stack.set_program(program("number('A', x=0, y=0, w=6, h=6)", "number('B', x=6, y=0, w=6, h=6)"))
    assert stack.preview().no_changes

    stack.set_program(program(C, A, B))
    stack.up()
    assert places_in(clouddb_sandbox) == {"C": (0, 0, *NUMBER), "A": (6, 0, *NUMBER), "B": (12, 0, *NUMBER)}

    ((id_, board),) = clouddb_sandbox.dashboards.items()
    clouddb_sandbox.change(
        "dashboards", id_, tiles=[board["tiles"][0], {**board["tiles"][1], "x": 18}, board["tiles"][2]]
    )
    stack.refresh()
    assert stack.preview().ops("board") == ["update"]
    stack.up()
    assert places_in(clouddb_sandbox)["A"] == (6, 0, *NUMBER)
    assert stack.preview().no_changes


def test_half_a_position_is_refused(clouddb_stack: MakeStack) -> None:
    """The failure names the missing half."""
    result = clouddb_stack(program("number('A', x=3)")).preview(expect_failure=True)
    assert "tiles[0].y is required if x is given; leave out both to have the tile placed" in "\n".join(result.errors)


def test_servers_require_places(http: httpx.Client) -> None:
    """Requests that no provider has completed are refused, as by the vendor's servers."""
    config = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
    response = http.post(
        "/dashboards", json={"name": "Orders", "tiles": [{"name": "A", "x": 0, "w": 1, "config": config}]}
    )
    assert response.status_code == 400
    assert [name for name in "xywh" if f"tiles.0.{name}: Required" in response.json()["message"]] == ["y", "h"]
