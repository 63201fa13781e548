"""Whole runs under the real CLI, where it is on PATH: processor time of all processes together, and time.

The engine writes the whole state before and after each step (a checkpoint). Large stacks are measured without, so that
the provider is seen; small ones with and without, so that the engine's part is.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import CliStack, Result, Secret, stack_config
from support.five import dynamic_program, native_program

from . import objects
from .engine import DYNAMIC, FRONT_ENDS, NOTHING, PARALLEL, PLUGIN
from .figure import Figure
from .limit import DYNAMIC_AT_A_TIME, MANAGEMENT, ready_at
from .programs import environment, name_plugin, program
from .under_limit import LATENCY, SERVICES, USERS, Cost, cost, figures

PART = "cli"
ALL, LARGE = 100, 1000
CHECKPOINTED = (100, 300)
"""With the plugin alone: checkpoints are the engine's own, whichever provider it asks."""
WITHOUT_CHECKPOINTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}

Costs = dict[str, tuple[float, float]]
"""Processor time and time of each operation."""


def measured(samples: int) -> list[Figure]:
    """Return what runs cost; nothing where there is no CLI."""
    if not CliStack.available():
        return []
    with ThreadPoolExecutor() as pool:
        limited = list(pool.map(under_limit, FRONT_ENDS))
    found = [
        figure
        for front_end, costs in zip(FRONT_ENDS, limited, strict=True)
        for figure in figures([costs], {"front end": front_end}, PART)
    ]
    with Sandbox(own_process=True) as sandbox:
        for front_end in FRONT_ENDS:
            checkpointed = CHECKPOINTED if front_end == PLUGIN else ()
            for number, checkpoints in ((ALL, False), (LARGE, False), *((each, True) for each in checkpointed)):
                runs = [
                    tuple(played(name, number, checkpoints, sandbox) for name in (front_end, NOTHING[front_end]))
                    for _ in range(samples)
                ]
                where = {
                    "front end": front_end,
                    "dashboards": f"{number:,}",
                    "checkpoints": "yes" if checkpoints else "no",
                }
                for operation in runs[0][0]:
                    for place, what in enumerate(("processor time", "time")):
                        values, floors = ([run[side][operation][place] for run in runs] for side in (0, 1))
                        name = f"{operation}: {what}"
                        found.append(Figure(PART, name, "s", NOTHING[front_end], values, floors, where))
    return found


def played(front_end: str, number: int, checkpoints: bool, sandbox: Sandbox) -> Costs:
    """Return what each operation on a stack of so many dashboards costs; on a large one, or with checkpoints, `up`."""
    env = {**environment(front_end), **({} if checkpoints else WITHOUT_CHECKPOINTS)}
    with stack_of(front_end, program(front_end, number), stack_config(sandbox), env) as stack:
        operations: list[Callable[[], Result]] = [stack.up]
        if number == ALL and not checkpoints:
            operations += [stack.preview, stack.refresh, stack.destroy]
        found = {}
        for name, operation in zip(("up", "preview", "refresh", "destroy"), operations, strict=False):
            before = _cpu_of_children()
            seconds = operation().seconds
            found[name] = (_cpu_of_children() - before, seconds)
        if len(operations) == 1:
            sandbox.reset()
        return found


@contextmanager
def stack_of(
    front_end: str, text: str, config: Mapping[str, str | Secret], env: Mapping[str, str]
) -> Iterator[CliStack]:
    """Make a stack of the real CLI, and remove it."""
    with tempfile.TemporaryDirectory() as folder:
        stack = CliStack(text, config=config, env=env, work_dir=Path(folder), parallel=PARALLEL)
        if front_end in (PLUGIN, NOTHING[PLUGIN]):
            name_plugin(stack.program.root / "Pulumi.yaml", front_end)
        yield stack


def under_limit(front_end: str) -> Cost:
    """Return what services cost under the published limit."""
    write = dynamic_program if front_end == DYNAMIC else native_program
    with Sandbox(own_process=True, rate_limit=True, latency=LATENCY) as sandbox:
        config = {**stack_config(sandbox), **USERS}
        at_a_time = DYNAMIC_AT_A_TIME if front_end == DYNAMIC else PARALLEL
        dictated = ready_at(1, SERVICES, LATENCY.provision, at_a_time, MANAGEMENT)
        with stack_of(front_end, write(objects.services(SERVICES)), config, {}) as stack:
            name = f"create {SERVICES} services of {LATENCY.provision:g} s"
            return cost(name, sandbox, stack.up, SERVICES + 3, f"{SERVICES} posts, 3 polls", dictated)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
