"""A tile whose key is added or removed keeps its id, and with it its alerts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY
from pulumi_clouddb.engine.wire.side_channels import KEYS_VARIABLE, read_tile_keys
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.dashboards.resource import DashboardResource
from support.ids import LOGS
from support.plugin import NativePlugin

MakeStack = Callable[..., FakeEngineStack]
Tile = dict[str, Any]


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


def tile(name: str, key: str | None = None) -> Tile:
    """Return a tile."""
    return {"name": name, **({"key": key} if key else {})}


KEYS: dict[str, tuple[list[Tile], dict[str, str], list[Tile], dict[str, Any]]] = {
    "a new key": ([tile("A")], {"A": "1"}, [tile("A", "a")], {"a": "1"}),
    "a key equal to the name": ([tile("A")], {"A": "1"}, [tile("A", "A")], {"A": "1"}),
    "the key is removed": ([tile("A", "a")], {"a": "1"}, [tile("A")], {"A": "1"}),
    "the key changes to the name": ([tile("A", "a")], {"a": "1"}, [tile("A", "A")], {"A": "1"}),
    "keys for all, in another order": (
        [tile("A"), tile("B")],
        {"A": "1", "B": "2"},
        [tile("B", "b"), tile("A", "a")],
        {"b": "2", "a": "1"},
    ),
    "an import's second tile of a name": (
        [tile("A"), tile("A", "A 2")],
        {"A": "1", "A 2": "2"},
        [tile("A"), tile("A", "second")],
        {"A": "1", "second": "2"},
    ),
    "another key": ([tile("A", "a")], {"a": "1"}, [tile("A", "b")], {"b": UNKNOWN}),
    "a key and another name": ([tile("A")], {"A": "1"}, [tile("B", "b")], {"b": UNKNOWN}),
    "another tile of that name": ([tile("A")], {"A": "1"}, [tile("A"), tile("A", "new")], {"A": "1", "new": UNKNOWN}),
    "two possible tiles": (
        [tile("A"), tile("A", "A 2")],
        {"A": "1", "A 2": "2"},
        [tile("A", "one"), tile("A", "two")],
        {"one": UNKNOWN, "two": UNKNOWN},
    ),
    "two possible previous tiles": (
        [tile("A", "a"), tile("A", "b")],
        {"a": "1", "b": "2"},
        [tile("A")],
        {"A": UNKNOWN},
    ),
    "one of two new tiles": ([tile("A")], {"A": "1"}, [tile("A", "a"), tile("A", "b")], {"a": UNKNOWN, "b": UNKNOWN}),
    "a key that another tile had": ([tile("A"), tile("B", "a")], {"A": "1", "a": "2"}, [tile("A", "a")], {"a": "2"}),
    "tiles without a name": (
        [{"key": "a"}, {"key": "b"}],
        {"a": "1", "b": "2"},
        [{"key": "a"}, {"key": "c"}],
        {"a": "1", "c": UNKNOWN},
    ),
    "an unknown name": ([tile("A")], {"A": "1"}, [{"key": "a", "name": UNKNOWN}], {"a": UNKNOWN}),
}


@pytest.mark.parametrize(("before", "ids", "after", "previewed"), KEYS.values(), ids=KEYS)
def test_ids_in_a_preview(
    before: list[Tile], ids: dict[str, str], after: list[Tile], previewed: dict[str, Any]
) -> None:
    """A preview returns the id of each known tile; an ambiguous tile has an unknown id."""
    inputs = {"name": "Orders", "tiles": before}
    old = {**inputs, "tileIds": ids, "__managed": sorted(inputs)}
    new = {**inputs, "name": "Returns", "tiles": after}
    assert DashboardResource().preview_outputs(old, new)["tileIds"] == previewed


PROGRAM = """
import pulumi_clouddb as clouddb

board = clouddb.Dashboard("board", name="Orders", tiles=[
    clouddb.TileArgs({errors} x=0, y=0, w=6, h=3, series=[{series}]),
    clouddb.TileArgs({speed} x=6, y=0, w=6, h=3, series=[{series}]),
])
clouddb.Alert("errors", dashboard_id=board.id, tile_id=board.tile_ids[{key!r}], threshold=5, interval="5m",
    threshold_type="above", channel=clouddb.AlertChannelArgs(type="webhook", webhook_id="w"))
"""
SERIES = f"clouddb.SeriesArgs(type='time', agg_fn='count', source_id={LOGS!r}, where='', group_by=[])"


def program(key: str, errors: str, speed: str) -> str:
    """Return a program with a dashboard of two tiles, and an alert on the first."""
    return PROGRAM.format(key=key, errors=errors, speed=speed, series=SERIES)


PLAIN = program("Errors", "name='Errors',", "name='Speed',")
KEYED = program("errors", "key='errors', name='Errors',", "key='speed', name='Speed',")


def test_alerts_are_kept_when_keys_of_tiles_change(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> None:
    """The update sends the ids, so that neither tile nor alert is replaced; the next preview is empty."""
    stack = clouddb_stack(PLAIN)
    stack.up()
    board, alert = stack.resource("board"), stack.resource("errors")
    ids = board.outputs["tileIds"]
    for text, renamed in (
        (KEYED, {"errors": "Errors", "speed": "Speed"}),
        (PLAIN, {"Errors": "Errors", "Speed": "Speed"}),
    ):
        stack.set_program(text)
        clouddb_sandbox.forget_requests()
        stack.up()
        sent = next(each.body for each in clouddb_sandbox.requests if each.method == "PUT")
        assert [each["id"] for each in sent["tiles"]] == [ids["Errors"], ids["Speed"]]
        assert stack.resource("board").outputs["tileIds"] == {key: ids[name] for key, name in renamed.items()}
        assert list(clouddb_sandbox.alerts) == [alert.id]
        assert stack.preview().no_changes
        assert stack.refresh().no_changes


def test_preview_writes_tile_keys_to_the_requested_file(clouddb_stack: MakeStack, tmp_path: Path) -> None:
    """The registration is the same with and without the file; a file that cannot be written is not a failure."""
    file = tmp_path / "keys"
    assert read_tile_keys(file) == {}
    registered = []
    for env in ({}, {KEYS_VARIABLE: str(file)}, {KEYS_VARIABLE: str(tmp_path)}):
        stack = clouddb_stack(KEYED, env=env)
        urn = next(step.urn for step in stack.preview().steps if step.name == "errors")
        if env == {KEYS_VARIABLE: str(file)}:
            assert read_tile_keys(file) == {urn: {"tileId": "errors"}}
        stack.up()
        alert = stack.resource("errors").inputs
        registered.append((alert.keys(), alert[REGISTRATION_KEY]))
        stack.destroy()
    assert registered == registered[:1] * 3


def test_imported_tile_can_get_a_key(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The preview shows only the key, and knows the ids."""
    series = [{"type": "time", "aggFn": "count", "where": "", "sourceId": LOGS}]
    tiles = [{"name": "Errors", "x": x, "y": 0, "w": 6, "h": 3, "series": series} for x in (0, 6)]
    board = clouddb_sandbox.add("dashboards", name="Orders", tags=[], tiles=tiles)
    first, second = (each["id"] for each in board["tiles"])
    with NativePlugin(clouddb_sandbox.config, tmp_path) as plugin:
        result = plugin.import_("Dashboard", board["id"])
        assert result.inputs is not None
        assert result.outputs["tileIds"] == {"Errors": first, f"Errors {second}": second}
        imported = result.inputs["tiles"]
        news = {**result.inputs, "tiles": [imported[0], {**imported[1], "key": "late"}]}
        diff = plugin.diff("Dashboard", result.id, result.outputs, news, result.inputs)
        assert diff.details == {"tiles[1].key": "UPDATE"}
        ids = {"Errors": first, "late": second}
        assert plugin.update("Dashboard", result.id, result.outputs, news, preview=True).outputs["tileIds"] == ids
        assert plugin.update("Dashboard", result.id, result.outputs, news).outputs["tileIds"] == ids
        news = {**result.inputs, "tiles": [{"key": "early", **imported[0]}, imported[1]]}
        diff = plugin.diff("Dashboard", result.id, result.outputs, news, result.inputs)
        assert diff.details == {"tiles[0].key": "ADD"}
