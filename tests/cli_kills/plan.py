"""What a run does, all of it decided by its seed: so a seed is the name of a run, and plays it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from faults.case import DIALECTS

FRONT_ENDS = ("dynamic", "native")
FEWEST, MOST = 18, 30
"""Resources of a program."""

CTRL_C, CTRL_C_TWICE = "Ctrl-C", "Ctrl-C twice"
KILL_CLI, KILL_PROVIDER = "kill -9 of the CLI", "kill -9 of the provider"
KILL_PROGRAM, KILL_ALL = "kill -9 of the program", "kill -9 of everything"
WAYS = (CTRL_C, CTRL_C_TWICE, KILL_CLI, KILL_PROVIDER, KILL_PROGRAM, KILL_ALL)
"""The provider is the host of dynamic resources, or the plugin; everything is each process of the terminal's session.

The CLI starts each of its children in a process group of its own, so a signal to its group reaches the CLI only.
"""

_WAYS_IN_TURN = (*WAYS, CTRL_C_TWICE)

FIRST_UP, SECOND_UP, DESTROY = "first up", "second up", "destroy"
_COMMANDS = (*(FIRST_UP,) * 6, *(SECOND_UP,) * 3, DESTROY)

BEFORE, SENT, CARRIED_OUT, ANSWERED = "before the first write", "sent", "carried out, not answered", "answered"
WAITING, NEAR_END, ANY_TIME = "while services are provisioned", "near the end", "any time"
STAGES = (BEFORE, SENT, SENT, CARRIED_OUT, CARRIED_OUT, ANSWERED, ANSWERED, WAITING, NEAR_END, ANY_TIME, ANY_TIME)
_STAGES_OF_CHANGES = (BEFORE, SENT, SENT, ANSWERED, ANSWERED, NEAR_END, ANY_TIME, ANY_TIME)

FAST, BRISK, SLOW = "fast", "brisk", "slow"
PACES = (FAST, BRISK, BRISK, SLOW, SLOW)
LONGEST_SECONDS = {FAST: 0.6, BRISK: 1.5, SLOW: 3.0}
"""How long the writes of a command take, about."""

MOST_SEEDS = 100_000
"""So many are looked at for runs whose names match."""

LOST_SHARE = 0.13
"""Of the runs, these lose the disk between the interrupted command and the calm one."""


@dataclass(frozen=True)
class Plan:
    """One run.

    Attributes:
        seed: What decides all the rest.
        front_end: `dynamic` or `native`.
        pace: How long the server takes for a write, and until a service runs.
        share: Which of the writes it is about: 0 is the first, 1 the last.
        seconds: How long after that moment.
        gap: Seconds between two Ctrl-C.
        disk_lost: Whether another machine goes on, which has the backend and the program, and nothing else.
        parallel: How many resources the engine works on at a time.
    """

    seed: int
    front_end: str
    dialect: str
    resources: int
    pace: str
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
        """Decides what the plan does not name: what the program is made of, and how long each write takes."""
        return Random(f"program {self.seed}")  # noqa: S311 (nothing secret)

    def __str__(self) -> str:
        """Name it."""
        gap = f" ({self.gap:.2f} s apart)" if self.way == CTRL_C_TWICE else ""
        which = f" ({self.share:.0%})" if self.stage in (SENT, CARRIED_OUT, ANSWERED) else ""
        later = f" + {self.seconds:.2f} s" if self.seconds else ""
        disk = "lost" if self.disk_lost else "kept"
        return (
            f"seed {self.seed}: {self.front_end}, {self.dialect}, {self.resources} resources, {self.parallel} at a time"
            f", {self.pace} server, {self.command}, {self.way}{gap}, {self.stage}{which}{later}, disk {disk}"
        )


def plan_of(seed: int) -> Plan:
    """Return the run of a seed; front ends, dialects and ways come in turn, the rest by chance."""
    chance = Random(seed)  # noqa: S311 (nothing secret)
    way = _WAYS_IN_TURN[seed // 4 % len(_WAYS_IN_TURN)]
    command = chance.choice(_COMMANDS)
    if way == KILL_PROGRAM and command == DESTROY:  # which runs no program
        command = SECOND_UP
    pace = chance.choice(PACES)
    stage = chance.choice(STAGES if command == FIRST_UP else _STAGES_OF_CHANGES)
    return Plan(
        seed=seed,
        front_end=FRONT_ENDS[seed % 2],
        dialect=DIALECTS[seed // 2 % 2],
        resources=chance.randint(FEWEST, MOST),
        pace=pace,
        command=command,
        way=way,
        stage=stage,
        share=chance.random(),
        seconds=chance.uniform(0.0, LONGEST_SECONDS[pace]) if stage == ANY_TIME else chance.choice((0.0, 0.05, 0.2)),
        gap=chance.uniform(0.02, 0.6),
        disk_lost=chance.random() < LOST_SHARE,
        parallel=chance.choice((8, 16, 32)),
    )


def plans(first: int, runs: int, only: str = "") -> Iterator[Plan]:
    """Return so many runs, from a seed on: those whose names match a regular expression."""
    pattern = re.compile(only)
    return islice((plan for plan in map(plan_of, range(first, first + MOST_SEEDS)) if pattern.search(str(plan))), runs)
