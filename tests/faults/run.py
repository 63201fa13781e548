"""Running many cases side by side: they mostly wait, so some workers, each with servers of its own, share a machine."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeVar

from support.bucket import Bucket
from support.warm import WarmInterpreter

from .case import COMMANDS, DIALECTS, Case, Setup
from .front_ends import FRONT_ENDS
from .matrix import cases, setups
from .play import End, Player, Story
from .running import RunningSandbox
from .subjects import SUBJECTS

Item = TypeVar("Item")
Answer = TypeVar("Answer")
WORKERS = 8


@dataclass(frozen=True)
class Outcome:
    """A case, or a calm life, and its story."""

    case: Case | Setup
    story: Story

    @property
    def setup(self) -> Setup:
        """What ran."""
        return self.case.setup if isinstance(self.case, Case) else self.case

    @property
    def trouble(self) -> str:
        """What went wrong."""
        return self.case.trouble.name if isinstance(self.case, Case) else "calm"

    @property
    def result(self) -> str:
        """`failed`, `refused` or `ok`."""
        return "failed" if self.story.problems else "refused" if self.story.refused else "ok"

    def __str__(self) -> str:
        """Tell the whole story."""
        lines = [f"{self.case}", *(f"  {each}" for each in self.story.lines)]
        return "\n".join([*lines, *(f"  ! {each}" for each in self.story.problems)])


class Workers:
    """Players of each dialect, each of which plays one case at a time; use it through `workers`."""

    def __init__(self, players: Mapping[str, Sequence[Player]]) -> None:
        self._numbers = {dialect: len(several) for dialect, several in players.items()}
        self._players: dict[str, SimpleQueue[Player]] = {dialect: SimpleQueue() for dialect in players}
        for dialect, several in players.items():
            for player in several:
                self._players[dialect].put(player)

    def map(self, act: Callable[[Player, Item], Answer], items: Iterable[tuple[str, Item]]) -> Iterator[Answer]:
        """Do something with each item, by a player of its dialect; answers come in the order of the items."""

        def one(dialect: str, item: Item) -> Answer:
            player = self._players[dialect].get()
            try:
                return act(player, item)
            finally:
                self._players[dialect].put(player)

        with ExitStack() as stack:
            # As many threads as players: a queue may let one thread wait until all others are done.
            pools = {
                dialect: stack.enter_context(ThreadPoolExecutor(number)) for dialect, number in self._numbers.items()
            }
            answers = [pools[dialect].submit(one, dialect, item) for dialect, item in items]
            for answer in answers:
                yield answer.result()


@contextmanager
def workers(number: int = WORKERS, *, debug: bool = False, bucket: Bucket | None = None) -> Iterator[Workers]:
    """Start servers and players for so many cases at a time; with a bucket, each case has two machines."""
    with ExitStack() as stack:
        warm = stack.enter_context(WarmInterpreter())
        players: dict[str, list[Player]] = {}
        for dialect in DIALECTS:  # a server costs more to start than a case has to wait for one
            servers = [stack.enter_context(RunningSandbox(dialect)) for _ in range(number // 2 + 1)]
            players[dialect] = [Player(running, warm, debug=debug, bucket=bucket) for running in servers]
        yield Workers(players)


def learn(team: Workers, chosen: Iterable[Setup]) -> dict[Setup, End]:
    """Play each setup without trouble."""
    wanted = list(chosen)
    ends = team.map(Player.calm, [(setup.dialect, setup) for setup in wanted])
    return dict(zip(wanted, ends, strict=True))


def all_setups() -> list[Setup]:
    """Return the setups of both dialects."""
    return [setup for dialect in DIALECTS for setup in setups(dialect)]


def each_once() -> list[Setup]:
    """Return of each operation of each subject one setup, in turns of both dialects and both front ends.

    No code knows all of it: a dialect ends in client/, a front end begins in engine/, and subjects share both.
    """
    setups_of: dict[tuple[str, str], list[Setup]] = {}
    for setup in all_setups():
        setups_of.setdefault((setup.subject.name, setup.operation), []).append(setup)
    return [several[number % len(several)] for number, several in enumerate(setups_of.values())]


def may_match(setup: Setup, only: str) -> bool:
    """Return whether the id of a case of a setup may match a regular expression.

    The parts of an id that name a subject, a dialect, an operation or a front end are those of its setup; any other
    part of the expression may match every setup.
    """
    return any(all(_may_have(setup, part) for part in each.split("-")) for each in only.split("|"))


def _may_have(setup: Setup, part: str) -> bool:
    if part and any(name.startswith(part) for name in SUBJECTS):
        return part in setup.subject.name
    if part in COMMANDS:
        return setup.operation.startswith(part)
    own = {DIALECTS: setup.dialect, tuple(FRONT_ENDS): setup.front_end}
    return all(part == mine for names, mine in own.items() if part in names)


def choose(ends: dict[Setup, End], *, only: str = "", every: bool = False, seed: int = 0) -> list[Case]:
    """Return the cases that match, in random order.

    Args:
        ends: The calm lives.
        only: A regular expression that their ids must match; then all of them.
        every: Whether to return every case. Otherwise each trouble of each request of each operation of each subject
            comes once, in a dialect and a front end that the seed decides.
        seed: The order, and the choice.
    """
    pattern = re.compile(only)
    found = [case for setup, end in ends.items() for case in cases(setup, end) if pattern.search(str(case))]
    random.Random(seed).shuffle(found)  # noqa: S311 (chooses cases)
    if every or only:
        return found
    once = {(case.setup.subject, case.setup.operation, case.place, case.trouble.name): case for case in found}
    return list(once.values())


def sample(chosen: Iterable[Case], size: int) -> list[Case]:
    """Return so many of the cases: each kind of trouble in each operation before a second one."""
    seen: Counter[tuple[str, str]] = Counter()
    ranked = []
    for case in chosen:
        key = (case.trouble.name, case.setup.operation)
        ranked.append((seen[key], case))
        seen[key] += 1
    ranked.sort(key=lambda pair: pair[0])
    return [case for _, case in ranked[:size]]


def play(team: Workers, chosen: Iterable[Case], ends: dict[Setup, End]) -> Iterator[Outcome]:
    """Play cases."""
    items = [(case.setup.dialect, case) for case in chosen]
    yield from team.map(lambda player, case: Outcome(case, player.play(case, ends[case.setup])), items)
