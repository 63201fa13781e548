"""The programs that stacks run in a simulation: small, of all five resources, with names that repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from support.ids import CALM, LOGS

from .engine import Entry, Program, Wanted

Inputs = dict[str, Any]
Part = Callable[["Scene"], Sequence[Wanted]]

ORIGINAL_REPLICAS = (1, 7, 8)
"""What people set on a pipe. A program sets other values, so that each value tells whose it is."""

TILES = ("Errors", "Speed")
RULE = {
    "threshold": 10,
    "interval": "5m",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": CALM},
}


class Scene:
    """What a program refers to and how often it has been changed.

    Attributes:
        service_id: A service that is there, made by a person.
        pipe_id: A pipe of it.
        key_id: A key that is there, made by a person.
        edition: 0 as it was written at first, 1 after it was changed.
        copies: How many resources have the same name.
        duplicates: Whether services may have the name of others.
        settings: Whether services have what the clickhouse dialect alone has.
    """

    def __init__(self) -> None:
        self.service_id = ""
        self.pipe_id = ""
        self.key_id = ""
        self.edition = 0
        self.copies = 1
        self.duplicates = False
        self.settings = False


def tiles(edition: int) -> list[Inputs]:
    """Return the tiles of a dashboard; the changed edition has a higher one."""
    series = {"type": "time", "aggFn": "count", "sourceId": LOGS, "where": "", "groupBy": []}
    return [
        {"name": name, "x": 0, "y": 3 * place, "w": 8, "h": 3 + edition, "series": [series]}
        for place, name in enumerate(TILES)
    ]


def settings(edition: int) -> Inputs:
    """Return what stands beside a service; the changed edition has no schedule and no window."""
    night = {"name": "night", "weekdays": [1], "startHourUtc": 22, "endHourUtc": 6, "numReplicas": 2}
    return {
        "tags": [{"key": "edition", "value": str(edition)}, {"key": "team"}],
        "backupConfiguration": {"backupRetentionPeriodInHours": 48 + 24 * edition},
        "queryEndpoint": {"roles": ["sql_console_admin" if edition else "sql_console_read_only"]},
        "passwordRotation": str(edition),
        "settings": {"max_query_size": str(edition + 1), **({} if edition else {"keep_alive_timeout": "30"})},
        "backupBucket": {"bucketProvider": "AZURE", "containerName": f"orders-{edition}"},
        "backupBucketSecret": "canary-of-the-bucket",
        **(
            {}
            if edition
            else {"scalingSchedule": {"entries": [night]}, "upgradeWindow": {"weekday": 3, "startHourUtc": 6}}
        ),
    }


def service(scene: Scene) -> list[Wanted]:
    """Return services of one name."""
    inputs: Inputs = {
        "name": "orders",
        "provider": "aws",
        "region": "us-east-1",
        "ipAccessList": [{"source": "10.0.0.0/8" if scene.edition == 0 else "10.1.0.0/16", "description": "office"}],
    }
    if scene.settings:
        inputs |= settings(scene.edition)
    if scene.duplicates:
        inputs["allowDuplicateName"] = True
    count = scene.copies if scene.duplicates else 1
    return [Wanted(f"service-{number}", "Service", _fixed(inputs)) for number in range(count)]


def key(scene: Scene) -> list[Wanted]:
    """Return keys of one name."""
    inputs = {"name": "ci", "roles": ["developer" if scene.edition == 0 else "admin"]}
    return [Wanted(f"key-{number}", "ApiKey", _fixed(inputs)) for number in range(scene.copies)]


def adopted_key(scene: Scene) -> list[Wanted]:
    """Return an override of a key that is there."""
    roles = ["query_endpoints"] if scene.edition == 0 else ["query_endpoints", "developer"]
    inputs = {"keyId": scene.key_id, "roles": roles}
    return [Wanted("adopted", "ApiKey", _fixed(inputs), overrides=scene.key_id)]


def pipe(scene: Scene) -> list[Wanted]:
    """Return an override of a pipe that is there."""
    inputs = {"serviceId": scene.service_id, "pipeId": scene.pipe_id, "replicas": 2 + scene.edition}
    return [Wanted("pipe", "PipeScaling", _fixed(inputs), overrides=scene.pipe_id)]


def dashboards(scene: Scene) -> list[Wanted]:
    """Return a dashboard of a self-hosted server, with nameless alerts on one tile."""
    return _watched(scene, {}, named=False)


def managed_dashboards(scene: Scene) -> list[Wanted]:
    """Return a dashboard in the stack of a service, with alerts of one name on one tile."""
    return _watched(scene, {"serviceId": scene.service_id}, named=True)


def board(scene: Scene) -> list[Wanted]:
    """Return dashboards of one name, without alerts."""
    dashboard = {"name": "Orders", "tags": ["shop"], "tiles": tiles(scene.edition)}
    return [Wanted(f"board-{number}", "Dashboard", _fixed(dashboard)) for number in range(scene.copies)]


PARTS: Mapping[str, Part] = {
    "service": service,
    "key": key,
    "adopted key": adopted_key,
    "pipe": pipe,
    "board": board,
    "dashboards": dashboards,
    "managed dashboards": managed_dashboards,
}
"""What programs are made of."""

MARKED = {"service", "key"}
"""Parts whose objects carry a mark in the clickhouse dialect."""

OVERRIDES = ("adopted key", "pipe")
"""Parts that only one stack can have: two stacks that change one object fight for ever."""


def program(scene: Scene, parts: Sequence[str]) -> Program:
    """Return the program that is made of these parts."""
    return [wanted for part in parts for wanted in PARTS[part](scene)]


def _watched(scene: Scene, where: Inputs, *, named: bool) -> list[Wanted]:
    board = f"board{len(where)}"
    dashboard = {**where, "name": "Orders", "tags": ["shop"], "tiles": tiles(scene.edition)}
    rule = {**where, **RULE, "threshold": 10 + scene.edition}
    if named:
        rule["name"] = "Too many"

    def alert(entries: Mapping[str, Entry]) -> Inputs:
        outputs = entries[board].outputs
        return {**rule, "dashboardId": entries[board].id, "tileId": outputs["tileIds"]["Errors"]}

    alerts = [Wanted(f"{board}-alert-{number}", "Alert", alert, needs=(board,)) for number in range(scene.copies)]
    return [Wanted(board, "Dashboard", _fixed(dashboard)), *alerts]


def _fixed(inputs: Inputs) -> Callable[[Mapping[str, Entry]], Inputs]:
    return lambda entries: dict(inputs)  # noqa: ARG005
