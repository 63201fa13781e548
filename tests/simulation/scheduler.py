"""The virtual clock and the scheduler: actors take turns in one thread, and a seed decides whose turn it is.

An actor is a greenlet, so the synchronous core under it yields wherever it sleeps or sends a request. The scheduler
jumps from one event to the next; no real time passes.
"""

from __future__ import annotations

import heapq
import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Protocol

import greenlet  # type: ignore[import-untyped]

from pulumi_clouddb.client.runtime import Runtime

EPOCH = 1_800_000_000.0
"""The second since 1970 at which each life begins."""

MOST_EVENTS = 20_000
"""Events of one life. A life with more does not end by itself."""


class NeverEndsError(Exception):
    """A life has more events than any honest life."""


class Mortal(Protocol):
    """Something whose death stops its actors."""

    @property
    def alive(self) -> bool:
        """Whether it lives."""


class Actor:
    """One line of execution.

    Attributes:
        owner: Who takes the actor along when it dies; None for nobody.
    """

    def __init__(self, label: str, owner: Mortal | None, function: Callable[[], None], hub: greenlet.greenlet) -> None:
        self.label = label
        self.owner = owner
        self._greenlet = greenlet.greenlet(function, hub)

    @property
    def stopped(self) -> bool:
        """Whether the owner has died: the actor gets no further turn."""
        return self.owner is not None and not self.owner.alive

    def turn(self) -> None:
        """Let the actor run until it waits or ends."""
        if not self.stopped:
            self._greenlet.switch()

    def bury(self) -> None:
        """Take the stack of an actor apart that gets no further turn. Its owner is dead, so it reaches nothing."""
        if self._greenlet and not self._greenlet.dead:
            self._greenlet.throw(greenlet.GreenletExit)


class Simulation:
    """The clock, the events to come, and whose turn it is."""

    def __init__(self, seed: int, *, verbose: bool = False) -> None:
        self.seed = seed
        self.random = random.Random(seed)  # noqa: S311 (a seed has to give the same life again)
        self.now = 0.0
        self.story: list[str] | None = [] if verbose else None
        self.current: Actor | None = None
        self._hub = greenlet.getcurrent()
        self._events: list[tuple[float, float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._waiting: list[tuple[threading.Event, Actor]] = []
        self._actors: list[Actor] = []

    def tell(self, text: str) -> None:
        """Add a line to the story."""
        if self.story is not None:
            who = self.current.label if self.current else "-"
            self.story.append(f"{self.now:10.3f}  {who:<34} {text}")

    def chance(self, probability: float) -> bool:
        """Decide something by chance."""
        return probability > 0 and self.random.random() < probability

    # -- scheduling ----------------------------------------------------------------------------------------------

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call `function` in `seconds`. Of events at the same moment, chance decides which is first."""
        event = (self.now + seconds, self.random.random(), next(self._numbers), function)
        heapq.heappush(self._events, event)

    def spawn(self, label: str, function: Callable[[], None], owner: Mortal | None = None, after: float = 0.0) -> Actor:
        """Start an actor in `after` seconds."""
        actor = Actor(label, owner, function, self._hub)
        self._actors.append(actor)
        self.later(after, lambda: self._turn(actor))
        return actor

    def sleep(self, seconds: float) -> None:
        """Let the current actor wait."""
        actor = self._acting()
        self.later(max(seconds, 0.0), lambda: self._turn(actor))
        self._hub.switch()

    def park(self) -> None:
        """End the turn of the current actor. It gets another one when somebody calls `resume`, or none."""
        self._acting()
        self._hub.switch()

    def resume(self, actor: Actor) -> None:
        """Give a parked actor its turn as the next event."""
        self.later(0.0, lambda: self._turn(actor))

    def wait(self, event: threading.Event) -> None:
        """Let the current actor wait until another actor sets `event`."""
        if not event.is_set():
            self._waiting.append((event, self._acting()))
            self._hub.switch()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Let events happen until `until`, or until there are no more.

        Raises:
            NeverEndsError: The life has too many events.
        """
        while self._events and not until():
            moment, _, number, function = heapq.heappop(self._events)
            if number > MOST_EVENTS:
                raise NeverEndsError(f"more than {MOST_EVENTS} events")
            self.now = max(self.now, moment)
            function()
            if self._waiting:
                self._wake()

    def advance(self, seconds: float) -> None:
        """Let everything happen that is due within `seconds`."""
        goal = self.now + seconds
        self.run(lambda: self._events[0][0] > goal)
        self.now = max(self.now, goal)

    def end(self) -> None:
        """Take apart what is left of the actors. All their owners must be dead."""
        for actor in self._actors:
            actor.bury()
        self._actors.clear()

    def _turn(self, actor: Actor) -> None:
        self.current = actor
        try:
            actor.turn()
        finally:
            self.current = None

    def _wake(self) -> None:
        for event, actor in [each for each in self._waiting if each[0].is_set()]:
            self._waiting.remove((event, actor))
            self.resume(actor)

    def _acting(self) -> Actor:
        if self.current is None:
            raise RuntimeError("only an actor can wait")
        return self.current


class VirtualRuntime(Runtime):
    """The clocks and waits of one process in a simulation.

    Args:
        owner: The process. A dead one gets no further turn, whatever its clean-up tries.
        skew: Seconds that the clock of this machine is ahead of the server's.
    """

    def __init__(self, simulation: Simulation, owner: Mortal, skew: float) -> None:
        super().__init__()
        self._simulation = simulation
        self._owner = owner
        self._skew = skew

    def time(self) -> float:
        """Return the time of this machine."""
        return EPOCH + self._simulation.now + self._skew

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody sets."""
        return self._simulation.now

    def sleep(self, seconds: float) -> None:
        """Give the turn away for that many seconds."""
        stop_if_dead(self._owner)
        self._simulation.sleep(seconds)

    def wait(self, event: threading.Event, message: str) -> None:
        """Give the turn away until another actor sets `event`."""
        stop_if_dead(self._owner)
        self._simulation.wait(event)


def stop_if_dead(owner: Mortal) -> None:
    """End what runs in the name of a dead process: clean-up in its abandoned stacks, which a kill -9 would not run.

    Raises:
        GreenletExit: The owner is dead.
    """
    if not owner.alive:
        raise greenlet.GreenletExit


@contextmanager
def deterministic(seed: int) -> Iterator[None]:
    """Let ids and secrets come from the seed, so that a story reads the same each time."""
    source = random.Random(seed)  # noqa: S311
    state = random.getstate()
    originals = os.urandom, random._urandom  # type: ignore[attr-defined]
    os.urandom = random._urandom = source.randbytes  # type: ignore[attr-defined]
    random.seed(seed)
    try:
        yield
    finally:
        os.urandom, random._urandom = originals  # type: ignore[attr-defined]
        random.setstate(state)
