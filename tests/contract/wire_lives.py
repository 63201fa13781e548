"""The lives of `lives` in the words of the wire: inputs before and after an update, and what a diff says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lives import LIVES, Life

Inputs = dict[str, Any]


@dataclass(frozen=True)
class WireLife:
    """A life of `lives`; a value such as `$pipe_id` is a name of its setting.

    Attributes:
        name: Its name there.
        before: The inputs at first.
        after: The inputs later.
        details: What the update's diff says of each property.
        left_alone: Outputs that the preview of the update knows.
        extra: Wire names of inputs that an import cannot tell, or tells otherwise.
        operations: The operations that create, update, delete and read.
    """

    name: str
    before: Inputs
    after: Inputs
    details: dict[str, str]
    left_alone: frozenset[str]
    operations: tuple[str, str, str, str]
    extra: frozenset[str] = frozenset()

    @property
    def life(self) -> Life:
        """The life: what surrounds the object, and what strangers do to it."""
        return LIVES[self.name]

    @property
    def managed(self) -> bool:
        """Whether the object belongs to a service's stack, so that its id is imported as `serviceId/ID`."""
        return self.life.name in ("Dashboard", "Alert") and "serviceId" in self.before

    @property
    def where(self) -> str:
        """The id that imports name it by."""
        return "$service_id/$id" if self.managed else "$id"

    @property
    def missing(self) -> str:
        """An id that imports may name, and that nothing has."""
        short = self.life.name in ("Dashboard", "Alert")
        nothing = "00000000000000000000dead" if short else "00000000-0000-4000-8000-00000000dead"
        return f"$service_id/{nothing}" if self.managed or self.life.name == "PipeScaling" else nothing

    @property
    def told(self) -> Inputs:
        """What an import tells of the inputs later; of ids it tells the real ones."""
        return {name: value for name, value in self.after.items() if name not in self.extra and "$" not in str(value)}

    def __str__(self) -> str:
        """Name the test."""
        return self.name


def tile(name: str, **grid: Any) -> Inputs:
    """Return a tile with one series."""
    agg = grid.pop("agg", "count")
    series = [{"type": "number", "aggFn": agg, "field": "ms", "sourceId": "logs", "where": ""}]
    return {"key": name.lower(), "name": name, **grid, "series": series}


def hosted(*operations: str) -> Any:
    """Return the self-hosted forms of operations."""
    return tuple(f"self_hosted_{name}" for name in operations)


SCALING = ("scale_pipe", "scale_pipe", "scale_pipe", "get_pipe")
PIPE = {"serviceId": "$service_id", "pipeId": "$pipe_id"}
DASHBOARD: dict[str, Any] = {
    "before": {
        "name": "Orders",
        "tags": ["shop"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=3), tile("Speed", x=8, y=0, w=4, h=3)],
    },
    "after": {
        "name": "Orders",
        "tags": ["shop", "new"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=4), tile("Slow", x=8, y=0, w=4, h=3)],
    },
    "details": {"tags[1]": "ADD", "tiles[0].h": "UPDATE", "tiles[1].key": "UPDATE", "tiles[1].name": "UPDATE"},
}
WIRE_LIVES = [
    WireLife(
        "service",
        operations=("create_service", "scale_service", "delete_service", "list_services"),
        before={
            "name": "orders",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 2,
            "idleScaling": True,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.9.0.0/16", "description": "a"},
            ],
        },
        after={
            "name": "orders and returns",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 24,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 3,
            "idleTimeoutMinutes": 20,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.8.0.0/16", "description": "a"},
            ],
        },
        details={
            "name": "UPDATE",
            "minReplicaMemoryGb": "UPDATE",
            "numReplicas": "UPDATE",
            "idleScaling": "DELETE",
            "idleTimeoutMinutes": "ADD",
            "ipAccessList[1].source": "UPDATE",
        },
        left_alone=frozenset({"password", "endpoints", "createdAt", "iamRole"}),
        extra=frozenset({"provider", "region", "endpoints", "releaseChannel", "ipAccessList"}),
    ),
    WireLife(
        "scaling of a stream pipe",
        operations=SCALING,
        before={**PIPE, "replicas": 2},
        after={**PIPE, "replicas": 4, "replicaMemoryGb": 2.5},
        details={"replicas": "UPDATE", "replicaMemoryGb": "ADD"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
    WireLife(
        "scaling of an object-storage pipe",
        operations=SCALING,
        before={**PIPE, "concurrency": 0},
        after={**PIPE, "concurrency": 34},
        details={"concurrency": "UPDATE"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
    WireLife(
        "created key",
        operations=("create_key", "update_key", "delete_key", "list_keys"),
        before={"name": "ci", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"},
        after={
            "name": "ci and cd",
            "roles": ["query_endpoints", "developer"],
            "state": "disabled",
            "ipAccessList": [{"source": "192.0.2.0/24", "description": "runners"}],
        },
        details={
            "name": "UPDATE",
            "roles[0]": "ADD",
            "expireAt": "DELETE",
            "state": "ADD",
            "ipAccessList": "ADD",
        },
        left_alone=frozenset({"keySecret", "accessKeyId", "keySuffix", "createdAt", "adopted"}),
    ),
    WireLife(
        "adopted key",
        operations=("update_key", "update_key", "update_key", "list_keys"),
        before={"keyId": "$key_id", "name": "found and kept"},
        after={"keyId": "$key_id", "name": "found again", "roles": ["query_endpoints"]},
        details={"name": "UPDATE", "roles": "ADD"},
        left_alone=frozenset({"original", "keySuffix", "adopted"}),
    ),
    WireLife(
        "self-hosted dashboard",
        operations=hosted("create_dashboard", "update_dashboard", "delete_dashboard", "list_dashboards"),
        **DASHBOARD,
        left_alone=frozenset({"name", "tags"}),
        extra=frozenset({"tiles"}),
    ),
    WireLife(
        "managed dashboard",
        operations=("create_dashboard", "update_dashboard", "delete_dashboard", "list_dashboards"),
        before={"serviceId": "$service_id", **DASHBOARD["before"]},
        after={"serviceId": "$service_id", **DASHBOARD["after"]},
        details=DASHBOARD["details"],
        left_alone=frozenset({"serviceId"}),
        extra=frozenset({"tiles"}),
    ),
    WireLife(
        "alert",
        operations=hosted("create_alert", "update_alert", "delete_alert", "list_alerts"),
        before={
            "dashboardId": "$dashboard_id",
            "tileId": "$one",
            "threshold": 10,
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": "calm"},
            "name": "Too many",
        },
        after={
            "dashboardId": "$dashboard_id",
            "tileId": "$two",
            "threshold": 20.5,
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": "loud"},
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
    ),
]
