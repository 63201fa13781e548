"""A machine with its disk, and the provider's process on it: the real core, called like in the dynamic host."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import httpx

from pulumi_clouddb.client.errors import CancelledError, CloudDBError
from pulumi_clouddb.create.owners import Owners
from pulumi_clouddb.create.pending import MADE, MADE_SECONDS, PendingCreates
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.create.updates import PendingUpdates
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.sdk._run_end import Registrations

from .faults import Death, Network, Phase, Victim, Wire
from .scheduler import Actor, Simulation, VirtualRuntime, stop_if_dead

BACKEND = "https://backend.example"
LOCK_POLL_SECONDS = 0.5

WATCH_SECONDS = 1.0
"""Interval of the checks whether the engine lives, as in `engine.wire.watch`."""

END_SECONDS = 0.1
"""Time in which the engine ends its provider."""


@dataclass
class Machine:
    """A machine that stacks are run on.

    Attributes:
        skew: Seconds that its clock is ahead of the server's.
        disk: The texts of its files by path; they survive the death of its processes.
        turns: The real folder in which its processes share the limit of a key; None if requests are not limited.
    """

    name: str
    skew: float = 0.0
    disk: dict[str, str] = field(default_factory=dict)
    locks: dict[str, Process] = field(default_factory=dict)
    turns: Path | None = None


class MemoryPath(PurePosixPath):
    """A path on the disk of a machine, with the methods that pending creates use. Its second part is the machine."""

    machines: dict[str, Machine] = {}  # noqa: RUF012 (a path cannot have attributes)

    def open(self, mode: str) -> io.BytesIO:
        """Open a file for reading."""
        try:
            return io.BytesIO(self._disk[str(self)].encode())
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory") from None

    def read_text(self, encoding: str) -> str:
        """Return the text of a file."""
        return self.open("rb").read().decode(encoding)

    def unlink(self) -> None:
        """Remove a file."""
        if self._disk.pop(str(self), None) is None:
            raise FileNotFoundError(2, "No such file or directory")

    def glob(self, pattern: str) -> list[MemoryPath]:
        """Return the files in this folder."""
        return [path for path in map(type(self), self._disk) if path.match(pattern)]

    def absolute(self) -> MemoryPath:
        """Return this path."""
        return self

    @property
    def _disk(self) -> dict[str, str]:
        return self.machines[self.parts[1]].disk


class MemoryLocks:
    """The locks of a machine, between the actors of a process and between processes. Dead processes hold none."""

    def __init__(self, machine: Machine, process: Process, simulation: Simulation) -> None:
        self._machine = machine
        self._process = process
        self._simulation = simulation

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold a lock during the block."""
        self.acquire(name, None)
        try:
            yield
        finally:
            self.release(name)

    def acquire(self, name: str, seconds: float | None) -> bool:
        """Acquire a lock; return False if it is held for longer than `seconds`."""
        started = self._simulation.now
        while name in self._machine.locks and self._machine.locks[name].alive:
            if seconds is not None and self._simulation.now - started >= seconds:
                return False
            stop_if_dead(self._process)
            self._process.session.sleep(LOCK_POLL_SECONDS)  # raises when the engine has gone
        self._machine.locks[name] = self._process
        return True

    def release(self, name: str) -> None:
        """Release a lock."""
        if self._machine.locks.get(name) is self._process:
            del self._machine.locks[name]


class MemoryPendingCreates(PendingCreates):
    """The pending creates on the disk of a machine in a simulation."""

    def write(self, path: Any, text: str) -> None:
        """Write a file to the disk."""
        MemoryPath.machines[path.parts[1]].disk[str(path)] = text

    def made_here(self, seconds: float = MADE_SECONDS) -> set[str]:
        """Return the ids of the objects that this machine created in the last seconds."""
        made = MemoryPath.machines[self.folder.parts[1]].disk.get(MADE, "").split()
        since = self._runtime.time() - seconds
        return {object_id for at, _, object_id in (each.partition(":") for each in made) if float(at) > since}

    def remember_made(self, object_id: str) -> None:
        """Record that this machine created an object."""
        disk = MemoryPath.machines[self.folder.parts[1]].disk
        disk[MADE] = f"{disk.get(MADE, '')} {self._runtime.time()}:{object_id}"


class MemoryOwners(Owners):
    """The objects in state, as far as the disk of a machine in a simulation shows."""

    def write(self, path: Any, text: str) -> None:
        """Write a file to the disk."""
        MemoryPath.machines[path.parts[1]].disk[str(path)] = text


class HostRuntime(VirtualRuntime):
    """The waits of a process; they raise when its engine has gone."""

    ended = False

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds.

        Raises:
            CancelledError: The engine has gone.
        """
        self.check()
        super().sleep(seconds)
        self.check()

    def check(self) -> None:
        """Return if the operation may continue.

        Raises:
            CancelledError: The engine has gone.
        """
        if self.ended:
            raise CancelledError("Pulumi's engine has ended")


class Process:
    """One process of the provider, for one run of a stack.

    Attributes:
        warnings: The warnings that it has shown.
        faults: Errors of types that it must never raise.
        history: Its requests and their results, if the network records them.
    """

    def __init__(
        self,
        simulation: Simulation,
        network: Network,
        machine: Machine,
        config: ProviderConfig,
        deaths: tuple[Death, ...] = (),
    ) -> None:
        self.alive = True
        self.warnings: list[str] = []
        self.faults: list[str] = []
        self.history: list[str] = []
        self.on_death: Callable[[Victim], None] = lambda victim: None
        self._simulation = simulation
        self._deaths = list(deaths)
        self._counts = {"all": 0, "writes": 0, "returned": 0}
        self._urns: dict[Actor, str] = {}
        self._served, self._engine_lives = True, True
        self._running = 0
        self._runtime = HostRuntime(simulation, self, machine.skew)
        disk: Any = MemoryPath("/", machine.name)
        self.session = Session(
            config,
            scope=BACKEND,
            warn=self._warn,
            folder=machine.turns or disk,
            runtime=self._runtime,
            transport=Wire(network, self),
            engine_is_connected=lambda: self._served,
            stack=BACKEND,
        )
        MemoryPath.machines[machine.name] = machine
        self.session.pending = MemoryPendingCreates(disk, self._runtime, self.session.warn)
        self.session.updates = PendingUpdates(self.session.pending)
        self.session.owners = MemoryOwners(disk, BACKEND)
        self.session.pending.locks = MemoryLocks(machine, self, simulation)  # type: ignore[assignment]
        simulation.later(WATCH_SECONDS, self._watch)

    def call(self, urn: str, method: str, arguments: tuple[Any, ...], done: Callable[[Any], None]) -> None:
        """Start a call of the engine. `done` receives its result or its error."""
        self._running += 1
        handler = RESOURCES[urn.split("::")[2].rpartition(":")[2]]

        def work() -> None:
            try:
                result: Any = getattr(self, f"_{method}")(self.session.for_resource(urn), handler, *arguments)
            except CloudDBError as error:
                self._simulation.log(f"{method} failed: {error}")
                result = error
            except Exception as error:  # noqa: BLE001 (any other error is a violation)
                self.faults.append(f"{method} of {urn} raised {type(error).__name__}: {error}")
                result = error
            finally:
                self._running -= 1
            if method == "create":
                self.meet(Phase.RETURNED)
            if self.alive and self._served:
                done(result)

        actor = self._simulation.spawn(f"{urn.split('::')[0].rpartition(':')[2]}/{urn.split('::')[-1]}", work, self)
        self._urns[actor] = urn

    def urn_of(self, actor: Actor | None) -> str:
        """Return the URN of an actor's resource."""
        return self._urns[actor] if actor else ""

    def count(self, request: httpx.Request) -> None:
        """Count a request, for the planned deaths."""
        self._counts["all"] += 1
        self._counts["writes"] += request.method != "GET"

    def meet(self, phase: Phase) -> None:
        """Run the deaths that are planned for this moment."""
        if phase is Phase.RETURNED:
            self._counts["returned"] += 1
        for death in list(self._deaths):
            of = "returned" if phase is Phase.RETURNED else "writes" if death.writes_only else "all"
            if death.phase is phase and death.request == self._counts[of]:
                self._deaths.remove(death)
                self._simulation.log(f"*** {death.victim.value} dies, {phase.value} ***")
                self.on_death(death.victim)

    # -- the end of the process, as in `dynamic.host` ----------------------------------------------------------------

    def die(self, victim: Victim) -> None:
        """Die, or notice the death of the engine within a second."""
        if victim in (Victim.HOST, Victim.BOTH):
            self.alive = False
        else:
            self._engine_lives = False
            self._served = self._served and victim is not Victim.CUT

    def registrations(self) -> Registrations:
        """Return the registrations of the program of this run."""
        return Registrations(self.session.pending.folder, BACKEND)

    def end(self) -> None:
        """End this process normally, after a short time."""
        self._simulation.later(END_SECONDS, self._end)

    def _end(self) -> None:
        self.alive = False

    def _watch(self) -> None:
        if not self.alive:
            return
        if self._engine_lives:
            self._simulation.later(WATCH_SECONDS, self._watch)
            return
        self._runtime.ended, self._served = True, False
        self._end_when_idle()

    def _end_when_idle(self) -> None:
        """End when no call is running: Python waits for its threads."""
        if self._running:
            self._simulation.later(WATCH_SECONDS, self._end_when_idle)
        else:
            self._end()

    # -- the calls -------------------------------------------------------------------------------------------------

    def _check(self, session: Session, handler: Any, inputs: Mapping[str, Any]) -> dict[str, Any]:
        checked = handler.check(session, inputs)
        if checked.failures:
            raise RuntimeError(f"the program is invalid: {checked.failures}")
        return dict(checked.inputs)

    def _diff(self, session: Session, handler: Any, object_id: str, old: Any, new: Any) -> Any:
        return lifecycle.diff(session, handler, object_id, old, new)

    def _create(self, session: Session, handler: Any, inputs: Any) -> Any:
        return lifecycle.create(session, handler, inputs)

    def _read(self, session: Session, handler: Any, object_id: str, state: Any) -> Any:
        return lifecycle.read(session, handler, object_id, state, {})[1]

    def _update(self, session: Session, handler: Any, object_id: str, old: Any, new: Any) -> Any:
        return lifecycle.update(session, handler, object_id, old, new)

    def _delete(self, session: Session, handler: Any, object_id: str, state: Any) -> None:
        lifecycle.delete(session, handler, object_id, state)

    def _warn(self, message: str, _: str) -> None:
        self.warnings.append(message)
        self._simulation.log(f"warning: {message}")
