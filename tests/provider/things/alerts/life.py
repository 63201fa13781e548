"""Lives of alerts."""

from __future__ import annotations

from clouddb_tools.sandbox import Release
from lives.life import Inputs, Life, a_dashboard
from lives.wire import wire_life
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from support.ids import CALM, CONNECTION, LOGS, LOUD

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

CHART: Inputs = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
INLINE = Life(
    "Alert",
    before={
        "source": "inline",
        "chartConfig": CHART,
        "threshold": 10,
        "interval": "5m",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
        "displayName": "Errors",
        "tags": ["shop"],
    },
    after={
        "source": "inline",
        "chartConfig": {
            "configType": "sql",
            "displayType": "stacked_bar",
            "connectionId": CONNECTION,
            "sqlTemplate": "SELECT toStartOfInterval(t, toIntervalSecond({intervalSeconds:Int64})) AS ts, count() "
            "FROM t GROUP BY ts",
        },
        "threshold": 20.5,
        "interval": "1h",
        "thresholdType": "below",
        "channel": {"type": "webhook", "webhookId": LOUD},
        "displayName": "Rows",
        "tags": ["shop", "rows"],
    },
    drift={"threshold": 1, "chartConfig": CHART, "displayName": "Mine"},
    vocabulary=CLICKHOUSE,
    release=Release.OCTOBER_2026,
)
LIVES = {"alert": ALERT, "alert with a chart": INLINE}

WIRE_LIVES = [
    wire_life("alert", ALERT, known=frozenset({"alertId", "dashboard", "createdAt", "team"})),
    wire_life("alert with a chart", INLINE),
]

OF_NO_INPUT = frozenset({"state", "team", "alertId", "silenced", "executionErrors"})
"""Outputs that copy no input."""
