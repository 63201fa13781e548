"""Time of single and concurrent calls without a rate limit, compared with bare requests and empty gRPC calls."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from google.protobuf import empty_pb2

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig

from . import objects
from .done import NotDoneError, writes
from .engine import DYNAMIC, FRONT_ENDS, Engine
from .figure import Figure, each_ms, in_turns, seconds
from .limit import DYNAMIC_AT_A_TIME

PART = "calls"
TIMES = 200
CREATIONS, DELAY = 100, 0.1


def measured(samples: int) -> Iterator[Figure]:
    """Yield the times."""
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        for name in FRONT_ENDS:
            yield from asked(sandbox, name, samples)
        yield listed(sandbox, samples)
        for name in FRONT_ENDS:
            yield at_once(sandbox, name, samples)


def listed(sandbox: Sandbox, samples: int) -> Figure:
    """Measure one read with the client and one bare read."""
    values = {name.partition(":")[2]: value for name, value in sandbox.config.items()}
    client = Client(ProviderConfig.model_validate({**values, "pacing": "false"}))
    url = f"{sandbox.url}/v1/organizations/{sandbox.organization_id}/services"
    with httpx.Client(auth=(sandbox.key_id, sandbox.key_secret)) as bare:
        taken = in_turns(
            samples,
            value=lambda: each_ms(lambda: client.call(OPERATIONS["list_services"]), TIMES),
            floor=lambda: each_ms(lambda: bare.get(url).json(), TIMES),
        )
    return Figure(PART, "list services", "ms", "httpx and json", taken["value"], taken["floor"])


def asked(sandbox: Sandbox, front_end: str, samples: int) -> Iterator[Figure]:
    """Measure the calls of a preview and of a refresh on one service."""
    with tempfile.TemporaryDirectory() as folder, Engine(front_end, sandbox.config, Path(folder)) as engine:
        step = objects.services(1, f"of the {front_end}")[0]
        with writes(sandbox, 1):
            engine.up([step])
        resource, inputs = engine.check(step)
        if engine.differs(resource, inputs):
            raise NotDoneError(f"{front_end}: a service differs from itself")
        calls: dict[str, Callable[[], Any]] = {
            "check a service": partial(engine.check, step),
            "diff a service": partial(engine.differs, resource, inputs),
            "read a service from the shared list": partial(engine.read, resource),
        }
        empty = partial(engine.driver.stub.GetPluginInfo, empty_pb2.Empty())
        for name, call in calls.items():
            taken = in_turns(samples, value=partial(each_ms, call, TIMES), floor=partial(each_ms, empty, TIMES))
            where = {"front end": front_end}
            yield Figure(PART, name, "ms", "an empty gRPC call", taken["value"], taken["floor"], where)


def at_once(sandbox: Sandbox, front_end: str, samples: int) -> Figure:
    """Measure concurrent creates with latency, and as many bare requests."""
    bodies = [{**step.properties} for step in objects.dashboards(CREATIONS)]

    def bare(body: dict[str, Any]) -> None:
        with sandbox.self_hosted() as client:
            client.post("/dashboards", json=body).raise_for_status()

    def slowly(work: Callable[[], object]) -> float:
        sandbox.fault("self_hosted_create_dashboard", "delay", wait=DELAY, times=CREATIONS)
        with writes(sandbox, CREATIONS):
            return seconds(work)

    def through_it(run: int) -> float:
        engine.stack = f"run-{run}"
        return slowly(lambda: engine.up(objects.dashboards(CREATIONS)))

    at_a_time = DYNAMIC_AT_A_TIME if front_end == DYNAMIC else CREATIONS
    runs = iter(range(samples))
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine(front_end, sandbox.config, Path(folder), parallel=CREATIONS) as engine,
        ThreadPoolExecutor(at_a_time) as pool,
    ):
        engine.warm_up(objects.dashboards(1)[0])
        taken = in_turns(
            samples,
            value=lambda: through_it(next(runs)),
            floor=lambda: slowly(lambda: list(pool.map(bare, bodies))),
        )
    floor_is = f"httpx in {at_a_time} threads"
    where = {"front end": front_end}
    return Figure(
        PART, f"{CREATIONS} creations of {DELAY * 1000:g} ms", "s", floor_is, taken["value"], taken["floor"], where
    )
