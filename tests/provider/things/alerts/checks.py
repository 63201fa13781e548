"""Check cases of alerts: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from typing import Any

from support import vendor_rules
from support.rules import Case, filled, required, rule, uuids, wrong_types

RESOURCE = "Alert"

USUAL: dict[str, Any] = {
    "dashboardId": "6b08ccf4690c99606839ff26",
    "tileId": "t1",
    "threshold": 5,
    "interval": "5m",
    "source": "tile",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": "w1"},
}
"""Valid inputs; each case changes one of them."""

CASES: list[Case] = [
    *required(USUAL, "threshold", "interval", "thresholdType", "channel"),
    *uuids("serviceId"),
    *filled(dashboardId="d", tileId="t", source="saved_search", thresholdType="below", name="n", message="m"),
    *(
        rule(
            {"interval": value},
            {"interval": bad},
            f"interval must be a number with a unit such as 5m or 1h, not {bad!r}",
        )
        for value, bad in (("1m", "5"), ("30m", "m"), ("12h", "0m"), ("1d", "5 m"))
    ),
    rule(
        {"channel": {"type": "email"}},
        {"channel": {"webhookId": ""}},
        "channel.type is required",
        "channel.webhookId must not be empty, not ''",
    ),
    *wrong_types(
        {
            "threshold": (-0.5, "five", "must be a number"),
            "interval": ("5m", 5, "must be a number with a unit such as 5m or 1h"),
            "channel": ({"type": "webhook", "webhookId": "w1"}, 1, "must be an object"),
        }
    ),
    *vendor_rules.ALERTS,
]
