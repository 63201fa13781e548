"""Examples of dashboards."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_TILES = [
    {
        "key": "errors",
        "name": "Errors per minute",
        "series": [
            {
                "type": "time",
                "sourceId": "logs",
                "aggFn": "count",
                "where": "SeverityText:error",
                "whereLanguage": "lucene",
                "groupBy": [],
            }
        ],
    }
]

DASHBOARD_STEP = Step("overview", "Dashboard", {"name": "Overview", "tags": ["production"], "tiles": _TILES})

ALERT_BODY = {
    "name": "Too many errors",
    "dashboardId": Ref("overview.id"),
    "tileId": Ref("overview.tileIds", "errors"),
    "threshold": 100,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": "on-call"},
    "message": "More than 100 errors in five minutes.",
}

_RAW_TILE = {
    "key": "latency",
    "name": "Latency",
    "config": {
        "displayType": "line",
        "sourceId": "traces",
        "select": [{"aggFn": "avg", "valueExpression": "Duration"}],
    },
}

_FILE = '{"name": "Shop", "tiles": [{"config": {"displayType": "markdown", "markdown": "Orders"}}]}'

EXAMPLES: Examples = {
    "Dashboard": (
        Example(
            "A dashboard whose tile an alert watches", [DASHBOARD_STEP, Step("tooManyErrors", "Alert", ALERT_BODY)]
        ),
        Example(
            "A tile with a `config`, on the server of a service",
            [Step("latency", "Dashboard", {"serviceId": SERVICE_ID, "name": "Latency", "tiles": [_RAW_TILE]})],
        ),
    ),
    "getDashboard": (
        Example(
            "Read a dashboard",
            [Step("dashboard", "getDashboard", {"dashboardId": "dashboard-1", "serviceId": SERVICE_ID})],
            {"tiles": Ref("dashboard.tiles")},
        ),
    ),
    "listDashboards": (
        Example(
            "List the dashboards of a service's stack",
            [Step("found", "listDashboards", {"serviceId": SERVICE_ID})],
            {"dashboards": Ref("found.dashboards")},
        ),
    ),
    "readDashboardExport": (
        Example(
            "Read an exported file",
            [Step("file", "readDashboardExport", {"text": _FILE})],
            {"tiles": Ref("file.tiles"), "unsupported": Ref("file.unsupported")},
        ),
    ),
}
