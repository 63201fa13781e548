"""Comparison of two pictures of a dashboard: each kind of change has a mark, in words and in colour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clouddb_tools.render.diff import Comparison, compare, compare_all
from clouddb_tools.render.files import DiffDrawing
from clouddb_tools.render.objects import Item, pictures
from clouddb_tools.render.svg import HALF, NARROW
from clouddb_tools.render.svg_diff import comparison_svg
from codegen.pictures import changed, items
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.values import UNKNOWN
from support.pictures import LINE, alert, dashboard, groups, parsed, picture, texts, tile, tiles

ORIGINS = ("state of dev", "preview of dev")


def config(**more: Any) -> dict[str, Any]:
    """Return a config with changes."""
    return {**LINE, **more}


BEFORE = tile("a", 0, 0, 6, 3, config=config(groupBy="Region"))
Change = tuple[list[Any], list[Any], dict[str, str], list[str]]

CHANGES: dict[str, Change] = {
    "nothing": ([BEFORE], [BEFORE], {}, []),
    "another order": ([BEFORE, tile("b")], [tile("b"), BEFORE], {}, []),
    "a tile is added": ([BEFORE], [BEFORE, tile("b")], {"b": "added"}, []),
    "a tile is removed": ([BEFORE, tile("b")], [BEFORE], {"b": "removed"}, []),
    "a tile moves": (
        [BEFORE],
        [{**BEFORE, "x": 6}],
        {"a": "moved"},
        ["place: column 0, row 0, 6 wide, 3 high → column 6, row 0, 6 wide, 3 high"],
    ),
    "a property changes": (
        [BEFORE],
        [{**BEFORE, "config": config(groupBy="Zone")}],
        {"a": "changed"},
        ["config.groupBy: Region → Zone"],
    ),
    "a property is new": (
        [BEFORE],
        [{**BEFORE, "config": config(groupBy="Region", seriesLimit=3)}],
        {"a": "changed"},
        ["config.seriesLimit: 3 (new)"],
    ),
    "a property goes": ([BEFORE], [{**BEFORE, "config": LINE}], {"a": "changed"}, ["config.groupBy: Region (gone)"]),
    "a list grows": (
        [BEFORE],
        [{**BEFORE, "config": config(groupBy="Region", select=[*LINE["select"], {"aggFn": "max"}])}],
        {"a": "changed"},
        ['config.select[1]: {"aggFn": "max"} (new)'],
    ),
    "it becomes true where it was one": (
        [{**BEFORE, "config": config(limit=1)}],
        [{**BEFORE, "config": config(limit=True)}],
        {"a": "changed"},
        ["config.limit: 1 → true"],
    ),
    "a large number changes": (
        [{**BEFORE, "config": config(limit=1234567.0)}],
        [{**BEFORE, "config": config(limit=1234568.0)}],
        {"a": "changed"},
        ["config.limit: 1234567 → 1234568"],
    ),
    "renamed under its key": ([tile("a", key="k")], [tile("b", key="k")], {"k": "changed"}, ["name: a → b"]),
    "renamed without a key": ([tile("a")], [tile("b")], {"a": "removed", "b": "added"}, []),
    "changed and moved": (
        [BEFORE],
        [{**BEFORE, "y": 4, "config": LINE}],
        {"a": "changed, moved"},
        ["config.groupBy: Region (gone)", "place: column 0, row 0, 6 wide, 3 high → column 0, row 4, 6 wide, 3 high"],
    ),
    "not known yet": (
        [BEFORE],
        [{**BEFORE, "config": config(groupBy=UNKNOWN)}],
        {"a": "changed"},
        ["config.groupBy: Region → [unknown]"],
    ),
    "secret now": (
        [BEFORE],
        [{**BEFORE, "config": config(groupBy=Secret("hunter2"))}],
        {"a": "changed"},
        ["config.groupBy: Region → [secret]"],
    ),
}


def compared(before: list[Any], after: list[Any]) -> Comparison:
    """Compare two dashboards with these tiles."""
    return compare(picture(dashboard(*before)), picture(dashboard(*after)))


@pytest.mark.parametrize("name", [UNKNOWN, "errors"])
def test_tiles_of_the_same_name_without_keys_are_distinct(name: Any) -> None:
    """Two new names may be unknown in a preview, and a server accepts two tiles of the same name."""
    comparison = compared([tile("a")], [tile(name), tile(name, 6, 0, 6, 3), tile(name, 12, 0, 6, 3)])
    assert comparison.headline == "3 tiles added, 1 tile removed."
    assert len({each.key for each in comparison.tiles}) == 4


@pytest.mark.parametrize(("before", "after", "marks", "words"), CHANGES.values(), ids=CHANGES)
def test_each_change_has_a_mark_and_words(
    before: list[Any], after: list[Any], marks: dict[str, str], words: list[str]
) -> None:
    """They are on the tile and in the list below the pictures."""
    comparison = compared(before, after)
    assert {each.key: each.words for each in comparison.tiles} == marks
    assert [line.words for each in comparison.tiles for line in each.properties] == words
    drawing = DiffDrawing([comparison], ORIGINS)
    root = parsed(drawing.text(".svg"))
    assert {each.get("data-key"): each.get("data-mark") for each in groups(root, "tile") if each.get("data-mark")} == {
        key: mark.partition(",")[0] for key, mark in marks.items()
    }
    for mark in marks.values():
        assert sum(mark in texts(each) for each in groups(root, "tile")) == 1 + mark.startswith(("changed", "moved"))
    (listed,) = groups(root, "changes")
    assert [each for each in texts(listed) if each in words] == words
    assert "hunter2" not in drawing.text(".svg") + drawing.text(".html")


ALERTS: dict[str, tuple[list[Item], list[Item], str]] = {
    "new": ([], [alert("a")], "alert errors: at or above 100, every 5m (new)"),
    "gone": ([alert("a")], [], "alert errors: at or above 100, every 5m (gone)"),
    "another threshold": (
        [alert("a")],
        [alert("a", threshold=5)],
        "alert errors: at or above 100, every 5m → at or above 5, every 5m",
    ),
    "the first of two with the same name": (
        [alert("a"), alert("a", threshold=200)],
        [alert("a", threshold=5), alert("a", threshold=200)],
        (
            "alert errors: at or above 100, every 5m; at or above 200, every 5m → "
            "at or above 5, every 5m; at or above 200, every 5m"
        ),
    ),
    "another channel": (
        [alert("a", channel={"type": "webhook", "webhookId": "x"})],
        [alert("a", channel={"type": "webhook", "webhookId": "y", "severity": "error"})],
        "alert errors: at or above 100, every 5m, webhook x → at or above 100, every 5m, webhook y",
    ),
}


@pytest.mark.parametrize(("before", "after", "words"), ALERTS.values(), ids=ALERTS)
def test_changed_alert_changes_its_tile(before: list[Item], after: list[Item], words: str) -> None:
    """The picture shows a changed threshold."""
    board = dashboard(tile("a"))
    comparison = compare(picture(board, *before), picture(board, *after))
    (change,) = comparison.tiles
    assert [each.words for each in change.properties] == [words]


OWN: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "its name": ({}, {"name": "Store"}, ["name: Shop → Store"]),
    "a tag": ({"tags": ["a"]}, {"tags": ["a", "b"]}, ["tags[1]: b (new)"]),
    "a filter": (
        {"filters": [{"name": "a", "expression": "x"}, {"name": "b", "expression": "y"}]},
        {"filters": [{"name": "b", "expression": "z"}]},
        ['filters[a]: {"name": "a", "expression": "x"} (gone)', "filters[b].expression: y → z"],
    ),
    "an empty text": ({"savedQuery": ""}, {"savedQuery": "a:1"}, ['savedQuery: "" → a:1']),
}


@pytest.mark.parametrize(("before", "after", "words"), OWN.values(), ids=OWN)
def test_properties_of_the_dashboard_are_compared(
    before: dict[str, Any], after: dict[str, Any], words: list[str]
) -> None:
    """Filters are compared by name: removing one does not change the next."""
    comparison = compare(picture(dashboard(tile("a"), **before)), picture(dashboard(tile("a"), **after)))
    assert [each.words for each in comparison.properties] == words
    assert not comparison.tiles


SIDES: dict[str, tuple[Callable[[], Comparison], str]] = {
    "added": (lambda: compare(None, picture(dashboard(tile("a")))), "The dashboard is added."),
    "removed": (lambda: compare(picture(dashboard(tile("a"))), None), "The dashboard is removed, with its alerts."),
    "the same": (lambda: compared([BEFORE], [BEFORE]), "Nothing changes."),
}


@pytest.mark.parametrize(("make", "headline"), SIDES.values(), ids=SIDES)
def test_new_and_deleted_dashboards_are_compared_with_none(make: Callable[[], Comparison], headline: str) -> None:
    """Only the side with the dashboard is drawn, in full width, and no tile has a mark."""
    comparison = make()
    root = parsed(DiffDrawing([comparison], ORIGINS).text(".svg"))
    assert headline in texts(root)
    sides = [bool(groups(root, name)) for name in ("before", "after")]
    assert sides == [comparison.before is not None, comparison.after is not None]
    assert not {"added", "removed"} & set(texts(root))
    assert float(root.get("width") or 0) < 2 * HALF.width or all(sides)


def test_new_dashboard_is_drawn_beside_a_changed_one() -> None:
    """It has the width of both sides."""
    changed = compared([BEFORE], [{**BEFORE, "config": LINE}])
    root = parsed(DiffDrawing([compare(None, picture(dashboard(tile("a")))), changed], ORIGINS).text(".svg"))
    assert [len(groups(root, name)) for name in ("before", "after")] == [1, 2]
    assert float(root.get("width") or 0) > 2 * HALF.width


def test_before_and_after_are_drawn_side_by_side() -> None:
    """Both sides name their origin."""
    root = parsed(DiffDrawing([compared([BEFORE], [BEFORE])], ORIGINS).text(".svg"))
    (before,), (after,) = groups(root, "before"), groups(root, "after")
    assert texts(before)[0] == "Before: state of dev"
    assert texts(after)[0] == "After: preview of dev"
    edges = [next(iter(each.iter("{http://www.w3.org/2000/svg}text"))).get("x") for each in (before, after)]
    assert float(edges[0] or 0) < float(edges[1] or 0)


def test_phones_show_only_changed_tiles() -> None:
    """Both sides of an unchanged tile would be far apart."""
    comparison = compared([BEFORE, tile("b"), tile("c")], [{**BEFORE, "config": LINE}, tile("b"), tile("c")])
    root = comparison_svg([comparison], ORIGINS, NARROW)
    found = [each.get("data-key") for each in root.iter("g") if each.get("class") == "tile"]
    assert found == ["a", "a"]
    assert any("2 more tiles stay unchanged." in (each.text or "") for each in root.iter("text"))


def test_example_shows_every_mark() -> None:
    """docs/pictures/change.svg has all marks."""
    (comparison,) = compare_all(pictures(items()), pictures(items(changed(), 50)))
    assert {each.kind for each in comparison.tiles} == {"added", "changed", "removed", "moved"}
    root = parsed(DiffDrawing([comparison], ORIGINS).text(".svg"))
    assert tiles(root)
