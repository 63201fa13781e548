"""The example programs, as data: `example_text` writes each one in Python, TypeScript and YAML.

Property names are wire names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pulumi_clouddb.cli.program import Ref, Step

SERVICE_ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
PIPE_ID = "c2c6f3de-2a37-4c0e-8b6c-1c7f0c7f4b22"
WAREHOUSE_ID = "7e4b2c90-1f36-4d1e-a9a4-5b8c6d7e8f44"
KEY_ID = "9a1d1f1e-4b0f-4c51-8a2b-3e5d6f7a8b33"


@dataclass(frozen=True)
class Example:
    """A whole program.

    Attributes:
        title: What it shows.
        steps: Its statements, in order.
        exports: Stack outputs by name.
    """

    title: str
    steps: Sequence[Step]
    exports: Mapping[str, Ref] = field(default_factory=dict)


_SERVICE = Step(
    "orders",
    "Service",
    {
        "name": "orders",
        "provider": "aws",
        "region": "eu-central-1",
        "minReplicaMemoryGb": 8,
        "maxReplicaMemoryGb": 32,
        "numReplicas": 3,
        "idleScaling": True,
        "idleTimeoutMinutes": 15,
        "ipAccessList": [{"source": "203.0.113.0/24", "description": "office"}],
    },
)

_TILES = [
    {
        "key": "errors",
        "name": "Errors per minute",
        "x": 0,
        "y": 0,
        "w": 12,
        "h": 4,
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

_DASHBOARD = Step("overview", "Dashboard", {"name": "Overview", "tags": ["production"], "tiles": _TILES})

_ALERT_BODY = {
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
    "x": 0,
    "y": 0,
    "w": 12,
    "h": 4,
    "config": {
        "displayType": "line",
        "sourceId": "traces",
        "select": [{"aggFn": "avg", "valueExpression": "Duration"}],
    },
}

EXAMPLES: dict[str, Sequence[Example]] = {
    "Service": (
        Example("A service that sleeps when idle", [_SERVICE], {"endpoints": Ref("orders.endpoints")}),
        Example(
            "A read-only service in an existing warehouse",
            [
                Step(
                    "reports",
                    "Service",
                    {
                        "name": "orders reports",
                        "provider": "aws",
                        "region": "eu-central-1",
                        "dataWarehouseId": WAREHOUSE_ID,
                        "isReadonly": True,
                        "numReplicas": 1,
                        "deletionProtection": True,
                    },
                ),
            ],
        ),
    ),
    "PipeScaling": (
        Example(
            "Scale a stream pipe",
            [
                Step(
                    "clicks",
                    "PipeScaling",
                    {
                        "serviceId": SERVICE_ID,
                        "pipeId": PIPE_ID,
                        "replicas": 4,
                        "replicaCpuMillicores": 500,
                        "replicaMemoryGb": 2,
                    },
                )
            ],
            {"before": Ref("clicks.originalScaling")},
        ),
    ),
    "ApiKey": (
        Example(
            "Create a key and rotate it",
            [
                Step(
                    "reader",
                    "ApiKey",
                    {
                        "name": "report reader",
                        "roles": ["query_endpoints"],
                        "expireAt": "2027-12-31T00:00:00Z",
                        "ipAccessList": [{"source": "198.51.100.7", "description": "report server"}],
                        "rotation": "2027-01",
                    },
                )
            ],
            {"secret": Ref("reader.keySecret")},
        ),
        Example(
            "Adopt an existing key and disable it",
            [
                Step("legacy", "ApiKey", {"keyId": KEY_ID, "state": "disabled", "onDelete": "restore"}),
            ],
        ),
    ),
    "Dashboard": (
        Example("A dashboard whose tile an alert watches", [_DASHBOARD, Step("tooManyErrors", "Alert", _ALERT_BODY)]),
        Example(
            "A tile in the form newer servers speak, in the stack of a service",
            [Step("latency", "Dashboard", {"serviceId": SERVICE_ID, "name": "Latency", "tiles": [_RAW_TILE]})],
        ),
    ),
    "Alert": (Example("Watch a tile", [_DASHBOARD, Step("tooManyErrors", "Alert", _ALERT_BODY)]),),
    "getPipe": (
        Example(
            "Read a pipe",
            [Step("pipe", "getPipe", {"serviceId": SERVICE_ID, "pipeId": PIPE_ID})],
            {"pipeState": Ref("pipe.state")},
        ),
    ),
    "listPipes": (
        Example(
            "List the pipes of a service",
            [Step("found", "listPipes", {"serviceId": SERVICE_ID})],
            {"pipes": Ref("found.pipes")},
        ),
    ),
    "getService": (
        Example(
            "Read a service",
            [Step("service", "getService", {"serviceId": SERVICE_ID})],
            {"engineVersion": Ref("service.engineVersion")},
        ),
    ),
    "listServices": (
        Example(
            "Find services by name",
            [Step("found", "listServices", {"name": "orders"})],
            {"services": Ref("found.services")},
        ),
    ),
    "getAlert": (
        Example(
            "Read an alert", [Step("alert", "getAlert", {"alertId": "alert-1"})], {"alertState": Ref("alert.state")}
        ),
    ),
    "listAlerts": (Example("List alerts", [Step("found", "listAlerts")], {"alerts": Ref("found.alerts")}),),
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
    "listSources": (Example("List data sources", [Step("found", "listSources")], {"sources": Ref("found.sources")}),),
}
"""Example programs by the name of the resource or function."""
