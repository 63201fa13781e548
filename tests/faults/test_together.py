"""Many creates at once: of one program, of several stacks, of several machines; responses fast, slow and lost.

RUNS=100 repeats each case so often; by default some of them run once.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.engine.wire.secret import strip
from support.warm import WarmInterpreter

from .case import DIALECTS
from .console import neighbour, works
from .engine import Outcome, Stack, Wanted
from .front_ends import FRONT_ENDS, Provider
from .play import QUICK, comes_with_a_service
from .running import Objects, RunningSandbox, touched
from .subjects import SUBJECTS, Subject

pytestmark = pytest.mark.slow

RUNS = int(os.environ.get("RUNS", "1"))
MOST_UPS = 4
"""A lost response may end an up; so many have to do."""

FOUR = 4


@dataclass(frozen=True)
class Responses:
    """What happens to the responses to creates.

    Attributes:
        name: It, in a word.
        faults: Faults of each create operation, as the sandbox takes them.
    """

    name: str
    faults: tuple[Mapping[str, Any], ...] = ()

    def __str__(self) -> str:
        """Name it."""
        return self.name


RESPONSES = (
    Responses("fast"),
    Responses("slow", ({"kind": "delay", "wait": 0.3, "times": None},)),
    Responses("lost", ({"kind": "lose", "after": 1, "times": 2}, {"kind": "commit_then_hang", "after": 1, "times": 1})),
    Responses("refused", ({"kind": "status", "status": 500, "after": 1, "times": 2},)),
)


RECOVERED = frozenset({"lost", "refused"})
"""Responses after which a create has to find out what it has made."""


@dataclass(frozen=True)
class Many:
    """Objects of one name, in one form.

    Attributes:
        subject: The form.
        number: How many of them one program has.
        more: Inputs beside the subject's.
        without: Inputs that are left out.
    """

    subject: str
    number: int
    more: tuple[tuple[str, Any], ...] = ()
    without: tuple[str, ...] = ()

    @property
    def kind(self) -> Subject:
        """The subject."""
        return SUBJECTS[self.subject]

    def wanted(self, names: Mapping[str, str], number: int) -> list[Wanted]:
        """Return the program."""
        one = self.kind.wanted({**self.kind.before, **dict(self.more)}, names)
        inputs = {name: value for name, value in one.inputs.items() if name not in self.without}
        return [Wanted(one.resource, inputs, f"it{index}", one.marked) for index in range(number)]

    def __str__(self) -> str:
        """Name it."""
        return f"{self.number} {self.subject}"


REPEATED = (
    Many("Service", 10, (("allowDuplicateName", True),)),
    Many("ApiKey", 12),
    Many("ApiKey", 50),
    Many("Dashboard.managed", 6),
    Many("Alert.hosted", 2, without=("name",)),
    Many("Alert.managed", 5),
)


class Several:
    """Several stacks on one server, each with a provider process for each command.

    Args:
        running: The server.
        warm: What starts providers.
        front_end: Which ones.
        folders: The folder of each stack's machine.
    """

    def __init__(self, running: RunningSandbox, warm: WarmInterpreter, front_end: str, folders: list[Path]) -> None:
        self.running = running
        self.sandbox = running.sandbox
        self.stacks = {f"stack{index}": Stack() for index in range(len(folders))}
        self._folders = dict(zip(self.stacks, folders, strict=True))
        self._warm, self._front_end = warm, front_end

    def run(self, name: str, act: Callable[[Stack, Provider], Outcome]) -> Outcome:
        """Run a command on one stack."""
        config = {**self.sandbox.config, **QUICK}
        provider = FRONT_ENDS[self._front_end](self._warm, config, self._folders[name], stack=name)
        try:
            return act(self.stacks[name], provider)
        finally:
            provider.stop()

    def all(self, act: Callable[[Stack, Provider], Outcome]) -> list[Outcome]:
        """Run a command on all stacks at once."""
        with ThreadPoolExecutor(len(self.stacks)) as pool:
            return list(pool.map(lambda name: self.run(name, act), self.stacks))

    def ids(self, subject: Subject, *names: str) -> list[tuple[str, str]]:
        """Return kind and id of everything in the states, of all stacks or of those that are named."""
        return [
            (subject.kind, str(entry.outputs.get("alertId") or entry.id))
            for name in names or self.stacks
            for entry in self.stacks[name].entries.values()
        ]


@dataclass(frozen=True)
class Together:
    """One case: what is made at once, by whom, and what happens to the responses."""

    many: Many
    responses: Responses
    front_end: str
    dialect: str
    stacks: int = 1
    machines: int = 1

    @property
    def undecidable(self) -> bool:
        """Whether nothing tells whose an object is: equal ones of several machines, and responses that were lost."""
        return self.machines > 1 and self.dialect == "neutral" and self.responses.name in RECOVERED

    def __str__(self) -> str:
        """Name the test."""
        who = f"{self.stacks} stacks on {self.machines}" if self.stacks > 1 else "one program"
        return f"{self.many}, {who}, {self.responses}, {self.dialect}, {self.front_end}"


OF_ONE_PROGRAM = [Together(*each) for each in itertools.product(REPEATED, RESPONSES, FRONT_ENDS, DIALECTS)]
OF_STACKS = [
    Together(*each, stacks=FOUR, machines=machines)
    for machines in (1, FOUR)
    for each in itertools.product(
        (Many("Service", 1, (("allowDuplicateName", True),)), Many("ApiKey", 2)), RESPONSES, FRONT_ENDS, DIALECTS
    )
]
EVERY = 1 if RUNS > 1 else 9
"""With one run, every ninth case is played: all the values of each field come up."""

UNDECIDABLE = [case for case in OF_STACKS if case.undecidable]


@pytest.mark.parametrize("case", OF_ONE_PROGRAM[::EVERY], ids=str)
def test_one_program_repeats_a_name(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """All are made, each is one of its own, and what a colleague made beside them is left alone."""
    for run in range(RUNS):
        together(_several(case, sandboxes, warm, tmp_path / str(run)), case)


@pytest.mark.parametrize("case", [case for case in OF_STACKS[::EVERY] if not case.undecidable], ids=str)
def test_four_stacks_use_the_same_names_at_once(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """Each stack gets objects of its own, and destroying one of them touches no other's."""
    for run in range(RUNS):
        several = _several(case, sandboxes, warm, tmp_path / str(run))
        together(several, case)
        before = several.running.objects()
        first, *others = several.stacks
        gone = set(several.ids(case.many.kind, first))
        others_own = {key: each for key, each in before.items() if not (key in gone or comes_with_a_service(*key))}
        assert several.run(first, lambda stack, provider: stack.destroy(provider)).errors == []
        assert touched(others_own, several.running.objects()) == []
        for other in others:
            assert several.run(other, lambda stack, provider: stack.refresh(provider)).changed == []


@pytest.mark.parametrize("case", UNDECIDABLE[::EVERY], ids=str)
def test_equal_objects_of_several_machines(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """docs/reliability.md says what cannot be promised: of equal ones, a stack may take another machine's for its own.

    There are never more than were asked for, a refusal says why, and what differs in anything is never touched.
    """
    for run in range(RUNS):
        several = _several(case, sandboxes, warm, tmp_path / str(run))
        _, there, errors = create_all(several, case)
        assert all("nothing proves that it is one of" in error for error in errors), errors
        objects = several.running.objects()
        made = {key for key in objects.keys() - there.keys() if key[0] == case.many.kind.kind}
        assert len(made) <= len(several.stacks) * case.many.number
        assert touched(there, objects) == []


def _several(case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, folder: Path) -> Several:
    running = sandboxes[case.dialect]
    running.clear()
    folders = [folder / str(index % case.machines) for index in range(case.stacks)]
    for each in folders:
        each.mkdir(parents=True, exist_ok=True)
    return Several(running, warm, case.front_end, folders)


def create_all(several: Several, case: Together) -> tuple[list[Wanted], Objects, list[str]]:
    """Let all stacks create at once, in at most `MOST_UPS` ups.

    Returns:
        The program of each stack, what was there before, and the errors of the last up.
    """
    sandbox, subject = several.sandbox, case.many.kind
    program = case.many.wanted(subject.setting(sandbox), case.many.number)
    neighbour(sandbox, program[0], subject.kind, same_name=True)
    there: Objects = several.running.objects()
    for fault in case.responses.faults:
        details = dict(fault)
        sandbox.fault(subject.create_operation, details.pop("kind"), **details)
    errors: list[str] = []
    for _ in range(MOST_UPS):
        outcomes = several.all(lambda stack, provider: stack.up(provider, program, parallel=FOUR))
        errors = [error for outcome in outcomes for error in outcome.errors]
        sandbox.clear_faults()
        if not errors:
            break
    return program, there, errors


def together(several: Several, case: Together) -> None:
    """Let all stacks create at once, and look at them."""
    program, there, errors = create_all(several, case)
    assert errors == []
    look(several, case.many.kind, there, len(several.stacks) * case.many.number)
    for outcome in several.all(lambda stack, provider: stack.preview(provider, program)):
        assert outcome == Outcome()
    for outcome in several.all(lambda stack, provider: stack.refresh(provider)):
        assert outcome == Outcome()


def look(several: Several, subject: Subject, there: Objects, number: int) -> None:
    """Hold that objects asked for = in state = on the server, that all secrets work, and that no other is touched."""
    objects, own = several.running.objects(), several.ids(subject)
    assert len(own) == len(set(own)) == number
    assert {key for key in objects.keys() - there.keys() if key[0] == subject.kind} == set(own)
    assert touched(there, objects) == []
    for stack in several.stacks.values():
        for entry in stack.entries.values():
            assert works(several.sandbox, subject.kind, entry.id, strip(entry.outputs))
