"""Alerts: that they reach somebody, who can tell what they mean."""

from __future__ import annotations

from policy.case import Case
from pulumi_clouddb.testing import UNKNOWN

ON_CALL = {"type": "webhook", "webhookId": "on-call"}

CASES = [
    Case(
        "alert-has-channel",
        "Alert",
        fails={"channel": {"type": "webhook"}},
        says="channel.webhookId is not given; give the id of a webhook",
        also=(
            ({"channel": None}, "channel is not given; give a channel of type webhook"),
            ({"channel": {"type": "email"}}, "channel.type is 'email'; set it to webhook"),
            ({"channel": None, "channels": [ON_CALL, {"type": "webhook"}]}, "channels[1].webhookId is not given; give"),
            ({"channel": None, "channels": [{"type": "email"}]}, "channels[0].type is 'email'; set it to webhook"),
        ),
        passes={},
        also_passes=({"channel": None, "channels": [ON_CALL]}, {"channel": None, "channels": UNKNOWN}),
        unknown={"channel": {"type": "webhook", "webhookId": UNKNOWN}},
    ),
    Case(
        "alert-has-message",
        "Alert",
        fails={"message": None},
        says="message is not given; explain what happened and what to do",
        also=(({"name": UNKNOWN, "message": None}, "message is not given"), ({"name": None}, "name is not given")),
        passes={},
        unknown={"name": UNKNOWN, "message": UNKNOWN},
    ),
    Case(
        "alert-interval",
        "Alert",
        settings={"minimum": "15m"},
        fails={"interval": "10m"},
        says="interval is '10m'; give 15m or longer",
        passes={"interval": "1h"},
        unknown={"interval": UNKNOWN},
        fixed={"interval": "15m"},
    ),
    Case(
        "alert-threshold",
        "Alert",
        fails={"threshold": 0},
        says="threshold is 0, so the condition 'above' is always met; give a number above 0",
        also=(({"threshold": -1, "thresholdType": "below"}, "threshold is -1, so the condition 'below' is never met"),),
        passes={"threshold": 0, "thresholdType": "equal"},
        unknown={"threshold": UNKNOWN},
    ),
]
