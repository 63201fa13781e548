"""Check cases of alerts: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from support.rows import Row

from .vendor_checks import ALERT, ALERTS

CASES: list[Row] = [
    *ALERT.required("threshold", "interval", "thresholdType", "channel"),
    *ALERT.uuids("serviceId"),
    *ALERT.filled(dashboardId="d", tileId="t", source="saved_search", thresholdType="below", name="n", message="m"),
    *(
        ALERT.rule(
            {"interval": value},
            {"interval": bad},
            f"interval must be a number with a unit such as 5m or 1h, not {bad!r}",
        )
        for value, bad in (("1m", "5"), ("30m", "m"), ("12h", "0m"), ("1d", "5 m"))
    ),
    ALERT.rule(
        {"channel": {"type": "email"}},
        {"channel": {"webhookId": ""}},
        "channel.type is required",
        "channel.webhookId must not be empty, not ''",
    ),
    *ALERT.wrong_types(
        {
            "threshold": (-0.5, "five", "must be a number"),
            "interval": ("5m", 5, "must be a number with a unit such as 5m or 1h"),
            "channel": ({"type": "webhook", "webhookId": "w1"}, 1, "must be an object"),
        }
    ),
    *ALERTS,
]
