"""Costs of a stack that grows from 10 to 1,000 dashboards, without a rate limit.

Both front ends run with the same fake engine, which keeps its state in memory; so this is the cost of the provider. The
largest stack also runs as a complete program (whole.py). In dynamic mode a small program runs with the fake engine of
`clouddb_tools.testing` as well.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config

from . import objects, whole
from .engine import DYNAMIC, FRONT_ENDS, NOTHING, Engine
from .figure import Figure
from .process import cpu_seconds, peak_mib
from .programs import environment, program

PART = "growth"
NUMBERS = (10, 100, 1000)
CHECKPOINTED = 100
"""Dashboards under the fake engine of `clouddb_tools.testing`, which writes its state after each step."""

Costs = dict[str, tuple[float, float, int]]
"""Processor time, time and requests of each operation."""


def measured(samples: int) -> list[Figure]:
    """Return the costs of each operation at each size."""
    found = []
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        for front_end in FRONT_ENDS:
            for number in NUMBERS:
                runs = [
                    (played(front_end, number, sandbox), played(NOTHING[front_end], number, sandbox))
                    for _ in range(samples)
                ]
                found += figures(front_end, number, runs)
            wholes = [
                (whole.played(front_end, NUMBERS[-1], sandbox), whole.played(NOTHING[front_end], NUMBERS[-1], sandbox))
                for _ in range(samples)
            ]
            found += figures_of_pairs(front_end, wholes, {"dashboards": f"{NUMBERS[-1]:,}"})
        timed = [(spans(DYNAMIC, sandbox), spans(NOTHING[DYNAMIC], sandbox)) for _ in range(samples)]
    return found + figures_of_pairs(DYNAMIC, timed, {"engine": "fake engine"})


def figures_of_pairs(
    front_end: str, runs: list[tuple[dict[str, float], dict[str, float]]], where: dict[str, str]
) -> list[Figure]:
    """Return the figures of runs, each with its floor, in seconds by name."""
    found = []
    for name in runs[0][0]:
        ours, floors = ([run[side][name] for run in runs] for side in (0, 1))
        found.append(Figure(PART, name, "s", NOTHING[front_end], ours, floors, {"front end": front_end, **where}))
    return found


def figures(front_end: str, number: int, runs: list[tuple[Costs, Costs]]) -> list[Figure]:
    """Return the figures of one front end at one size."""
    found, where = [], {"front end": front_end, "dashboards": f"{number:,}"}
    least = {"up": number, "preview": 0, "refresh": 1, "destroy": number}
    for name in runs[0][0]:
        ours, floors = ([run[side][name] for run in runs] for side in (0, 1))
        if name == MEMORY:
            values, least_of = [each[0] for each in ours], [each[0] for each in floors]
            found.append(Figure(PART, name, "MiB", NOTHING[front_end], values, least_of, where))
            continue
        for place, (what, unit) in enumerate((("processor time", "s"), ("time", "s"))):
            values, least_of = [each[place] for each in ours], [each[place] for each in floors]
            found.append(Figure(PART, f"{name}: {what}", unit, NOTHING[front_end], values, least_of, where))
        sent = [float(each[2]) for each in ours]
        found.append(Figure(PART, f"{name}: requests", "", "one per write or list", sent, [least[name]], where))
    return found


MEMORY = "most memory"


def played(front_end: str, number: int, sandbox: Sandbox) -> Costs:
    """Create, preview, refresh and destroy dashboards in one process."""
    found: Costs = {}
    steps = objects.dashboards(number)
    with tempfile.TemporaryDirectory() as folder, Engine(front_end, sandbox.config, Path(folder)) as engine:
        engine.warm_up(steps[0])
        operations: dict[str, Callable[[], object]] = {
            "up": lambda: engine.up(steps),
            "preview": lambda: engine.preview(steps),
            "refresh": engine.refresh,
            "destroy": engine.destroy,
        }
        for name, work in operations.items():
            sandbox.forget_requests()
            before, started = cpu_seconds(engine.driver.pid), time.monotonic()
            work()
            taken = time.monotonic() - started
            found[name] = (cpu_seconds(engine.driver.pid) - before, taken, sandbox.count())
        found[MEMORY] = (peak_mib(engine.driver.pid), 0, 0)
    return found


def spans(front_end: str, sandbox: Sandbox) -> dict[str, float]:
    """Return the duration of each operation on a program with the fake engine that writes its state."""
    stack = FakeEngineStack(
        program(front_end, CHECKPOINTED), config=stack_config(sandbox), env=environment(front_end), parallel=32
    )
    runs = (stack.up, stack.preview, stack.refresh, stack.destroy)
    return {f"{run.__name__} of {CHECKPOINTED} dashboards: time": run().seconds for run in runs}
