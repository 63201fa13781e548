"""The virtual clock and the scheduler: actors take turns in one thread, in an order determined by a seed.

An actor is a greenlet, so the synchronous core in it yields whenever it sleeps or sends a request. The scheduler jumps
from one event to the next; no real time passes.
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

from pulumi_clouddb.client.retries import SPREAD
from pulumi_clouddb.client.runtime import Runtime

EPOCH = 1_800_000_000.0
"""The start of each life, in seconds since 1970."""

MAX_EVENTS = 20_000
"""Maximum number of events of a life; a life with more does not end."""


class EndlessLifeError(Exception):
    """A life has too many events."""


class Owner(Protocol):
    """A process whose death stops its actors."""

    @property
    def alive(self) -> bool:
        """Whether it lives."""


class Actor:
    """One thread of execution.

    Attributes:
        owner: The process whose death stops the actor, or None.
    """

    def __init__(self, label: str, owner: Owner | None, function: Callable[[], None], hub: greenlet.greenlet) -> None:
        self.label = label
        self.owner = owner
        self._greenlet = greenlet.greenlet(function, hub)

    @property
    def stopped(self) -> bool:
        """Whether the owner has died; then the actor never runs again."""
        return self.owner is not None and not self.owner.alive

    def turn(self) -> None:
        """Run the actor until it waits or ends."""
        if not self.stopped:
            self._greenlet.switch()

    def discard(self) -> None:
        """Unwind the stack of an actor that never runs again. Its owner is dead, so its clean-up has no effect."""
        if self._greenlet and not self._greenlet.dead:
            self._greenlet.throw(greenlet.GreenletExit)


class Simulation:
    """The clock, the scheduled events, and the running actor."""

    def __init__(self, seed: int, *, verbose: bool = False) -> None:
        self.seed = seed
        self.random = random.Random(seed)  # noqa: S311 (reproducible by the seed)
        self.now = 0.0
        self.log_lines: list[str] | None = [] if verbose else None
        self.current: Actor | None = None
        self._hub = greenlet.getcurrent()
        self._events: list[tuple[float, float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._waiting: list[tuple[threading.Event, Actor]] = []
        self._actors: list[Actor] = []

    def log(self, text: str) -> None:
        """Add a line to the log."""
        if self.log_lines is not None:
            who = self.current.label if self.current else "-"
            self.log_lines.append(f"{self.now:10.3f}  {who:<34} {text}")

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return probability > 0 and self.random.random() < probability

    # -- scheduling ----------------------------------------------------------------------------------------------

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        """Call `function` in `seconds`. The order of events at the same time is random."""
        event = (self.now + seconds, self.random.random(), next(self._numbers), function)
        heapq.heappush(self._events, event)

    def spawn(self, label: str, function: Callable[[], None], owner: Owner | None = None, after: float = 0.0) -> Actor:
        """Start an actor in `after` seconds."""
        actor = Actor(label, owner, function, self._hub)
        self._actors.append(actor)
        self.later(after, lambda: self._turn(actor))
        return actor

    def sleep(self, seconds: float) -> None:
        """Suspend the current actor for some seconds."""
        actor = self._acting()
        self.later(max(seconds, 0.0), lambda: self._turn(actor))
        self._hub.switch()

    def park(self) -> None:
        """Suspend the current actor until `resume` is called for it."""
        self._acting()
        self._hub.switch()

    def resume(self, actor: Actor) -> None:
        """Schedule a parked actor at once."""
        self.later(0.0, lambda: self._turn(actor))

    def wait(self, event: threading.Event) -> None:
        """Suspend the current actor until another actor sets `event`."""
        if not event.is_set():
            self._waiting.append((event, self._acting()))
            self._hub.switch()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Run events until `until`, or until there are no more.

        Raises:
            NeverEndsError: The life has too many events.
        """
        while self._events and not until():
            moment, _, number, function = heapq.heappop(self._events)
            if number > MAX_EVENTS:
                raise EndlessLifeError(f"more than {MAX_EVENTS} events")
            self.now = max(self.now, moment)
            function()
            if self._waiting:
                self._wake()

    def advance(self, seconds: float) -> None:
        """Run all events that are due within `seconds`."""
        goal = self.now + seconds
        self.run(lambda: self._events[0][0] > goal)
        self.now = max(self.now, goal)

    def end(self) -> None:
        """Discard all actors. Their owners must be dead."""
        for actor in self._actors:
            actor.discard()
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
        owner: The process. After its death, its clean-up code cannot wait or send requests.
        skew: Seconds that the clock of this machine is ahead of the server's.
    """

    def __init__(self, simulation: Simulation, owner: Owner, skew: float) -> None:
        super().__init__()
        self._simulation = simulation
        self._owner = owner
        self._skew = skew

    def time(self) -> float:
        """Return the time of this machine."""
        return EPOCH + self._simulation.now + self._skew

    def monotonic(self) -> float:
        """Return seconds of a clock that is never set."""
        return self._simulation.now

    def sleep(self, seconds: float) -> None:
        """Suspend the actor for some seconds."""
        stop_if_dead(self._owner)
        self._simulation.sleep(seconds)

    def wait(self, event: threading.Event, message: str) -> None:
        """Suspend the actor until another actor sets `event`."""
        stop_if_dead(self._owner)
        self._simulation.wait(event)


def stop_if_dead(owner: Owner) -> None:
    """End clean-up code in the abandoned stacks of a dead process, which a kill -9 would not run.

    Raises:
        GreenletExit: The owner is dead.
    """
    if not owner.alive:
        raise greenlet.GreenletExit


@contextmanager
def deterministic(seed: int) -> Iterator[None]:
    """Derive ids, secrets and pauses from the seed, so that a life is reproducible."""
    source = random.Random(seed)  # noqa: S311
    state = SPREAD.getstate()
    originals = os.urandom, random._urandom  # type: ignore[attr-defined]
    os.urandom = random._urandom = source.randbytes  # type: ignore[attr-defined]
    SPREAD.seed(seed)
    try:
        yield
    finally:
        os.urandom, random._urandom = originals  # type: ignore[attr-defined]
        SPREAD.setstate(state)
