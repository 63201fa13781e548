"""Speed of the policy pack over 500 resources in the real policy host.

The floor is an empty pack over the same resources: one empty policy of each kind, served by pulumi-policy
itself.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any

from pulumi_clouddb.things.alerts.alert import ALERT
from pulumi_clouddb.things.api_keys.api_key import API_KEY
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.things.services.service import SERVICE
from support.policy_host import PolicyHost, Resource, analyzer_request, stack_request

from .figure import Figure

PART = "policy"
RESOURCES = 500
PACKS = {
    "policy pack": 'from pulumi_clouddb.policy import start\nstart(profile="strict")\n',
    "empty pack": (
        "from pulumi_policy import PolicyPack, ResourceValidationPolicy, StackValidationPolicy\n"
        "PolicyPack('empty', [ResourceValidationPolicy('one', 'Nothing.', lambda args, report: None),\n"
        "                     StackValidationPolicy('together', 'Nothing.', lambda args, report: None)])\n"
    ),
}
ID = "7f3c2a10-0000-4000-8000-{:012d}"
ENTRIES = [{"source": f"203.0.113.{number}", "description": "Office"} for number in range(3)]


def inputs_of(number: int) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the tokens and inputs of a service and its dependent resources."""
    service = ID.format(number)
    yield (
        SERVICE.token,
        {
            "name": f"Shop {number}",
            "provider": "aws",
            "region": "eu-central-1",
            "numReplicas": 3,
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 64,
            "idleScaling": False,
            "releaseChannel": "slow",
            "ipAccessList": ENTRIES,
        },
    )
    yield PIPE_SCALING.token, {"serviceId": service, "pipeId": service, "replicas": 4, "replicaMemoryGb": 2}
    yield API_KEY.token, {"name": f"Key {number}", "roles": ["developer"], "ipAccessList": ENTRIES}
    tiles = [{"key": str(tile), "name": "Errors", "series": [{"sourceId": "logs", "where": ""}]} for tile in range(6)]
    yield DASHBOARD.token, {"name": f"Shop {number}", "serviceId": service, "tags": ["shop"], "tiles": tiles}
    channel = {"type": "webhook", "webhookId": "on-call"}
    watched = {"serviceId": service, "dashboardId": "d", "tileId": "t", "threshold": 1, "thresholdType": "above"}
    yield ALERT.token, {"name": "Errors", "message": "Look.", "interval": "5m", "channel": channel, **watched}


def stack() -> list[Resource]:
    """Return a production stack of 500 resources, 100 of each kind."""
    return [
        Resource(token, f"{token.rpartition(':')[2]}-{number}", props, "prod")
        for number in range(RESOURCES // 5)
        for token, props in inputs_of(number)
    ]


def seconds(program: str, resources: list[Resource]) -> tuple[float, float]:
    """Return the time that a pack needs to check each resource in sequence, and then the stack."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "__main__.py").write_text(program, encoding="utf-8")
        with PolicyHost(Path(folder)) as host:
            host.info()
            asked, together = [analyzer_request(each) for each in resources], stack_request(resources)
            for request in asked[:20]:
                host.stub.Analyze(request)
            started = time.perf_counter()
            for request in asked:
                host.stub.Analyze(request)
            judged = time.perf_counter()
            host.stub.AnalyzeStack(together)
            return judged - started, time.perf_counter() - judged


def measured(samples: int) -> list[Figure]:
    """Return the time of the policies, in total and by part."""
    resources = stack()
    runs = [{name: seconds(program, resources) for name, program in PACKS.items()} for _ in range(samples)]
    parts: dict[str, Callable[[tuple[float, float]], float]] = {
        f"policies over {RESOURCES} resources": sum,
        "of that, one resource after the other": itemgetter(0),
        "of that, the stack as a whole": itemgetter(1),
    }
    return [
        Figure(
            PART,
            name,
            "s",
            "an empty pack",
            [part(run["policy pack"]) for run in runs],
            [part(run["empty pack"]) for run in runs],
        )
        for name, part in parts.items()
    ]
