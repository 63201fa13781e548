"""Many concurrent creates: of one program, several stacks or several machines; responses are fast, slow or lost.

RUNS=100 repeats each case that many times; by default, some of them run once.
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
from .console import add_foreign, works
from .engine import Outcome, Stack, Wanted
from .front_ends import FRONT_ENDS, Provider
from .play import SHORT_TIMEOUTS, comes_with_a_service
from .running import Objects, RunningSandbox, changed_objects
from .subjects import SUBJECTS, Subject

pytestmark = pytest.mark.slow

RUNS = int(os.environ.get("RUNS", "1"))
MAX_UPS = 4
"""A lost response can end an up; this many must be enough."""

FOUR = 4


@dataclass(frozen=True)
class Responses:
    """The faults of responses to creates.

    Attributes:
        name: The name of this kind.
        faults: Faults of each create operation, as arguments of the sandbox.
    """

    name: str
    faults: tuple[Mapping[str, Any], ...] = ()

    def __str__(self) -> str:
        """Return its name."""
        return self.name


RESPONSES = (
    Responses("fast"),
    Responses("slow", ({"kind": "delay", "wait": 0.3, "times": None},)),
    Responses("lost", ({"kind": "lose", "after": 1, "times": 2}, {"kind": "commit_then_hang", "after": 1, "times": 1})),
    Responses("refused", ({"kind": "status", "status": 500, "after": 1, "times": 2},)),
)


RECOVERED = frozenset({"lost", "refused"})
"""Responses after which a create must find its object."""


@dataclass(frozen=True)
class Many:
    """Objects with the same name.

    Attributes:
        subject: The name of the subject.
        number: The number of objects in one program.
        more: Inputs in addition to the subject's.
        without: Inputs of the subject to omit.
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
        """Return its name."""
        return f"{self.number} {self.subject}"


REPEATED = (
    Many("Service", 10, (("allowDuplicateName", True),)),
    Many("ApiKey", 12),
    Many("ApiKey", 50),
    Many("Dashboard.managed", 6, (("tiles", []),)),  # of series none is proven (docs/reliability.md)
    Many("Alert.hosted", 2, without=("name",)),
    Many("Alert.managed", 5),
)


class StackGroup:
    """Several stacks on one server, each with a provider process for each command.

    Args:
        running: The server.
        warm: The interpreter that starts providers.
        front_end: The front end of the providers.
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
        config = {**self.sandbox.config, **SHORT_TIMEOUTS}
        provider = FRONT_ENDS[self._front_end](self._warm, config, self._folders[name], stack=name)
        try:
            return act(self.stacks[name], provider)
        finally:
            provider.stop()

    def all(self, act: Callable[[Stack, Provider], Outcome]) -> list[Outcome]:
        """Run a command on all stacks concurrently."""
        with ThreadPoolExecutor(len(self.stacks)) as pool:
            return list(pool.map(lambda name: self.run(name, act), self.stacks))

    def ids(self, subject: Subject, *names: str) -> list[tuple[str, str]]:
        """Return the kind and the id of each object in state, of all stacks or of those in `names`."""
        return [
            (subject.kind, str(entry.outputs.get("alertId") or entry.id))
            for name in names or self.stacks
            for entry in self.stacks[name].entries.values()
        ]


@dataclass(frozen=True)
class Together:
    """One case: the objects, the stacks that create them concurrently, and the faults of responses."""

    many: Many
    responses: Responses
    front_end: str
    dialect: str
    stacks: int = 1
    machines: int = 1

    @property
    def undecidable(self) -> bool:
        """Whether the origin of an object is unknown: equal objects of several machines, and lost responses."""
        return self.machines > 1 and self.dialect == "neutral" and self.responses.name in RECOVERED

    def __str__(self) -> str:
        """Return the id of the test."""
        creators = f"{self.stacks} stacks on {self.machines}" if self.stacks > 1 else "one program"
        return f"{self.many}, {creators}, {self.responses}, {self.dialect}, {self.front_end}"


OF_ONE_PROGRAM = [Together(*each) for each in itertools.product(REPEATED, RESPONSES, FRONT_ENDS, DIALECTS)]
OF_STACKS = [
    Together(*each, stacks=FOUR, machines=machines)
    for machines in (1, FOUR)
    for each in itertools.product(
        (Many("Service", 1, (("allowDuplicateName", True),)), Many("ApiKey", 2)), RESPONSES, FRONT_ENDS, DIALECTS
    )
]
EVERY = 1 if RUNS > 1 else 9
"""With one run, every ninth case is played, which includes all values of each field."""

UNDECIDABLE = [case for case in OF_STACKS if case.undecidable]


@pytest.mark.parametrize("case", OF_ONE_PROGRAM[::EVERY], ids=str)
def test_program_with_repeated_names_creates_all_objects(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """All objects are created, each once, and another user's object of the same name is unchanged."""
    for run in range(RUNS):
        create_together(_group_of(case, sandboxes, warm, tmp_path / str(run)), case)


@pytest.mark.parametrize("case", [case for case in OF_STACKS[::EVERY] if not case.undecidable], ids=str)
def test_stacks_with_the_same_names_create_their_own_objects(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """Each stack creates its own objects, and a destroy of one stack does not change those of others."""
    for run in range(RUNS):
        group = _group_of(case, sandboxes, warm, tmp_path / str(run))
        create_together(group, case)
        before = group.running.objects()
        first, *others = group.stacks
        gone = set(group.ids(case.many.kind, first))
        others_own = {key: each for key, each in before.items() if not (key in gone or comes_with_a_service(*key))}
        assert group.run(first, lambda stack, provider: stack.destroy(provider)).errors == []
        assert changed_objects(others_own, group.running.objects()) == []
        for other in others:
            assert group.run(other, lambda stack, provider: stack.refresh(provider)).changed == []


@pytest.mark.parametrize("case", UNDECIDABLE[::EVERY], ids=str)
def test_equal_objects_of_several_machines_are_never_duplicated(
    case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, tmp_path: Path
) -> None:
    """A stack can adopt an equal object of another machine, as docs/reliability.md states.

    There are never more objects than in the programs, errors state the reason, and different objects are unchanged.
    """
    for run in range(RUNS):
        group = _group_of(case, sandboxes, warm, tmp_path / str(run))
        _, existing, errors = create_all(group, case)
        assert all("nothing proves that it is one of" in error for error in errors), errors
        objects = group.running.objects()
        made = {key for key in objects.keys() - existing.keys() if key[0] == case.many.kind.kind}
        assert len(made) <= len(group.stacks) * case.many.number
        assert changed_objects(existing, objects) == []


def _group_of(case: Together, sandboxes: dict[str, RunningSandbox], warm: WarmInterpreter, folder: Path) -> StackGroup:
    running = sandboxes[case.dialect]
    running.clear()
    folders = [folder / str(index % case.machines) for index in range(case.stacks)]
    for each in folders:
        each.mkdir(parents=True, exist_ok=True)
    return StackGroup(running, warm, case.front_end, folders)


def create_all(group: StackGroup, case: Together) -> tuple[list[Wanted], Objects, list[str]]:
    """Run the creates of all stacks concurrently, in at most `MAX_UPS` ups.

    Returns:
        The program of each stack, the objects that existed before, and the errors of the last up.
    """
    sandbox, subject = group.sandbox, case.many.kind
    program = case.many.wanted(subject.setting(sandbox), case.many.number)
    add_foreign(sandbox, program[0], subject.kind, same_name=True)
    existing: Objects = group.running.objects()
    for fault in case.responses.faults:
        details = dict(fault)
        sandbox.fault(subject.create_operation, details.pop("kind"), **details)
    errors: list[str] = []
    for _ in range(MAX_UPS):
        outcomes = group.all(lambda stack, provider: stack.up(provider, program, parallel=FOUR))
        errors = [error for outcome in outcomes for error in outcome.errors]
        sandbox.clear_faults()
        if not errors:
            break
    return program, existing, errors


def create_together(group: StackGroup, case: Together) -> None:
    """Run the creates of all stacks concurrently, and check the objects."""
    program, existing, errors = create_all(group, case)
    assert errors == []
    check_objects(group, case.many.kind, existing, len(group.stacks) * case.many.number)
    for outcome in group.all(lambda stack, provider: stack.preview(provider, program)):
        assert outcome == Outcome()
    for outcome in group.all(lambda stack, provider: stack.refresh(provider)):
        assert outcome == Outcome()


def check_objects(group: StackGroup, subject: Subject, existing: Objects, number: int) -> None:
    """Check that program, state and server have the same objects, that secrets work, and that others are unchanged."""
    objects, own = group.running.objects(), group.ids(subject)
    assert len(own) == len(set(own)) == number
    assert {key for key in objects.keys() - existing.keys() if key[0] == subject.kind} == set(own)
    assert changed_objects(existing, objects) == []
    for stack in group.stacks.values():
        for entry in stack.entries.values():
            assert works(group.sandbox, subject.kind, entry.id, strip(entry.outputs))
