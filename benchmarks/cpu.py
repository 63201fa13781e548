"""Processor time and memory of a front end's process for each call of the engine, and of a provider without work.

The server runs in its own process, so neither its costs nor those of the fake engine are counted.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing.fake_engine.state import Resource

from . import objects
from .done import NotDoneError, writes
from .engine import FRONT_ENDS, NOTHING, Engine
from .figure import Figure
from .process import cpu_seconds, peak_mib

PART = "cpu"
NUMBER = 60
Item = TypeVar("Item")
Result = TypeVar("Result")
Steps = Callable[[int, int], list[Step]]
"""Returns that many objects of a kind, in a version of the program."""
Calls = dict[tuple[str, str], float]
"""Milliseconds of processor time by kind of object and call."""


def measured(samples: int) -> Iterator[Figure]:
    """Yield the processor time of each call, and the most memory of a process."""
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        board = sandbox.add("dashboards", name="Watched", tiles=objects.tiles())
        kinds: dict[str, Steps] = {
            "service": lambda number, _: objects.services(number),
            "key": lambda number, _: objects.keys(number),
            "dashboard": lambda number, version: objects.dashboards(number, str(version)),
            "alert": lambda number, version: objects.alerts(number, version, board),
        }
        for front_end in FRONT_ENDS:
            runs = [
                (calls(front_end, sandbox, kinds), with_requests(calls(NOTHING[front_end], sandbox, kinds), sandbox))
                for _ in range(samples)
            ]
            for kind, call in runs[0][0]:
                ours, floors = ([run[side][kind, call] for run in runs] for side in (0, 1))
                unit, name = (
                    ("MiB", call) if call == MEMORY else ("ms", f"{call} a {kind}".replace("a alert", "an alert"))
                )
                floor_is = NOTHING[front_end] + (", and bare httpx" if requests_of(kind, call) else "")
                yield Figure(PART, name, unit, floor_is, ours, floors, {"front end": front_end})


MEMORY = "most memory"


def requests_of(kind: str, call: str) -> int:
    """Return the minimum number of requests of a call, all of them writes: a service is stopped before its deletion."""
    return (call in ("create", "update", "delete")) + ((kind, call) == ("service", "delete"))


def with_requests(nothing: Calls, sandbox: Sandbox) -> Calls:
    """Return the costs of a provider that only sends the requests."""
    with sandbox.self_hosted() as bare:
        started = time.process_time()
        for step in objects.dashboards(NUMBER):
            bare.post("/dashboards", json=dict(step.properties)).raise_for_status().json()
        request = (time.process_time() - started) / NUMBER * 1000
    return {(kind, call): cost + request * requests_of(kind, call) for (kind, call), cost in nothing.items()}


def calls(front_end: str, sandbox: Sandbox, kinds: dict[str, Steps]) -> Calls:
    """Return the costs of each call, and the maximum memory of a process.

    Only creates and deletes of services wait, in short intervals. Updates share a list for as long as by default.
    """
    found: Calls = {}
    memory = 0.0
    for kind, steps in kinds.items():
        config = sandbox.config if kind == "service" else {**sandbox.config, "clouddb:pollIntervalSeconds": "5"}
        with tempfile.TemporaryDirectory() as folder:
            found |= life(kind, steps, sandbox, partial(Engine, front_end, config, Path(folder)))
        memory = max(memory, found.pop(("", MEMORY)))
    return {**found, ("", MEMORY): memory}


def life(kind: str, steps: Steps, sandbox: Sandbox, started: Callable[[dict[str, Resource]], Engine]) -> Calls:
    """Return the costs of each call for objects of one kind: one run creates, one changes, and one deletes them."""
    found: Calls = defaultdict(float)
    state: dict[str, Resource] = {}

    @contextmanager
    def run() -> Iterator[Engine]:
        with started(state) as engine:
            engine.warm_up(steps(1, 1)[0])
            for made in list(state.values())[:1]:
                engine.read(made)  # the first request of a process costs more
            yield engine
            found["", MEMORY] = max(found["", MEMORY], peak_mib(engine.driver.pid))

    def each(engine: Engine, call: str, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        given = list(items)
        with writes(sandbox, len(given) * requests_of(kind, call), engine.front_end):
            before = cpu_seconds(engine.driver.pid)
            answers = [work(item) for item in given]
            found[kind, call] = (cpu_seconds(engine.driver.pid) - before) / len(given) * 1000
        return answers

    with run() as engine:
        new = each(engine, "check", engine.check, steps(NUMBER, 1))
        each(engine, "create", lambda it: engine.apply(*it), new)
    with run() as engine:
        differences = each(engine, "diff", lambda it: engine.differs(it, it.inputs), state.values())
        if any(differences):
            raise NotDoneError(f"{engine.front_end}: a {kind} differs from itself")
        if kind in ("dashboard", "alert"):
            changed = [engine.check(step) for step in steps(NUMBER, 2)]
            each(engine, "update", lambda it: engine.apply(*it), changed)
    with run() as engine:
        each(engine, "read", engine.read, state.values())
        each(engine, "delete", engine.delete, state.values())
    return found
