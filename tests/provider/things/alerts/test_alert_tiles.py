"""Alerts on kinds of tiles whose alerts the server deletes: a preview rejects them, and an import warns."""

from __future__ import annotations

from typing import Any

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.values import UNKNOWN
from support.front_ends import FrontEnds
from support.ids import LOGS

LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count", "where": "", "whereLanguage": "sql"}]}
PIE = {**LINE, "displayType": "pie"}
LOST = "the server deletes the alerts of a pie tile with the next update of the dashboard"


def create_objects(sandbox: Sandbox) -> tuple[str, dict[str, str], dict[str, Any]]:
    """Create a dashboard; return its id, the ids of its tiles, and the inputs of an alert on its pie tile."""
    tiles = [{"name": n, "x": 0, "y": 0, "w": 6, "h": 4, "config": c} for n, c in (("line", LINE), ("pie", PIE))]
    board = sandbox.add("dashboards", name="Shop", tiles=tiles)
    ids = {each["name"]: each["id"] for each in board["tiles"]}
    hook = sandbox.add("webhooks", name="On call", service="generic", url="https://hook.example.com")["id"]
    alert = {
        "dashboardId": board["id"],
        "tileId": ids["pie"],
        "source": "tile",
        "name": "Too many",
        "threshold": 10,
        "thresholdType": "above",
        "interval": "5m",
        "channel": {"type": "webhook", "webhookId": hook},
    }
    return board["id"], ids, alert


def test_preview_rejects_an_alert_that_the_server_would_delete(sandbox: Sandbox, processes: FrontEnds) -> None:
    """The tile must be known; an unknown tile or an unchanged alert causes no request."""
    _, ids, alert = create_objects(sandbox)
    processes.configure(sandbox.config)
    (failure,) = processes.check("Alert", alert).failures
    assert LOST in failure
    assert processes.check("Alert", {**alert, "tileId": ids["line"]}).failures == []
    sandbox.forget_requests()
    assert processes.check("Alert", {**alert, "tileId": UNKNOWN}).failures == []
    assert processes.check("Alert", {**alert, "threshold": 11}, alert).failures == []
    assert sandbox.requests == []


def test_import_warns_of_the_deletion(sandbox: Sandbox, processes: FrontEnds) -> None:
    """The alert is imported unchanged, because the program may still keep it."""
    _, _, alert = create_objects(sandbox)
    alert_id = sandbox.add("alerts", **alert)["id"]
    processes.configure(sandbox.config)
    imported = processes.native.read("Alert", alert_id, {})
    assert imported.inputs is not None
    assert imported.inputs["tileId"] == alert["tileId"]
    assert [each for each in processes.native.warnings if LOST in each]
