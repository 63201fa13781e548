"""Pictures of a preview: the tile of an alert, which may not exist yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.render.objects import from_steps, pictures
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXT
from support.checkout import STACK, Checkout
from support.drawn import ALERT, BOARD, TILES, Values, alert, board, resource
from support.five import native_program
from support.ids import CALM
from support.pictures import parsed, texts, tile

Steps = list[tuple[Values, Values]]
PREVIEWS: dict[str, tuple[Steps, list[str], list[str]]] = {
    "nothing changes": ([(board(), board()), (alert(), alert())], ["a"], []),
    "all is created": (
        [({}, resource(BOARD, {"tiles": TILES})), ({}, alert(UNKNOWN_TEXT, UNKNOWN_TEXT))],
        [],
        ["errors"],
    ),
    "the dashboard is updated, and its tile ids are not known": (
        [(board(), board()), (alert(), alert(UNKNOWN_TEXT))],
        ["a"],
        [],
    ),
    "an alert moves to another tile": ([(board(), board()), (alert(), alert("id-b"))], ["b"], []),
    "an alert is deleted": ([(board(), board()), (alert(), {})], [], []),
    "an alert on a tile that goes": ([(board(), board(TILES[1:])), (alert(), alert(UNKNOWN_TEXT))], [], ["errors"]),
}
DEPENDS = {ALERT: {"tileId": [BOARD], "dashboardId": [BOARD]}}


@pytest.mark.parametrize(("steps", "on", "strays"), PREVIEWS.values(), ids=PREVIEWS)
def test_alerts_of_a_preview_are_on_the_known_tile(steps: Steps, on: list[str], strays: list[str]) -> None:
    """If the preview does not have the tile, it is the one in state; if both lack it, the alert is on no tile."""
    before, after = from_steps(steps, DEPENDS)
    (picture,) = pictures(after, before).values()
    assert [each.key for each in picture.tiles if each.alerts] == on
    assert [each.name for each in picture.unplaced] == strays


MORE = [*TILES, tile("c", 0, 5, 12, 5)]
NEW_BOARD: tuple[Values, Values] = ({}, resource(BOARD, {"tiles": TILES}))
NEW_ALERT: tuple[Values, Values] = ({}, alert(UNKNOWN_TEXT, UNKNOWN_TEXT))
MADE_FROM = {"tileId": [BOARD], "dashboardId": [BOARD]}


def updated(*new: str) -> tuple[Values, Values]:
    """Return both sides of a dashboard with a new third tile, as from the plugin: its id is not known yet."""
    ids = {key: UNKNOWN_TEXT if key in new else f"id-{key}" for key in "abc"}
    after = board(MORE)
    return board(), {**after, "outputs": {**after["outputs"], "tileIds": ids}}


NEW_TILES: dict[str, tuple[Steps, Values, Values, list[str], list[str]]] = {
    "the program tells the key": ([NEW_BOARD, NEW_ALERT], {"tileId": "b"}, MADE_FROM, ["b"], []),
    "the program tells a key that no tile has": ([NEW_BOARD, NEW_ALERT], {"tileId": "x"}, MADE_FROM, [], ["errors"]),
    "an alert moves while no id is known": (
        [(board(), board()), (alert(), alert(UNKNOWN_TEXT))],
        {"tileId": "b"},
        MADE_FROM,
        ["b"],
        [],
    ),
    "the only tile of a new dashboard": (
        [({}, resource(BOARD, {"tiles": TILES[:1]})), NEW_ALERT],
        {},
        MADE_FROM,
        ["a"],
        [],
    ),
    "the only new tile": ([updated("c"), ({}, alert(UNKNOWN_TEXT))], {}, MADE_FROM, ["c"], []),
    "an alert moves to the only new tile": ([updated("c"), (alert(), alert(UNKNOWN_TEXT))], {}, MADE_FROM, ["c"], []),
    "an alert moves to one of two new tiles": (
        [updated("b", "c"), (alert(), alert(UNKNOWN_TEXT))],
        {},
        MADE_FROM,
        [],
        ["errors"],
    ),
    "an id of somewhere else": (
        [({}, resource(BOARD, {"tiles": TILES[:1]})), NEW_ALERT],
        {},
        {"dashboardId": [BOARD]},
        [],
        ["errors"],
    ),
    "an alert on no tile": (
        [({}, resource(BOARD, {"tiles": TILES[:1]})), ({}, alert(None, UNKNOWN_TEXT))],
        {},
        {"dashboardId": [BOARD]},
        [],
        ["errors"],
    ),
}


@pytest.mark.parametrize(("steps", "taken", "depends", "on", "strays"), NEW_TILES.values(), ids=NEW_TILES)
def test_alerts_are_on_new_tiles_with_a_known_key(
    steps: Steps, taken: Values, depends: Values, on: list[str], strays: list[str]
) -> None:
    """A Python program has the key; without it, an unknown id is that of a new tile."""
    before, after = from_steps(steps, {ALERT: depends}, {ALERT: taken})
    (picture,) = pictures(after, before).values()
    assert [each.key for each in picture.tiles if each.alerts] == on
    assert [each.name for each in picture.unplaced] == strays


@pytest.mark.cli("git")
def test_alert_is_drawn_on_the_only_new_tile_with_the_plugin(tmp_path: Path, sandbox: Sandbox) -> None:
    """This holds for new and existing dashboards; if two tiles are new, the alert is below the picture."""

    def program(*keys: str, watched: str) -> str:
        board = {"name": "Shop", "tiles": [tile(key, 0, 5 * row, 12, 5) for row, key in enumerate(keys)]}
        rule = {"threshold": 100, "thresholdType": "above", "interval": "5m"}
        where = {"dashboardId": Ref("board.id"), "tileId": Ref("board.tileIds", watched)}
        channel = {"type": "webhook", "webhookId": CALM}
        steps = [
            Step("board", "Dashboard", board),
            Step(f"on_{watched}", "Alert", {**rule, **where, "channel": channel}),
        ]
        return native_program(steps)

    checkout = Checkout(tmp_path, sandbox, program("a", watched="a"))

    def on_its_tile(name: str) -> bool:
        command = [sys.executable, "-m", "clouddb_tools.commands", "render", "--stack", STACK, "-o", "x.svg"]
        subprocess.run(command, cwd=checkout.folder, env=dict(checkout.env), capture_output=True, check=True)
        svg = (checkout.folder / "x.svg").read_text(encoding="utf-8")
        return f"{name}: at or above 100, every 5m" not in texts(parsed(svg))

    assert on_its_tile("on_a")
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    checkout.write(program("a", "b", watched="b"))
    assert on_its_tile("on_b")
    checkout.write(program("a", "b", "c", watched="b"))
    assert not on_its_tile("on_b")
