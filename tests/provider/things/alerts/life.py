"""Lives of alerts."""

from __future__ import annotations

from lives.life import Life, a_dashboard
from lives.wire import WireLife, hosted
from support.ids import CALM, LOUD

ALERT = Life(
    name="Alert",
    kind="alerts",
    setting=a_dashboard,
    before="""dashboard_id=dashboard_id, tile_id=one, threshold=10, interval='5m', threshold_type='above',
        channel=clouddb.AlertChannelArgs(type='webhook', webhook_id='65f5e4a3b9e77c001a567890'),
        name='Too many', message='Look.'""",
    after="""dashboard_id=dashboard_id, tile_id=two, threshold=20.5, interval='1h', threshold_type='below',
        channel=clouddb.AlertChannelArgs(type='webhook', webhook_id='65f5e4a3b9e77c001a567891'),
        name='Too few', message='Look now.'""",
    updated=frozenset(["tileId", "threshold", "interval", "thresholdType", "channel", "name", "message"]),
    drift=lambda sandbox, id_: sandbox.change("alerts", id_, threshold=1, message="never mind"),
    drifted=frozenset({"threshold", "message"}),
    as_wanted=lambda alert: (
        (alert["threshold"], alert["interval"], alert["thresholdType"]) == (20.5, "1h", "below")
        and alert["channel"] == {"type": "webhook", "webhookId": LOUD}
        and (alert["name"], alert["message"]) == ("Too few", "Look now.")
    ),
)


LIVES = {"alert": ALERT}

WIRE_LIVES = [
    WireLife(
        "alert",
        ALERT,
        operations=hosted("create_alert", "update_alert", "delete_alert", "list_alerts"),
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
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": LOUD},
            "message": "Look.",
        },
        details={
            "tileId": "UPDATE",
            "threshold": "UPDATE",
            "channel.webhookId": "UPDATE",
            "name": "DELETE",
            "message": "ADD",
        },
        left_alone=frozenset({"alertId", "dashboard", "createdAt", "team"}),
    )
]

OF_NO_INPUT = frozenset({"id", "state", "team", "createdAt", "updatedAt", "alertId", "silenced", "executionErrors"})
"""Outputs that tell nothing of an input."""
