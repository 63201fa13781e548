"""Runs many cases concurrently: they mostly wait, so several workers with their own servers share a machine."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import LifoQueue
from typing import TypeVar

from support.bucket import Bucket
from support.warm import WarmInterpreter

from .case import COMMANDS, DIALECTS, Case, Setup
from .front_ends import FRONT_ENDS
from .matrix import cases, setups
from .play import Baseline, CaseLog, Player
from .running import RunningSandbox
from .subjects import SUBJECTS

Item = TypeVar("Item")
Result = TypeVar("Result")
WORKERS = 8


@dataclass(frozen=True)
class Outcome:
    """A case, or a life without faults, and its log."""

    case: Case | Setup
    log: CaseLog

    @property
    def setup(self) -> Setup:
        """The setup of the case."""
        return self.case.setup if isinstance(self.case, Case) else self.case

    @property
    def fault(self) -> str:
        """The name of the fault."""
        return self.case.fault.name if isinstance(self.case, Case) else "none"

    @property
    def result(self) -> str:
        """`failed`, `refused` or `ok`."""
        return "failed" if self.log.problems else "refused" if self.log.refused else "ok"

    def __str__(self) -> str:
        """Return the log."""
        lines = [f"{self.case}", *(f"  {each}" for each in self.log.lines)]
        return "\n".join([*lines, *(f"  ! {each}" for each in self.log.problems)])


class Workers:
    """Players of each dialect, each with one case at a time; use `workers` to create them.

    Args:
        start: Starts a server of a dialect and returns its player: one that no case needs is not started.
        number: The players of each dialect.
    """

    def __init__(self, start: Callable[[str], Player], number: int) -> None:
        self._start, self._number = start, number
        self._idle: dict[str, LifoQueue[Player | None]] = {dialect: LifoQueue() for dialect in DIALECTS}
        for idle in self._idle.values():
            for _ in range(number):
                idle.put(None)

    def map(self, act: Callable[[Player, Item], Result], items: Iterable[tuple[str, Item]]) -> Iterator[Result]:
        """Call a function for each item with a player of its dialect; yield the results in the order of the items."""

        def one(dialect: str, item: Item) -> Result:
            player = self._idle[dialect].get()
            try:
                player = player or self._start(dialect)
                return act(player, item)
            finally:
                self._idle[dialect].put(player)

        with ExitStack() as stack:
            # As many threads as players: a thread could otherwise wait for a player until all others are done.
            pools = {dialect: stack.enter_context(ThreadPoolExecutor(self._number)) for dialect in DIALECTS}
            futures = [pools[dialect].submit(one, dialect, item) for dialect, item in items]
            for future in futures:
                yield future.result()


@contextmanager
def workers(number: int = WORKERS, *, debug: bool = False, bucket: Bucket | None = None) -> Iterator[Workers]:
    """Return players for so many cases at a time; with a bucket, each case has two machines."""
    with ExitStack() as stack:
        warm = stack.enter_context(WarmInterpreter())

        def start(dialect: str) -> Player:
            running = stack.enter_context(RunningSandbox(dialect))
            return Player(running, warm, debug=debug, bucket=bucket)

        yield Workers(start, number // 2 + 1)  # a server costs more to start than a case has to wait for one


def learn(team: Workers, chosen: Iterable[Setup]) -> dict[Setup, Baseline]:
    """Play each setup without faults."""
    wanted = list(chosen)
    baselines = team.map(Player.without_faults, [(setup.dialect, setup) for setup in wanted])
    return dict(zip(wanted, baselines, strict=True))


def all_setups() -> list[Setup]:
    """Return the setups of both dialects."""
    return [setup for dialect in DIALECTS for setup in setups(dialect)]


def each_once() -> list[Setup]:
    """Return one setup for each operation of each subject, alternating between dialects and front ends.

    This covers all code: dialects are handled in client/, front ends in engine/, independently of each other.
    """
    setups_of: dict[tuple[str, str], list[Setup]] = {}
    for setup in all_setups():
        setups_of.setdefault((setup.subject.name, setup.operation), []).append(setup)
    return [several[number % len(several)] for number, several in enumerate(setups_of.values())]


def may_match(setup: Setup, only: str) -> bool:
    """Return whether the id of a case of a setup may match a regular expression.

    Parts that name a subject, a dialect, an operation or a front end are compared with the setup; other parts may
    match every setup.
    """
    return any(all(_may_have(setup, part) for part in each.split("-")) for each in only.split("|"))


def _may_have(setup: Setup, part: str) -> bool:
    if part and any(name.startswith(part) for name in SUBJECTS):
        return part in setup.subject.name
    if part in COMMANDS:
        return setup.operation.startswith(part)
    own = {DIALECTS: setup.dialect, tuple(FRONT_ENDS): setup.front_end}
    return all(part == mine for names, mine in own.items() if part in names)


def choose(baselines: dict[Setup, Baseline], *, only: str = "", every: bool = False, seed: int = 0) -> list[Case]:
    """Return the cases that match, in random order.

    Args:
        baselines: The lives without faults.
        only: A regular expression for their ids; returns all that match.
        every: Whether to return every case. Otherwise each fault of each request of each operation of each subject is
            returned once, in a dialect and a front end that depend on the seed.
        seed: Determines the order and the selection.
    """
    pattern = re.compile(only)
    found = [
        case for setup, baseline in baselines.items() for case in cases(setup, baseline) if pattern.search(str(case))
    ]
    random.Random(seed).shuffle(found)  # noqa: S311 (chooses cases)
    if every or only:
        return found
    once = {(case.setup.subject, case.setup.operation, case.place, case.fault.name): case for case in found}
    return list(once.values())


def sample(chosen: Iterable[Case], size: int) -> list[Case]:
    """Return a number of cases: each kind of fault in each operation before a second one."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked = []
    for case in chosen:
        key = (case.fault.name, case.setup.operation)
        ranked.append((seen[key], case))
        seen[key] += 1
    ranked.sort(key=lambda pair: pair[0])
    return [case for _, case in ranked[:size]]


def play(team: Workers, chosen: Iterable[Case], baselines: dict[Setup, Baseline]) -> Iterator[Outcome]:
    """Play cases."""
    items = [(case.setup.dialect, case) for case in chosen]
    yield from team.map(lambda player, case: Outcome(case, player.play(case, baselines[case.setup])), items)
