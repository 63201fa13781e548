"""Speed and size beside their floors: `make bench`.

Each figure stands beside what the same thing costs without this package: a bare HTTP request, a bare gRPC call, a bare
`import pulumi`. Machines differ and are noisy; the ratio is what tells.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from rich.console import Console
from rich.table import Table

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.engine.wire.codec import to_struct
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.testing import FakeEngineStack, stack_config
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.watched import WATCHED

SERVICE: dict[str, Any] = {
    "name": "orders",
    "provider": "aws",
    "region": "us-east-1",
    "numReplicas": 3,
    "ipAccessList": [{"source": "203.0.113.0/24", "description": "office"}],
}


@dataclass(frozen=True)
class Figure:
    """One line: what was measured, its value, its floor, and what the floor is."""

    name: str
    value: float
    floor: float | None
    unit: str
    floor_is: str = ""


def median_ms(action: Callable[[], object], times: int = 300) -> float:
    """Return the median time of `action` in milliseconds, after a warm-up."""
    for _ in range(20):
        action()
    spans = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        spans.append(time.perf_counter() - started)
    return statistics.median(spans) * 1000


def requests(sandbox: Sandbox) -> list[Figure]:
    """Measure one read through the request funnel beside a bare one."""
    values = {name.partition(":")[2]: value for name, value in sandbox.config.items()}
    client = Client(ProviderConfig.model_validate({**values, "pacing": "false"}))
    url = f"{sandbox.url}/v1/organizations/{sandbox.organization_id}/services"
    with httpx.Client(auth=(sandbox.key_id, sandbox.key_secret)) as bare:
        floor = median_ms(lambda: bare.get(url).json())
    value = median_ms(lambda: client.call(OPERATIONS["list_services"]))
    return [Figure("list services", value, floor, "ms", "httpx and json")]


def calls(sandbox: Sandbox) -> list[Figure]:
    """Measure the calls of a preview, and of a life, through the dynamic host beside an empty gRPC call."""
    with tempfile.TemporaryDirectory() as folder:
        config = sandbox.config
        started = time.perf_counter()
        with DynamicHost(config, Path(folder)) as host:
            start = (time.perf_counter() - started) * 1000
            floor = median_ms(lambda: host.stub.GetPluginInfo(empty_pb2.Empty()))
            made = host.create("Service", SERVICE)
            figures = [
                Figure("check a service", median_ms(lambda: host.check("Service", SERVICE)), floor, "ms", "empty call"),
                Figure(
                    "diff a service",
                    median_ms(lambda: host.diff("Service", made.id, made.outputs, SERVICE)),
                    floor,
                    "ms",
                    "empty call",
                ),
                Figure(
                    "read a service from the shared list",
                    median_ms(lambda: host.read("Service", made.id, made.outputs)),
                    floor,
                    "ms",
                    "empty call",
                ),
                Figure("host ready and configured", start, _run_ms("import pulumi"), "ms", "import pulumi"),
            ]
    return figures


def creations(sandbox: Sandbox) -> list[Figure]:
    """Measure 100 creations of 100 ms each, asked of the plugin at once, beside as many bare requests."""
    tiles = [{"name": "a", "x": 0, "y": 0, "w": 4, "h": 2, "series": [{"type": "time", "aggFn": "count", "where": ""}]}]
    bodies = [{"name": f"{number}", "tiles": tiles} for number in range(100)]

    def bare(body: dict[str, Any]) -> None:
        with sandbox.self_hosted() as client:
            client.post("/dashboards", json=body).raise_for_status()

    def through_the_plugin() -> None:
        asked = [plugin.stub.Create.future(request) for request in asking]
        for each in asked:
            each.result()

    def seconds(run: Callable[[], object]) -> float:
        spans = []
        for _ in range(5):
            sandbox.fault("self_hosted_create_dashboard", "delay", wait=0.1, times=len(bodies))
            started = time.perf_counter()
            run()
            spans.append(time.perf_counter() - started)
        return statistics.median(spans)

    with tempfile.TemporaryDirectory() as folder, NativePlugin(sandbox.config, Path(folder)) as plugin:
        asking = [
            provider_pb2.CreateRequest(type=DASHBOARD.token, properties=to_struct(body, secrets=False))
            for body in bodies
        ]
        value = seconds(through_the_plugin)
    with ThreadPoolExecutor(len(bodies)) as pool:
        floor = seconds(lambda: list(pool.map(bare, bodies)))
    return [Figure("100 creations of 100 ms, plugin", value, floor, "s", "100 threads of httpx")]


def stacks(sandbox: Sandbox) -> list[Figure]:
    """Measure whole runs over 200 resources, and what they ask of the server."""
    stack = FakeEngineStack(WATCHED, config=stack_config(sandbox))
    figures = []
    for name, run, floor in (
        ("up: 100 dashboards, 100 alerts", stack.up, 200),
        ("preview without changes", stack.preview, 0),
        ("refresh", stack.refresh, 2),
        ("destroy", stack.destroy, 200),
    ):
        sandbox.forget_requests()
        seconds = run().seconds
        figures += [
            Figure(name, seconds, None, "s"),
            Figure(f"{name}, requests", len(sandbox.requests), floor, "", "one per write or list"),
        ]
    return figures


def sizes() -> list[Figure]:
    """Measure what the program side costs."""
    value, floor = _run_ms("import pulumi_clouddb; pulumi_clouddb.Service"), _run_ms("import pulumi")
    return [Figure("import pulumi_clouddb", value, floor, "ms", "import pulumi")]


def _run_ms(statement: str) -> float:
    spans = []
    for _ in range(5):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)  # noqa: S603
        spans.append(time.perf_counter() - started)
    return statistics.median(spans) * 1000


def main() -> None:
    """Measure everything and print one table."""
    table = Table("measured", "value", "floor", "ratio", "the floor is")
    with Sandbox(own_process=True) as sandbox:
        for figure in [*sizes(), *requests(sandbox), *calls(sandbox), *creations(sandbox), *stacks(sandbox)]:
            ratio = f"{figure.value / figure.floor:.2f}" if figure.floor else ""
            floor = "" if figure.floor is None else f"{figure.floor:.4g} {figure.unit}"
            table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", floor, ratio, figure.floor_is)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
