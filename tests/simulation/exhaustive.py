"""Every interleaving of two creates, another user, one loss and one death.

The order of events does not depend on time: whenever several events are possible, each is tried. A life cannot be
copied midway, so each one is run from the start, and ends when it reaches a known state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx

from pulumi_clouddb.schema.vocabulary import VocabularyName

from . import assertions
from .engine import Run
from .faults import LONGEST_LATE_SECONDS, NO_FAULTS, Conditions, Network, Victim
from .lives import Life, Plan
from .process import Process
from .programs import program
from .same import plain_text
from .scheduler import EndlessLifeError, Simulation, deterministic
from .server import target_of

ID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}")
LOSSES = ("lost before the server", "response lost", "lost, carried out later")
VICTIMS = (Victim.BOTH, Victim.ENGINE)


class SeenBeforeError(Exception):
    """This state was reached before, so its continuations are known."""


@dataclass(frozen=True)
class Case:
    """A scenario to explore.

    Attributes:
        stacks: 2 for two stacks on one machine, 1 for one program that uses a name twice.
        again: Whether the stack whose process died runs `up` again at once.
    """

    dialect: VocabularyName
    part: str
    stacks: int
    again: bool

    @property
    def name(self) -> str:
        """A description of the case."""
        creators = "two stacks" if self.stacks == 2 else "one program"
        return f"{self.dialect.value} {self.part}, {creators}{', up again at once' if self.again else ''}"


CASES = [
    Case(dialect, part, stacks, again)
    for dialect in VocabularyName
    for part in ("key", "service", "board")
    for stacks in (1, 2)
    for again in (False, True)
]


@dataclass
class Report:
    """The result of exploring a case.

    Attributes:
        states: The number of distinct states.
        lives: The number of lives, most of which end in a known state.
        ends: The distinct final states; after each, an `up` without faults was run and checked.
        violations: Each violation, with the choices that lead to it.
    """

    states: int = 0
    lives: int = 0
    ends: set[str] = field(default_factory=set)
    violations: list[tuple[list[int], str]] = field(default_factory=list)


@dataclass
class _Offer:
    """A possible next event; only one event of a group happens."""

    label: str
    function: Callable[[], None]
    group: object
    must: bool
    due: float = float("inf")


class _Fixed:
    """A random source without chance: the shortest delays, the first options."""

    def random(self) -> float:
        return 0.0

    def uniform(self, low: float, _: float) -> float:
        return low

    def choice(self, options: Sequence[Any]) -> Any:
        return options[0]


class Choices(Simulation):
    """A simulation in which a function chooses the next event.

    Args:
        choose: Receives the labels of the possible events, and returns the index of the next one.
    """

    def __init__(self, choose: Callable[[list[str]], int], *, verbose: bool = False) -> None:
        super().__init__(0, verbose=verbose)
        self.random = _Fixed()  # type: ignore[assignment]
        self.offers: list[_Offer] = []
        self._choose = choose

    def offer(
        self, label: str, function: Callable[[], None], *, group: object, must: bool = True, due: float = float("inf")
    ) -> None:
        """Add a possible event. Time does not pass while there are events that must happen."""
        self.offers.append(_Offer(label, function, group, must, due))

    def withdraw(self, group: object) -> None:
        """Remove the events of a group."""
        self.offers = [offer for offer in self.offers if offer.group is not group]

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Run events until `until`, or until no remaining event must happen."""
        while not until():
            self.moments(self.now)
            must = [offer for offer in self.offers if offer.must or offer.due <= self.now]
            if not must and not self._events:
                return
            possible = sorted(self.offers, key=lambda offer: (not offer.must, offer.label))
            labels = [offer.label for offer in possible] + ([] if must else ["time passes"])
            place = self._choose(labels) if len(labels) > 1 else 0
            if place == len(possible):
                self._let_time_pass()
                continue
            chosen = possible[place]
            self.withdraw(chosen.group)
            self.log(f">> {chosen.label}")
            chosen.function()

    def _let_time_pass(self) -> None:
        """Advance the clock until the possible events change."""
        before = list(self.offers)
        while self._events and self.offers == before and not any(offer.due <= self.now for offer in before):
            self.moments(min([self._events[0][0], *(offer.due for offer in before)]))

    def advance(self, seconds: float) -> None:
        """Run all events that are due within `seconds`, without choices."""
        self.moments(self.now + seconds)

    def moments(self, until: float) -> None:
        """Run all events that are due until a time."""
        self.now = max(self.now, until)
        super().run(lambda: self._events[0][0] > until)


class ChoiceNetwork(Network):
    """A network with at most one lost create, in which the order of deliveries is chosen."""

    simulation: Choices
    losses = 1

    def exchange(self, process: Process, request: httpx.Request) -> httpx.Response:
        """Offer the possible outcomes of a request."""
        if self.conditions is NO_FAULTS:
            return super().exchange(process, request)
        simulation, actor = self.simulation, self.simulation.current
        assert actor is not None
        urn, target = process.urn_of(actor), target_of(request.url.path)
        what = f"{actor.label} {request.method} {target.kind}"
        group, outcome = object(), list[httpx.Response | Exception]()

        def carry_out(then: Callable[[httpx.Response], None]) -> None:
            responses: list[httpx.Response] = []
            self._carry_out(what, request, urn, responses)
            then(responses[0])

        def end(result: httpx.Response | Exception) -> None:
            outcome.append(result)
            simulation.resume(actor)

        def lose(kind: str) -> None:
            self.losses -= 1
            if kind == LOSSES[1]:
                carry_out(lambda response: None)
            elif kind == LOSSES[2]:
                due = simulation.now + LONGEST_LATE_SECONDS
                late = partial(carry_out, lambda response: None)
                simulation.offer(f"late: {what}", late, group=late, must=False, due=due)
            end(httpx.ReadError("connection reset", request=request))

        def respond(response: httpx.Response) -> None:
            simulation.offer(f"response: {what}", partial(end, response), group=response)

        simulation.offer(f"server: {what}", partial(carry_out, respond), group=group)
        for kind in LOSSES if self.losses and request.method == "POST" else ():
            simulation.offer(f"{kind}: {what}", partial(lose, kind), group=group, must=False)
        simulation.park()
        result = outcome[0]
        process.history.append(f"{what} {self.seen(result)}")
        if isinstance(result, Exception):
            raise result
        return result

    def seen(self, result: httpx.Response | Exception) -> str:
        """Return the information in a result, with labels in place of ids."""
        if isinstance(result, Exception):
            return type(result).__name__
        labels = self.labels()
        return " ".join(sorted({labels.get(each, "?") for each in ID.findall(result.text)} - {"?"}))

    def labels(self) -> dict[str, str]:
        """Return a label for each object that does not depend on the order of events."""
        counts: dict[str, int] = {}
        labels = {}
        for id_, origin in self.server.ledger.origins.items():
            owner = origin.urn or "user"
            counts[owner] = counts.get(owner, 0) + 1
            labels[id_] = f"{owner}#{counts[owner]}"
        return labels


class ChoiceRun(Run):
    """A run in which time can pass between the end of a create and the write of state."""

    _simulation: Choices

    def _call_ended(self, method: str, go_on: Callable[[], None]) -> None:
        if method != "create" or self.over:
            super()._call_ended(method, go_on)
            return
        group = object()
        self._simulation.offer(f"state of {self.stack.name}", lambda: self._schedule(go_on), group=group)


class Encounter(Life):
    """A life with two creates, another user, a loss and a death.

    Args:
        ends: The final states of earlier lives. If this life ends in one of them, the result is known.
    """

    network_type = ChoiceNetwork
    run_type = ChoiceRun
    network: ChoiceNetwork
    simulation: Choices

    def __init__(self, simulation: Choices, case: Case, ends: set[str]) -> None:
        self._case = case
        self._ends = ends
        parts = ((case.part,),) * case.stacks
        copies = 3 - case.stacks
        super().__init__(
            simulation, Plan(case.dialect, NO_FAULTS, parts, copies, True, (), (), 0, 0.0, (False,) * case.stacks)
        )
        for scene in self._scenes:
            scene.settings = False  # sent after the create

    def _run_with_faults(self) -> None:
        simulation, group = self.simulation, object()
        self.network.conditions = Conditions()
        simulation.offer("another user", self._act_as_user, group=group, must=False)
        for number in range(len(self._stacks)):
            self._start(number, mortal=True)
        simulation.run(lambda: all(run.over for run in self._runs))
        simulation.withdraw(group)

    def _start(self, number: int, *, mortal: bool) -> None:
        stack = self._stacks[number]
        run = self._run(stack)
        if mortal:
            for victim in VICTIMS:
                self.simulation.offer(
                    f"death of {victim.value} of {stack.name}",
                    partial(self._die, number, run, victim),
                    group=self._case,
                    must=False,
                )
        run.up(program(self._scenes[number], self.plan.parts[number]))

    def _die(self, number: int, run: Run, victim: Victim) -> None:
        if run.over:
            return
        run.process.on_death(victim)
        self.seen["death"] += 1
        if self._case.again:
            self._start(number, mortal=False)

    def _act_as_user(self) -> None:
        self.user.act(self._scenes[0], {self._case.part})

    def _stop_faults(self) -> None:
        self.simulation.offers = [offer for offer in self.simulation.offers if offer.must or offer.due < float("inf")]
        for offer in self.simulation.offers:
            offer.must = True
        super()._stop_faults()

    def _recover(self) -> None:
        end = plain_text(self._left(), self.network.labels())
        if end not in self._ends:
            self._ends.add(end)
            super()._recover()

    def _left(self) -> tuple[Any, ...]:
        """Return the objects, disks and state after all processes have ended, and the secrets that do not work."""
        store = self.server.sandbox.state.store
        objects = {kind: store.items(kind) for kind in store.counts()}
        secrets = assertions.secrets(self.server, self._stacks)
        return objects, [each.disk for each in self._machines], [stack.entries for stack in self._stacks], secrets

    def state(self, labels: Sequence[str]) -> tuple[Any, ...]:
        """Return everything that the further course depends on."""
        names = self.network.labels()
        exist = tuple(sorted(names[id_] for kind in ("services", "keys", "dashboards") for id_ in self._existing(kind)))
        disk = tuple(
            sorted(" ".join(sorted({names.get(each, "") for each in ID.findall(text)})) for text in self._texts())
        )
        processes = tuple(
            (True, *sorted(each.history)) if each.alive else (False, *each.warnings, *each.faults)
            for each in self._processes
        )
        stacks = tuple(tuple(sorted((n, names[e.id]) for n, e in stack.entries.items())) for stack in self._stacks)
        over = tuple(run.over for run in self._runs)
        return (tuple(labels), exist, disk, processes, stacks, over, self.network.losses, self.simulation.now)

    def _existing(self, kind: str) -> list[str]:
        return self.server.existing(kind)

    def _texts(self) -> list[str]:
        return [str(record) for machine in self._machines for record in machine.disk.values()]


def play_choices(case: Case, choices: Sequence[int], *, verbose: bool = False) -> tuple[list[str], list[str]]:
    """Run one sequence of choices of a case; return its log and its violations."""
    rest = list(choices)
    with deterministic(0):
        simulation = Choices(lambda labels: rest.pop(0) if rest else 0, verbose=verbose)
        life = Encounter(simulation, case, set())
        try:
            life.play()
        finally:
            life.end()
    return simulation.log_lines or [], life.violations


def explore(case: Case, most: int | None = None) -> Report:
    """Run every sequence of choices of a case, or at most `most` lives."""
    report, seen, to_do = Report(), set[tuple[Any, ...]](), list[list[int]]([[]])
    while to_do and (most is None or report.lives < most):
        _play_on(case, to_do.pop(), report, seen, to_do)
    report.states = len(seen)
    return report


def _play_on(case: Case, prefix: list[int], report: Report, seen: set[tuple[Any, ...]], to_do: list[list[int]]) -> None:
    """Follow a prefix, then always take the first choice, and add the other choices to `to_do`."""
    taken: list[int] = []

    def choose(labels: list[str]) -> int:
        if len(taken) < len(prefix):
            taken.append(prefix[len(taken)])
            return taken[-1]
        state = life.state(labels)
        if state in seen:
            raise SeenBeforeError
        seen.add(state)
        to_do.extend([*taken, other] for other in range(1, len(labels)))
        taken.append(0)
        return 0

    report.lives += 1
    with deterministic(0):
        life = Encounter(Choices(choose), case, report.ends)
        try:
            life.play()
        except SeenBeforeError:
            return
        except EndlessLifeError as error:
            life.violations.append(f"endless: {error}")
        finally:
            life.end()
        report.violations += [(list(taken), each) for each in life.violations]
