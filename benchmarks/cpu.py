"""Processor time and memory of a front end's process for each call of the engine, and of a provider without work.

The server runs in its own process, so neither its costs nor those of the fake engine are counted.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox

from . import objects
from .engine import FRONT_ENDS, NOTHING, Engine
from .figure import Figure
from .process import cpu_seconds, peak_mib

PART = "cpu"
NUMBER = 60
Item = TypeVar("Item")
Calls = dict[tuple[str, str], float]
"""Milliseconds of processor time by kind of object and call."""


def measured(samples: int) -> list[Figure]:
    """Return the processor time of each call, and the most memory of a process."""
    found: list[Figure] = []
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        board = sandbox.add("dashboards", name="Watched", tiles=objects.tiles())
        kinds: dict[str, Callable[[int, int], list[Step]]] = {
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
                floor_is = NOTHING[front_end] + (", and bare httpx" if call in REQUESTS else "")
                found.append(Figure(PART, name, unit, floor_is, ours, floors, {"front end": front_end}))
    return found


MEMORY = "most memory"
REQUESTS = {"create": 1, "update": 1, "delete": 1}
"""Minimum number of requests of a call; the deletion of a service needs another one to stop it."""


def with_requests(nothing: Calls, sandbox: Sandbox) -> Calls:
    """Return the costs of a provider that only sends the requests."""
    with sandbox.self_hosted() as bare:
        started = time.process_time()
        for step in objects.dashboards(NUMBER):
            made = bare.post("/dashboards", json=dict(step.properties)).json()
        request = (time.process_time() - started) / NUMBER * 1000
    assert made  # noqa: S101 (the last of them was read)
    return {
        (kind, call): cost + request * (REQUESTS.get(call, 0) + ((kind, call) == ("service", "delete")))
        for (kind, call), cost in nothing.items()
    }


def calls(front_end: str, sandbox: Sandbox, kinds: dict[str, Callable[[int, int], list[Step]]]) -> Calls:
    """Return the costs of each call in a separate process for each kind, and the maximum memory of a process.

    Only creates and deletes of services wait, in short intervals. Updates share a list for as long as by default.
    """
    found: Calls = {}
    for kind, steps in kinds.items():
        config = sandbox.config if kind == "service" else {**sandbox.config, "clouddb:pollIntervalSeconds": "5"}
        with tempfile.TemporaryDirectory() as folder, Engine(front_end, config, Path(folder)) as engine:
            found |= calls_of(engine, kind, steps)
            found["", MEMORY] = max(found.get(("", MEMORY), 0.0), peak_mib(engine.driver.pid))
    return found


def calls_of(engine: Engine, kind: str, steps: Callable[[int, int], list[Step]]) -> Calls:
    """Return the costs of each call of one kind: objects are created, changed, read and deleted in sequence."""
    found: Calls = {}

    def each(call: str, work: Callable[[Item], Any], items: Iterable[Item]) -> list[Any]:
        given = list(items)
        before = cpu_seconds(engine.driver.pid)
        answers = [work(item) for item in given]
        found[kind, call] = (cpu_seconds(engine.driver.pid) - before) / len(given) * 1000
        return answers

    engine.warm_up(steps(1, 1)[0])
    new = each("check", engine.check, steps(NUMBER, 1))
    each("create", lambda each: engine.apply(*each), new)
    each("diff", lambda each: engine.differs(*each), new)
    if kind in ("dashboard", "alert"):
        changed = [engine.check(step) for step in steps(NUMBER, 2)]
        each("update", lambda each: engine.apply(*each), changed)
    made = list(engine.state.values())
    each("read", engine.read, made)
    each("delete", engine.delete, made)
    return found
