"""Complete runs with the real CLI, if it is on PATH: processor time of all processes, and time.

The engine writes the entire state before and after each step (a checkpoint). Large stacks are measured without
checkpoints, to show the provider's part; small ones with and without, to show the engine's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, Result, stack_config

from .done import WRITES, writes
from .engine import FRONT_ENDS, NOTHING, PLUGIN
from .figure import Figure
from .process import cpu_of_children
from .programs import environment, program, stack_of

PART = "cli"
ALL, LARGE = 100, 1000
CHECKPOINTED = (100, 300)
"""Only with the plugin, because checkpoints cost the engine the same with any provider."""
WITHOUT_CHECKPOINTS = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}

Costs = dict[str, tuple[float, float]]
"""Processor time and time of each operation."""


def measured(samples: int) -> Iterator[Figure]:
    """Yield the costs of runs; nothing without the CLI."""
    if not CliStack.available():
        return
    with Sandbox(vocabulary="neutral", own_process=True) as sandbox:
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
                        yield Figure(PART, name, "s", NOTHING[front_end], values, floors, where)


def played(front_end: str, number: int, checkpoints: bool, sandbox: Sandbox) -> Costs:
    """Return the costs of each operation on a stack of dashboards; only of `up` if it is large or has checkpoints."""
    env = {**environment(front_end), **({} if checkpoints else WITHOUT_CHECKPOINTS)}
    with stack_of(front_end, program(front_end, number), stack_config(sandbox), env) as stack:
        operations: list[Callable[[], Result]] = [stack.up]
        if number == ALL and not checkpoints:
            operations += [stack.preview, stack.refresh, stack.destroy]
        found = {}
        for name, operation in zip(("up", "preview", "refresh", "destroy"), operations, strict=False):
            with writes(sandbox, number * WRITES[name], front_end):
                before = cpu_of_children()
                seconds = operation().seconds
                found[name] = (cpu_of_children() - before, seconds)
        if len(operations) == 1:
            sandbox.reset()
        return found
