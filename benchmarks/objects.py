"""The objects of the benchmarks: services, keys, webhooks, dashboards of four tiles, and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clouddb_tools.commands.export.statements import Step
from support.ids import CALM, LOGS

WHERE = {"aggFn": "count", "sourceId": LOGS, "groupBy": []}


def services(number: int, of: str = "orders") -> list[Step]:
    """Return services; their names begin with `of`."""
    listed = [{"source": "203.0.113.0/24", "description": "office"}]
    return [
        Step(
            f"service_{each}",
            "Service",
            {
                "name": f"{of} {each}",
                "provider": "aws",
                "region": "us-east-1",
                "numReplicas": 3,
                "ipAccessList": listed,
            },
        )
        for each in range(number)
    ]


def keys(number: int) -> list[Step]:
    """Return keys."""
    return [Step(f"key_{each}", "ApiKey", {"name": f"ci {each}", "roles": ["developer"]}) for each in range(number)]


def webhook(name: str) -> Step:
    """Return a webhook."""
    return Step("hook", "Webhook", {"name": name, "service": "generic", "url": "https://events.example.com/a"})


def tiles(where: str = "") -> list[dict[str, Any]]:
    """Return four tiles; `where` is the condition of the first."""
    return [
        {
            "name": name,
            "x": 6 * place,
            "y": 0,
            "w": 6,
            "h": 3,
            "series": [{"type": "time", "where": where if place == 0 else "", **WHERE}],
        }
        for place, name in enumerate(("Errors", "Requests", "Latency", "Sessions"))
    ]


def dashboards(number: int, where: str = "", **of: str) -> list[Step]:
    """Return dashboards; `of` is the service that they belong to, if any."""
    return [
        Step(f"board_{each}", "Dashboard", {**of, "name": f"Board {each}", "tags": ["shop"], "tiles": tiles(where)})
        for each in range(number)
    ]


def alerts(number: int, threshold: int, board: Mapping[str, Any], **of: str) -> list[Step]:
    """Return alerts on the first tile of a dashboard that the server has."""
    watched = {
        "dashboardId": board["id"],
        "tileId": board["tiles"][0]["id"],
        "interval": "5m",
        "thresholdType": "above",
    }
    channel = {"type": "webhook", "webhookId": CALM}
    return [
        Step(
            f"alert_{each}",
            "Alert",
            {**of, **watched, "name": f"Alert {each}", "threshold": threshold, "channel": channel},
        )
        for each in range(number)
    ]
