"""Dashboards of servers that compare versions: an update loses no edit, and makes the program's changes."""

from __future__ import annotations

import json
from typing import Any

from .case import Case, Run, Step
from .cases_vendor_dashboards import BOARD, ERRORS, LINE, PLACE, SPEED, change_tile, record, record_matches
from .steps import change, create, diff, fault, from_here_on, later_command, refresh, update

VERSIONS = {"vocabulary": "clickhouse", "versions": True}
FASTER = {**ERRORS, "config": {**LINE, "groupBy": "ServiceName"}}
EDITED = {**LINE, "select": [{"aggFn": "max", "valueExpression": "Duration"}]}
NEW = {"key": "new", "name": "New", **PLACE, "y": 3, "config": LINE}
NOTE = {"name": "Note", **PLACE, "y": 9, "config": {"displayType": "markdown", "markdown": "by hand"}}
KEPT = "dashboard 'Orders' (id "
LOST_EDIT = r"program changes the same: tile 'errors'. Nothing was sent\nRun `pulumi up --refresh`"


def of(*tiles: Any, **more: Any) -> dict[str, Any]:
    """Return a dashboard with these tiles."""
    return {**BOARD, "tiles": [*tiles], **more}


def board(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a dashboard on a server that compares versions."""
    return Case(f"dashboard with a version: {name}", "Dashboard", steps, **{"server": VERSIONS, **more})


def add_tile(tile: dict[str, Any]) -> Step:
    """Add a tile directly on the server."""

    def act(run: Run) -> None:
        tiles = [*record(run)["tiles"], {**tile, "id": "0123456789abcdef01234567"}]
        run.sandbox.change("dashboards", run.id, tiles=tiles)

    return change(act)


def tiles_are(**config: Any) -> Step:
    """Assert the names of the tiles on the server, with a part of their configs."""

    def matches(board: Any, _: Run) -> bool:
        shown = {tile["name"]: tile["config"] for tile in board["tiles"]}
        return [*shown] == [*config] and all(
            shown[tile].get(name) == value for tile, values in config.items() for name, value in values.items()
        )

    return record_matches(matches)


def _ids(run: Run) -> dict[str, str]:
    return {tile["name"]: tile["id"] for tile in record(run)["tiles"]}


def _remember(run: Run) -> None:
    run.names["ids"] = json.dumps(_ids(run))


def _compare(run: Run) -> None:
    before = json.loads(run.names["ids"])
    now = _ids(run)
    assert {name: now.get(name) for name in before} == before


REMEMBER, SAME_IDS = change(_remember), change(_compare)
"""Remember the ids of the tiles by name, and compare the later ones."""

CASES = [
    board(
        "an edit of another tile is kept, and the next update sets it back",
        create(BOARD),
        later_command(),
        change_tile(1, config={"displayType": "markdown", "markdown": "by hand"}),
        REMEMBER,
        update(of(FASTER, SPEED)),
        SAME_IDS,
        tiles_are(Errors={"groupBy": "ServiceName"}, Speed={"markdown": "by hand"}),
        diff(of(FASTER, SPEED), changes=True),
        later_command(),
        update(of(FASTER, SPEED)),
        tiles_are(Errors={"groupBy": "ServiceName"}, Speed={"displayType": "table"}),
        diff(of(FASTER, SPEED), changes=False),
        warns=(KEPT,),
    ),
    board(
        "a tile that somebody has added is kept with its id",
        create(BOARD),
        later_command(),
        add_tile(NOTE),
        REMEMBER,
        update(of(FASTER, SPEED, NEW)),
        SAME_IDS,
        record_matches(
            lambda board, _: [each["name"] for each in board["tiles"]] == ["Errors", "Speed", "New", "Note"]
        ),
        diff(of(FASTER, SPEED, NEW), changes=True),
        warns=(KEPT,),
    ),
    board(
        "an edit of the same tile is refused until a refresh shows it",
        create(BOARD),
        later_command(),
        change_tile(0, config=EDITED),
        update(of(FASTER, SPEED), fails=LOST_EDIT),
        tiles_are(Errors=EDITED, Speed={}),
        later_command(),
        refresh(),
        update(of(FASTER, SPEED)),
        tiles_are(Errors={"groupBy": "ServiceName"}, Speed={}),
        diff(of(FASTER, SPEED), changes=False),
    ),
    board(
        "an update whose response is lost is not taken for an edit",
        create(BOARD),
        later_command(),
        update(of(FASTER, SPEED)),
        REMEMBER,
        fault("self_hosted_update_dashboard", "lose"),
        update(of(ERRORS, {**SPEED, "name": "Slow"}, NEW)),
        tiles_are(Errors={}, Slow={}, New={}),
        diff(of(ERRORS, {**SPEED, "name": "Slow"}, NEW), changes=False),
        refresh(),
        diff(of(ERRORS, {**SPEED, "name": "Slow"}, NEW), changes=False),
        warns=(),
    ),
    board(
        "a run that ended after its update is not taken for an edit",
        create(BOARD),
        later_command(),
        update(of(FASTER, SPEED)),
        fault("self_hosted_update_dashboard", "commit_then_status", status=500, times=1),
        update(of(ERRORS, NEW), fails="500"),
        REMEMBER,
        later_command(),
        update(of(ERRORS, NEW)),
        SAME_IDS,
        tiles_are(Errors={}, New={}),
        diff(of(ERRORS, NEW), changes=False),
        warns=(),
    ),
    board(
        "the first update of a run finds out that there are versions, and later ones name them",
        create(BOARD),
        later_command(),
        from_here_on(),
        update(of(FASTER, SPEED)),
        update(BOARD),
        sends=(
            "self_hosted_list_alerts",
            "self_hosted_update_dashboard",
            "self_hosted_get_dashboard",
            "self_hosted_update_dashboard",
            "self_hosted_get_dashboard",
            "self_hosted_update_dashboard",
        ),
    ),
    board(
        "without a version, an update needs no request more",
        create(BOARD),
        later_command(),
        from_here_on(),
        update(of(FASTER, SPEED)),
        update(BOARD),
        server={"vocabulary": "clickhouse"},
        sends=("self_hosted_list_alerts", "self_hosted_update_dashboard", "self_hosted_update_dashboard"),
    ),
]
