"""Costs of a stack that grows from 10 to 1,000 dashboards, without a rate limit.

Both front ends run with the same fake engine, which keeps its state in memory; so this is the cost of the provider. The
largest stack also runs as a complete program (whole.py). In dynamic mode a small program runs with the fake engine of
`clouddb_tools.testing` as well.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from clouddb_tools.testing.fake_engine.state import Resource

from . import objects, whole
from .done import WRITES, writes
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


def measured(samples: int) -> Iterator[Figure]:
    """Yield the costs of each operation at each size."""
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
        for front_end in FRONT_ENDS:
            for number in NUMBERS:
                runs = [
                    (played(front_end, number, sandbox), played(NOTHING[front_end], number, sandbox))
                    for _ in range(samples)
                ]
                yield from figures(front_end, number, runs)
            wholes = [
                (whole.played(front_end, NUMBERS[-1], sandbox), whole.played(NOTHING[front_end], NUMBERS[-1], sandbox))
                for _ in range(samples)
            ]
            yield from figures_of_pairs(front_end, wholes, {"dashboards": f"{NUMBERS[-1]:,}"})
        timed = [(spans(DYNAMIC, sandbox), spans(NOTHING[DYNAMIC], sandbox)) for _ in range(samples)]
    yield from figures_of_pairs(DYNAMIC, timed, {"engine": "fake engine"})


def figures_of_pairs(
    front_end: str, runs: list[tuple[dict[str, float], dict[str, float]]], where: dict[str, str]
) -> Iterator[Figure]:
    """Yield the figures of runs, each with its floor, in seconds by name."""
    for name in runs[0][0]:
        ours, floors = ([run[side][name] for run in runs] for side in (0, 1))
        yield Figure(PART, name, "s", NOTHING[front_end], ours, floors, {"front end": front_end, **where})


def figures(front_end: str, number: int, runs: list[tuple[Costs, Costs]]) -> Iterator[Figure]:
    """Yield the figures of one front end at one size."""
    where = {"front end": front_end, "dashboards": f"{number:,}"}
    least = {"up": number, "preview": 0, "refresh": 1, "destroy": number}
    for name in runs[0][0]:
        ours, floors = ([run[side][name] for run in runs] for side in (0, 1))
        if name == MEMORY:
            values, least_of = [each[0] for each in ours], [each[0] for each in floors]
            yield Figure(PART, name, "MiB", NOTHING[front_end], values, least_of, where)
            continue
        for place, (what, unit) in enumerate((("processor time", "s"), ("time", "s"))):
            values, least_of = [each[place] for each in ours], [each[place] for each in floors]
            yield Figure(PART, f"{name}: {what}", unit, NOTHING[front_end], values, least_of, where)
        sent = [float(each[2]) for each in ours]
        yield Figure(PART, f"{name}: requests", "", "one per write or list", sent, [least[name]], where)


MEMORY = "most memory"


def played(front_end: str, number: int, sandbox: Sandbox) -> Costs:
    """Create, preview, refresh and destroy dashboards, each in a new process."""
    found: Costs = {}
    peak = 0.0
    steps = objects.dashboards(number)
    state: dict[str, Resource] = {}
    operations: dict[str, Callable[[Engine], object]] = {
        "up": lambda engine: engine.up(steps),
        "preview": lambda engine: engine.preview(steps),
        "refresh": Engine.refresh,
        "destroy": Engine.destroy,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, work in operations.items():
            with Engine(front_end, sandbox.config, Path(folder), state) as engine:
                engine.warm_up(steps[0])
                with writes(sandbox, number * WRITES[name], front_end):
                    before, started = cpu_seconds(engine.driver.pid), time.monotonic()
                    work(engine)
                    taken = time.monotonic() - started
                    used = cpu_seconds(engine.driver.pid) - before
                found[name] = (used, taken, sandbox.count())
                peak = max(peak, peak_mib(engine.driver.pid))
    return {**found, MEMORY: (peak, 0, 0)}


def spans(front_end: str, sandbox: Sandbox) -> dict[str, float]:
    """Return the duration of each operation on a program with the fake engine that writes its state."""
    stack = FakeEngineStack(
        program(front_end, CHECKPOINTED), config=stack_config(sandbox), env=environment(front_end), parallel=32
    )
    found = {}
    for run in (stack.up, stack.preview, stack.refresh, stack.destroy):
        with writes(sandbox, CHECKPOINTED * WRITES[run.__name__], front_end):
            found[f"{run.__name__} of {CHECKPOINTED} dashboards: time"] = run().seconds
    return found
