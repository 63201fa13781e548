"""The plan of a run, which its seed determines completely: a seed reproduces the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from faults.case import DIALECTS

FRONT_ENDS = ("dynamic", "native")
MIN_RESOURCES, MAX_RESOURCES = 18, 30
"""Number of resources of a program."""

CTRL_C, CTRL_C_TWICE = "Ctrl-C", "Ctrl-C twice"
KILL_CLI, KILL_PROVIDER = "kill -9 of the CLI", "kill -9 of the provider"
KILL_PROGRAM, KILL_ALL = "kill -9 of the program", "kill -9 of everything"
WAYS = (CTRL_C, CTRL_C_TWICE, KILL_CLI, KILL_PROVIDER, KILL_PROGRAM, KILL_ALL)
"""The provider is the host of dynamic resources, or the plugin; everything is each process of the terminal's session.

The CLI starts each child in a new process group, so a signal to its own group reaches only the CLI.
"""

_WAYS_IN_TURN = (*WAYS, CTRL_C_TWICE)

FIRST_UP, SECOND_UP, DESTROY = "first up", "second up", "destroy"
_COMMANDS = (*(FIRST_UP,) * 6, *(SECOND_UP,) * 3, DESTROY)

BEFORE, SENT, CARRIED_OUT, RESPONDED = "before the first write", "sent", "carried out, no response", "response sent"
WAITING, NEAR_END, ANY_TIME = "while services are provisioned", "near the end", "any time"
STAGES = (BEFORE, SENT, SENT, CARRIED_OUT, CARRIED_OUT, RESPONDED, RESPONDED, WAITING, NEAR_END, ANY_TIME, ANY_TIME)
_STAGES_OF_CHANGES = (BEFORE, SENT, SENT, RESPONDED, RESPONDED, NEAR_END, ANY_TIME, ANY_TIME)

FAST, BRISK, SLOW = "fast", "brisk", "slow"
SPEEDS = (FAST, BRISK, BRISK, SLOW, SLOW)
LONGEST_SECONDS = {FAST: 0.6, BRISK: 1.5, SLOW: 3.0}
"""Approximate duration of the writes of a command."""

MAX_SEEDS = 100_000
"""Number of seeds that are searched for runs with matching names."""

LOST_SHARE = 0.13
"""Share of the runs that lose the disk between the interrupted command and the last one."""


@dataclass(frozen=True)
class Plan:
    """One run.

    Attributes:
        seed: Determines all other values.
        front_end: `dynamic` or `native`.
        speed: The duration of writes, and the time until a service runs.
        share: The write at which the command is interrupted: 0 is the first, 1 the last.
        seconds: The delay after that write.
        gap: Seconds between two Ctrl-C.
        disk_lost: Whether another machine continues, with the backend and the program only.
        parallel: The number of concurrent operations of the engine.
    """

    seed: int
    front_end: str
    dialect: str
    resources: int
    speed: str
    command: str
    way: str
    stage: str
    share: float
    seconds: float
    gap: float
    disk_lost: bool
    parallel: int

    @property
    def chance(self) -> Random:
        """The random source of the program and of the duration of each write."""
        return Random(f"program {self.seed}")  # noqa: S311 (nothing secret)

    def __str__(self) -> str:
        """Return its description."""
        gap = f" ({self.gap:.2f} s apart)" if self.way == CTRL_C_TWICE else ""
        which = f" ({self.share:.0%})" if self.stage in (SENT, CARRIED_OUT, RESPONDED) else ""
        later = f" + {self.seconds:.2f} s" if self.seconds else ""
        disk = "lost" if self.disk_lost else "kept"
        return (
            f"seed {self.seed}: {self.front_end}, {self.dialect}, {self.resources} resources, {self.parallel} at a time"
            f", {self.speed} server, {self.command}, {self.way}{gap}, {self.stage}{which}{later}, disk {disk}"
        )


def plan_of(seed: int) -> Plan:
    """Return the plan of a seed; front ends, dialects and ways alternate, all else is random."""
    chance = Random(seed)  # noqa: S311 (nothing secret)
    way = _WAYS_IN_TURN[seed // 4 % len(_WAYS_IN_TURN)]
    command = chance.choice(_COMMANDS)
    if way == KILL_PROGRAM and command == DESTROY:  # destroy runs no program
        command = SECOND_UP
    speed = chance.choice(SPEEDS)
    stage = chance.choice(STAGES if command == FIRST_UP else _STAGES_OF_CHANGES)
    return Plan(
        seed=seed,
        front_end=FRONT_ENDS[seed % 2],
        dialect=DIALECTS[seed // 2 % 2],
        resources=chance.randint(MIN_RESOURCES, MAX_RESOURCES),
        speed=speed,
        command=command,
        way=way,
        stage=stage,
        share=chance.random(),
        seconds=chance.uniform(0.0, LONGEST_SECONDS[speed]) if stage == ANY_TIME else chance.choice((0.0, 0.05, 0.2)),
        gap=chance.uniform(0.02, 0.6),
        disk_lost=chance.random() < LOST_SHARE,
        parallel=chance.choice((8, 16, 32)),
    )


def plans(first: int, runs: int, only: str = "") -> Iterator[Plan]:
    """Return a number of plans, from a seed on, whose descriptions match a regular expression."""
    pattern = re.compile(only)
    return islice((plan for plan in map(plan_of, range(first, first + MAX_SEEDS)) if pattern.search(str(plan))), runs)
