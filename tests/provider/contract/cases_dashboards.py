"""Dashboards and alerts: tiles and their ids, quirks of the server, alerts that are deleted with their tile."""

from __future__ import annotations

from typing import Any

from clouddb_tools.testing import UNKNOWN
from lives.life import a_dashboard, a_service
from lives.wire import tile
from support.ids import CALM

from .case import Case, Step
from .differences import PREVIEWS
from .steps import change, check, create, delete, diff, has, later_command, preview_update, refresh, update

A, B = tile("A", x=0, y=0, w=4, h=2), tile("B", x=4, y=0, w=4, h=2)
BOARD = {"name": "Orders", "tags": ["shop"], "tiles": [A, B]}
ALERT = {
    "dashboardId": "$dashboard_id",
    "tileId": "$one",
    "threshold": 10,
    "interval": "5m",
    "source": "tile",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": CALM},
}
PREVIEWED = frozenset({PREVIEWS})


def board(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a dashboard."""
    return Case(f"dashboard: {name}", "Dashboard", steps, **more)


def alert(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of an alert."""
    return Case(f"alert of a tile: {name}", "Alert", steps, **{"setting": a_dashboard, **more})


def previewed(name: str, tiles: list[Any], tile_ids: Any) -> Case:
    """Return a case of the preview of an update to other tiles."""
    return board(
        name,
        has({"name": "Orders", "tiles": [A, B]}, tileIds={"a": "1", "b": "2"}),
        preview_update({"name": "Other", "tiles": tiles}, outputs={"tileIds": tile_ids}),
        server=None,
        differs=PREVIEWED,
    )


CASES = [
    previewed("in a preview, unchanged tiles keep their ids", [A, B], {"a": "1", "b": "2"}),
    previewed(
        "in a preview, renamed, moved and partly unknown tiles keep their ids",
        [{**B, "name": "Other"}, {**A, "h": UNKNOWN}],
        {"b": "2", "a": "1"},
    ),
    previewed("in a preview, the id of a new tile is unknown", [A, {"name": "C"}], {"a": "1", "C": UNKNOWN}),
    previewed("in a preview, an unknown key makes all ids unknown", [A, {"name": UNKNOWN}], UNKNOWN),
    board(
        "reordered tiles keep their ids",
        create(BOARD),
        update({**BOARD, "tiles": [B, A]}),
        diff({**BOARD, "tiles": [B, A]}, changes=False),
    ),
    board(
        "a tile that was removed by hand is restored",
        create(BOARD),
        change(lambda run: run.sandbox.change("dashboards", run.id, tiles=run.sandbox.dashboards[run.id]["tiles"][1:])),
        later_command(),
        refresh(),
        diff(BOARD, changes=True),
        update(BOARD),
    ),
    board("removed tags are sent as an empty list", create(BOARD), update({"name": "Orders", "tiles": [A, B]})),
    board("repeated tags are no drift", create({**BOARD, "tags": ["a", "a"]}), later_command(), refresh()),
    board(
        "a server that returns tiles as config",
        create(BOARD),
        later_command(),
        refresh(),
        diff(BOARD, changes=False),
        server={"vocabulary": "clickhouse"},
    ),
    board("deleting it deletes its alerts", create(BOARD), delete(), refresh(id="")),
    board(
        "one without tiles",
        create({"name": "Empty", "tiles": []}),
        refresh(),
        diff({"name": "Empty", "tiles": []}, changes=False),
    ),
    board(
        "free-form configuration is unchanged",
        create({"name": "Free", "tiles": [{"name": "f", "config": {"a b": {"c": [1, 2.5, None, True]}, "d": ""}}]}),
    ),
    board("a server with documented operations only", create(BOARD, fails="."), server={"documented_only": True}),
    board(
        "a missing service is reported",
        create({**BOARD, "serviceId": "11111111-2222-4333-8444-555555555555"}, fails="404"),
    ),
    board(
        "a wrong token is reported",
        create(BOARD, fails="401"),
        config={"clouddb:stackToken": "another-token"},
    ),
    board(
        "check accepts unknown values at any depth",
        check(
            {
                "name": UNKNOWN,
                "tiles": [
                    {"key": "a", "name": UNKNOWN, "series": [{"type": "number", "where": UNKNOWN}]},
                    {"name": "b", "x": "left"},
                ],
            },
            failures=["tiles[1].x"],
        ),
        server=None,
    ),
    board(
        "check reports tiles with the same name",
        check({"name": "d", "tiles": [{"name": "a"}, {"name": "a"}]}, failures=["tiles"]),
        server=None,
    ),
    alert(
        "a new one sends one create after one list",
        create(ALERT),
        sends=("self_hosted_list_alerts", "self_hosted_create_alert"),
    ),
    alert(
        "one that was deleted with its tile is created again",
        create(ALERT),
        change(lambda run: run.sandbox.remove("alerts", run.id)),
        later_command(),
        update({**ALERT, "threshold": 11}),
        refresh(outputs={"threshold": 11}),
        warns=(
            "Alert <0> no longer existed: a server deletes it with its tile. It was created again, with the id <4>.",
        ),
    ),
    alert(
        "a missing tile is reported",
        create({**ALERT, "tileId": "0" * 24}, fails="."),
    ),
    alert(
        "check fills in the default source",
        check({name: value for name, value in ALERT.items() if name != "source"}, failures=[]),
        server=None,
        setting=None,
    ),
    alert(
        "check reports everything",
        check({"name": ""}, failures=["threshold", "interval", "thresholdType", "name", "channel"]),
        server=None,
        setting=None,
    ),
    alert(
        "in a service, on a server with documented operations only",
        create({**ALERT, "serviceId": "$service_id", "dashboardId": "d", "tileId": "t"}, fails="Dashboard not found"),
        setting=a_service,
        server={"documented_only": True},
    ),
]
