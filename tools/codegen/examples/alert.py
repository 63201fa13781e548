"""Examples of alerts."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .dashboard import ALERT_BODY, DASHBOARD_STEP
from .example import Example, Examples

EXAMPLES: Examples = {
    "Alert": (Example("Watch a tile", [DASHBOARD_STEP, Step("tooManyErrors", "Alert", ALERT_BODY)]),),
    "getAlert": (
        Example(
            "Read an alert", [Step("alert", "getAlert", {"alertId": "alert-1"})], {"alertState": Ref("alert.state")}
        ),
    ),
    "listAlerts": (Example("List alerts", [Step("found", "listAlerts")], {"alerts": Ref("found.alerts")}),),
}
