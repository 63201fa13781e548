"""Alerts on kinds of tiles that keep none: a preview refuses them, and an import warns of them."""

from __future__ import annotations

from typing import Any

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.schema.values import UNKNOWN
from support.front_ends import FrontEnds
from support.ids import LOGS

LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count", "where": "", "whereLanguage": "sql"}]}
PIE = {**LINE, "displayType": "pie"}
LOST = "the server deletes the alerts of a pie tile with the next update of the dashboard"


def there(sandbox: Sandbox) -> tuple[str, dict[str, str], dict[str, Any]]:
    """Make a dashboard; return its id, the ids of its tiles, and the inputs of an alert on its pie."""
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


def test_a_preview_refuses_what_the_server_would_delete(sandbox: Sandbox, processes: FrontEnds) -> None:
    """Where the tile is known; one that is not known yet, or was there before, costs no request."""
    _, ids, alert = there(sandbox)
    processes.configure(sandbox.config)
    (failure,) = processes.check("Alert", alert).failures
    assert LOST in failure
    assert processes.check("Alert", {**alert, "tileId": ids["line"]}).failures == []
    sandbox.forget_requests()
    assert processes.check("Alert", {**alert, "tileId": UNKNOWN}).failures == []
    assert processes.check("Alert", {**alert, "threshold": 11}, alert).failures == []
    assert sandbox.requests == []


def test_an_import_warns_of_it(sandbox: Sandbox, processes: FrontEnds) -> None:
    """The alert is imported as it is: it may be that somebody wants to save it."""
    _, _, alert = there(sandbox)
    alert_id = sandbox.add("alerts", **alert)["id"]
    processes.configure(sandbox.config)
    imported = processes.native.read("Alert", alert_id, {})
    assert imported.inputs is not None
    assert imported.inputs["tileId"] == alert["tileId"]
    assert [each for each in processes.native.warnings if LOST in each]
