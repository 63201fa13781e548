"""Policy cases of alerts: they have a channel and a message, and their conditions are meaningful."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN
from policy.case import Case

ON_CALL = {"type": "webhook", "webhookId": "on-call"}

CASES = [
    Case(
        "alert-has-channel",
        "Alert",
        fails={"channel": {"type": "webhook"}},
        says="channel.webhookId is not set; set the id of a webhook",
        also=(
            ({"channel": None}, "channel is not set; use a channel of type webhook or email"),
            ({"channel": {"type": "pager"}}, "channel.type is 'pager'; set it to webhook or email"),
            ({"channel": {"type": "email"}}, "channel.emailRecipients is not set; set mail addresses, or nobody is"),
            ({"channel": None, "channels": [ON_CALL, {"type": "webhook"}]}, "channels[1].webhookId is not set; set"),
            ({"channel": None, "channels": [{"type": "email"}]}, "channels[0].emailRecipients is not set; set mail"),
        ),
        also_passes=(
            {"channel": None, "channels": [ON_CALL, {"type": "email", "emailRecipients": ["ops@example.com"]}]},
            {"channel": None, "channels": UNKNOWN},
        ),
        unknown={"channel": {"type": "webhook", "webhookId": UNKNOWN}},
    ),
    Case(
        "alert-has-channel",
        "Alert",
        settings={"types": ["webhook"]},
        fails={"channel": {"type": "email", "emailRecipients": ["ops@example.com"]}},
        says="channel.type is 'email'; set it to webhook",
        unknown={"channel": {"type": UNKNOWN}},
    ),
    Case(
        "alert-has-message",
        "Alert",
        fails={"message": None},
        says="message is not set; explain what happened and what to do",
        also=(({"name": UNKNOWN, "message": None}, "message is not set"), ({"name": None}, "name is not set")),
        unknown={"name": UNKNOWN, "message": UNKNOWN},
    ),
    Case(
        "alert-interval",
        "Alert",
        settings={"minimum": "15m"},
        fails={"interval": "10m"},
        says="interval is '10m'; set 15m or longer",
        passes={"interval": "1h"},
        fixed={"interval": "15m"},
    ),
    Case(
        "alert-interval",
        "Alert",
        settings={"minimum": "10m"},
        fails={"interval": "5m"},
        says="interval is '5m'; set 10m or longer",
        passes={"interval": "10m"},
        fixed={"interval": "15m"},  # the vendor's servers do not accept 10m
    ),
    Case(
        "alert-interval",
        "Alert",
        settings={"minimum": "2d"},
        fails={"interval": "1d"},
        says="interval is '1d'; set 2d or longer",
        passes={"interval": "1w"},
        fixed={"interval": "2d"},
    ),
    Case(
        "alert-threshold",
        "Alert",
        fails={"threshold": 0},
        says="threshold is 0, so the condition 'above' is always met; set a number above 0",
        also=(
            ({"threshold": -1, "thresholdType": "below"}, "threshold is -1, so the condition 'below' is never met"),
            ({"threshold": -1, "thresholdType": "above_exclusive"}, "threshold is -1, so the condition 'above_exclusi"),
            ({"threshold": -0.5, "thresholdType": "below_or_equal"}, "threshold is -0.5, so the condition 'below_or_e"),
        ),
        passes={"threshold": 0, "thresholdType": "equal"},
        also_passes=(
            {"threshold": 0, "thresholdType": "above_exclusive"},
            {"threshold": 0, "thresholdType": "below_or_equal"},
            {"threshold": -1, "thresholdType": "between", "thresholdMax": 1},
        ),
    ),
]
