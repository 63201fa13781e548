"""Examples of dashboards."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples
from .source import FOUND_LOGS
from .webhook import WEBHOOK_STEP

_TILES = [
    {
        "key": "errors",
        "name": "Errors per minute",
        "config": {
            "displayType": "line",
            "sourceId": Ref("logs.id"),
            "select": [{"aggFn": "count", "where": "SeverityText:error", "whereLanguage": "lucene"}],
        },
    }
]

_BOARD = Step("overview", "Dashboard", {"name": "Overview", "tags": ["production"], "tiles": _TILES})

_ALERT_BODY = {
    "name": "Too many errors",
    "dashboardId": Ref("overview.id"),
    "tileId": Ref("overview.tileIds", "errors"),
    "threshold": 100,
    "thresholdType": "above",
    "interval": "5m",
    "channel": {"type": "webhook", "webhookId": Ref("onCall.id")},
    "message": "More than 100 errors in five minutes.",
}

WATCHED = (FOUND_LOGS, WEBHOOK_STEP, _BOARD, Step("tooManyErrors", "Alert", _ALERT_BODY))
"""A dashboard with an alert on its tile, on the self-hosted server."""

_TRACES = Step("traces", "getSource", {"serviceId": SERVICE_ID, "name": "Traces"})
_LATENCY = {
    "key": "latency",
    "name": "Latency",
    "config": {
        "displayType": "line",
        "sourceId": Ref("traces.id"),
        "select": [{"aggFn": "quantile", "level": 0.95, "valueExpression": "Duration", "alias": "p95"}],
        "groupBy": "ServiceName",
    },
}

_FILE = '{"name": "Shop", "tiles": [{"config": {"displayType": "markdown", "markdown": "Orders"}}]}'

EXAMPLES: Examples = {
    "Dashboard": (
        Example("A dashboard whose tile an alert watches", WATCHED),
        Example(
            "A dashboard on the server of a service",
            [_TRACES, Step("latency", "Dashboard", {"serviceId": SERVICE_ID, "name": "Latency", "tiles": [_LATENCY]})],
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
