"""Examples of alerts."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .dashboard import WATCHED
from .example import Example, Examples
from .source import FOUND_LOGS
from .webhook import WEBHOOK_STEP

_ON_A_CHART = {
    "name": "Too many errors",
    "chartConfig": {
        "displayType": "line",
        "sourceId": Ref("logs.id"),
        "select": [{"aggFn": "count", "where": "SeverityText:error"}],
    },
    "threshold": 100,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": Ref("onCall.id")},
    "tags": ["shop"],
}

EXAMPLES: Examples = {
    "Alert": (
        Example("Watch a tile", WATCHED),
        Example(
            "Watch a chart of its own, on a self-hosted server newer than 2.36",
            [FOUND_LOGS, WEBHOOK_STEP, Step("tooManyErrors", "Alert", _ON_A_CHART)],
        ),
    ),
    "getAlert": (
        Example(
            "Read an alert", [Step("alert", "getAlert", {"alertId": "alert-1"})], {"alertState": Ref("alert.state")}
        ),
    ),
    "listAlerts": (Example("List alerts", [Step("found", "listAlerts")], {"alerts": Ref("found.alerts")}),),
}
