"""Lives of alerts."""

from __future__ import annotations

from lives.life import Life, a_dashboard
from lives.wire import wire_life
from support.ids import CALM, LOUD

ALERT = Life(
    "Alert",
    before={
        "dashboardId": "$dashboard_id",
        "tileId": "$one",
        "source": "tile",
        "threshold": 10,
        "interval": "5m",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
        "name": "Too many",
    },
    after={
        "dashboardId": "$dashboard_id",
        "tileId": "$two",
        "source": "tile",
        "threshold": 20.5,
        "interval": "1h",
        "thresholdType": "below",
        "channel": {"type": "webhook", "webhookId": LOUD},
        "message": "Look.",
    },
    drift={"threshold": 1, "message": "never mind"},
    setting=a_dashboard,
)
LIVES = {"alert": ALERT}

WIRE_LIVES = [wire_life("alert", ALERT, known=frozenset({"alertId", "dashboard", "createdAt", "team"}))]

OF_NO_INPUT = frozenset({"state", "team", "alertId", "silenced", "executionErrors"})
"""Outputs that copy no input."""
