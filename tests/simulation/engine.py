"""A small model of Pulumi's engine: the order of calls, and the moments at which state is written.

It models what can lose objects: up to four concurrent operations, state that is written after each call in a separate
step, and an engine that can die between the two. After a second Ctrl-C it writes no more state, but still responds to
the program's registrations. A preview ends before the first change. Replacements delete first: state keeps the deleted
resource until its successor exists. Other replacements, aliases, secrets and explicit providers are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Any

from clouddb_tools.testing.fake_engine.decision import Decision, decide

from .faults import Victim
from .process import Machine, Process
from .scheduler import Simulation

PROJECT = "shop"
PARALLEL = 4
"""The dynamic host serves four calls at a time (pulumi 3.272, dynamic/__main__.py)."""

LONGEST_END_SECONDS = 10.0
"""Time until the end after a second Ctrl-C: the engine kills each provider in turn, five seconds after its signal."""

Properties = dict[str, Any]


@dataclass
class Entry:
    """One resource in state.

    Attributes:
        is_deleted: Whether it was deleted for a replacement that does not exist yet (the engine's PendingReplacement).
    """

    kind: str
    id: str
    inputs: Properties
    outputs: Properties
    is_deleted: bool = False


Entries = dict[str, Entry]


@dataclass(frozen=True)
class Wanted:
    """One resource of a program.

    Attributes:
        inputs: Returns its inputs, from the entries that it depends on.
        needs: The names of these entries.
        overrides: The id of the existing object that it changes; None if it creates an object.
    """

    name: str
    kind: str
    inputs: Callable[[Mapping[str, Entry]], Properties]
    needs: tuple[str, ...] = ()
    overrides: str | None = None


Program = Sequence[Wanted]


@dataclass
class Stack:
    """One stack and its state.

    Attributes:
        ever: Ids of all objects that were in its state at any time.
    """

    name: str
    machine: Machine
    entries: Entries = field(default_factory=dict)
    ever: set[str] = field(default_factory=set)

    def urn(self, name: str, kind: str) -> str:
        """Return the URN of a resource."""
        return f"urn:pulumi:{self.name}::{PROJECT}::clouddb:index:{kind}::{name}"


class HostDiedError(Exception):
    """The engine lost its connection to the provider's process."""


class CanceledError(Exception):
    """The user pressed Ctrl-C."""


class OverrideState(Enum):
    """The state of an object that an override changes."""

    BEGINS = "the create of the override begins"
    HELD = "the override is in state"
    ENDED = "the override was destroyed"


Step = Generator[tuple[str, str, tuple[Any, ...]], Any, None]
"""Yields (URN, method, arguments), and receives the result of that call."""


class Run:
    """One `pulumi up`, `refresh` or `destroy`.

    Args:
        record_override: Called when an override of an object begins, is in state, or ends.

    Attributes:
        over: Whether it has ended, successfully or not.
        errors: The errors, with the name of the resource.
        changed: Its changes, such as "create orders".
    """

    def __init__(
        self,
        simulation: Simulation,
        stack: Stack,
        process: Process,
        record_override: Callable[[str, OverrideState], None] = lambda id_, now: None,
    ) -> None:
        self.over = False
        self.errors: list[tuple[str, Exception]] = []
        self.changed: list[str] = []
        self.stack = stack
        self.process = process
        self._simulation = simulation
        self._record_override = record_override
        self._waiting: list[tuple[str, tuple[str, ...], Step]] = []
        self._next: list[Callable[[], list[tuple[str, tuple[str, ...], Step]]]] = []
        self._open: set[str] = set()
        self._registers = False
        self._terminated = False
        self._created_entries: dict[str, Entry] = {}
        self._program = process.registrations()
        process.on_death = self._on_death

    # -- operations ----------------------------------------------------------------------------------------------

    def up(self, program: Program, *, preview: bool = False) -> Run:
        """Create and update the program's resources, then delete those that are no longer in it."""
        steps = [(each.name, each.needs, self._up(each, preview)) for each in program]
        self._registers = not preview
        self._next.append(lambda: self._deletes({each.name for each in program}, preview))
        return self._start("preview" if preview else "up", steps)

    def refresh(self) -> Run:
        """Read every resource into state."""
        entries = [(name, entry) for name, entry in self.stack.entries.items() if not entry.is_deleted]
        return self._start("refresh", [(name, (), self._refresh(name, entry)) for name, entry in entries])

    def destroy(self) -> Run:
        """Delete every resource."""
        self._next.append(lambda: self._deletes(set(), preview=False))
        return self._start("destroy", [])

    # -- steps ---------------------------------------------------------------------------------------------------

    def _up(self, wanted: Wanted, preview: bool) -> Step:
        urn, old = self.stack.urn(wanted.name, wanted.kind), self.stack.entries.get(wanted.name)
        inputs = yield urn, "check", (wanted.inputs(self.stack.entries),)
        if old is None:
            yield from self._create(wanted, inputs, preview)
            return
        difference = yield urn, "diff", (old.id, old.outputs, inputs)
        decision = decide(
            changes=bool(difference.changed),
            replaces=bool(difference.replaces),
            delete_first=difference.delete_before_replace,
            pending_replacement=old.is_deleted,
        )
        if decision is Decision.SAME:
            old.inputs = inputs
            return
        change = "replace" if decision.replaces else "update"
        self.changed.append(f"{change} {wanted.name}: {', '.join(difference.changed)}")
        if preview:
            return
        if decision.replaces:
            assert old.is_deleted or decision is Decision.DELETE_FIRST, "the lives have no other replacements"
            yield from self._replace(wanted, old)
            return
        outputs = yield urn, "update", (old.id, old.outputs, inputs)
        self._write(wanted.name, Entry(wanted.kind, old.id, inputs, outputs))

    def _replace(self, wanted: Wanted, old: Entry) -> Step:
        urn = self.stack.urn(wanted.name, wanted.kind)
        inputs = yield urn, "check", (wanted.inputs(self.stack.entries),)
        if not old.is_deleted:
            yield urn, "delete", (old.id, old.outputs)
            self._write(wanted.name, replace(old, is_deleted=True))
        yield from self._create(wanted, inputs, preview=False)

    def _create(self, wanted: Wanted, inputs: Properties, preview: bool) -> Step:
        self.changed.append(f"create {wanted.name}")
        if preview:
            return
        if wanted.overrides:
            self._record_override(wanted.overrides, OverrideState.BEGINS)
        object_id, outputs = yield self.stack.urn(wanted.name, wanted.kind), "create", (inputs,)
        self._write(wanted.name, Entry(wanted.kind, object_id, inputs, outputs))
        if wanted.overrides and not self._terminated:
            self._record_override(wanted.overrides, OverrideState.HELD)

    def _refresh(self, name: str, entry: Entry) -> Step:
        live = yield self.stack.urn(name, entry.kind), "read", (entry.id, entry.outputs)
        if live is None:
            self.changed.append(f"gone {name}")
            self._write(name, None)
        else:
            self._write(name, Entry(entry.kind, entry.id, live.inputs, live.state))

    def _deletes(self, kept: set[str], preview: bool) -> list[tuple[str, tuple[str, ...], Step]]:
        """Return the deletions, one by one, newest first."""
        steps: list[tuple[str, tuple[str, ...], Step]] = []
        before: tuple[str, ...] = ()
        gone = [(name, entry) for name, entry in reversed(self.stack.entries.items()) if name not in kept]
        for number, (name, entry) in enumerate(gone):
            label = f"{name}#{number}"
            steps.append((label, before, self._delete(name, entry, preview)))
            before = (label,)
        return steps

    def _delete(self, name: str, entry: Entry, preview: bool) -> Step:
        self.changed.append(f"delete {name}")
        if preview:
            return
        if not entry.is_deleted:
            yield self.stack.urn(name, entry.kind), "delete", (entry.id, entry.outputs)
        if self._terminated:
            return
        self._record_override(entry.id.rpartition("/")[2], OverrideState.ENDED)
        self._write(name, None)

    def _write(self, name: str, entry: Entry | None) -> None:
        """Write state (pulumi: engine/update.go, OnResourceStepPost)."""
        if entry is not None:
            self._created_entries[name] = entry
        if self._terminated:
            return
        if entry is None:
            self.stack.entries.pop(name, None)
        else:
            self.stack.entries[name] = entry
            self.stack.ever |= {entry.id, str(entry.outputs.get("alertId"))}
        self._simulation.log(f"    state of {self.stack.name}: {name} = {entry.id if entry else 'gone'}")

    # -- order ---------------------------------------------------------------------------------------------------

    def _start(self, what: str, steps: list[tuple[str, tuple[str, ...], Step]]) -> Run:
        self._simulation.log(f"--- pulumi {what} of {self.stack.name} on {self.stack.machine.name}")
        self._waiting = steps
        self._schedule(self._pump)
        return self

    def _pump(self) -> None:
        """Start the steps that can run; continue with the next part when all are done; end after the first error."""
        if self.errors:
            self._waiting.clear()
        pending = {name for name, _, _ in self._waiting} | self._open
        for each in list(self._waiting):
            name, needs, step = each
            if len(self._open) < PARALLEL and not pending & set(needs):
                self._waiting.remove(each)
                self._open.add(name)
                self._schedule(partial(self._resume_step, name, step, None))
        if not self._open and not self._waiting:
            if self._next and not self.errors:
                self._waiting = self._next.pop(0)()
                self._schedule(self._pump)
            else:
                self._end()

    def _resume_step(self, name: str, step: Step, result: Any) -> None:
        """Send a result to a step, and make the call that it yields."""
        try:
            call = step.throw(result) if isinstance(result, Exception) else step.send(result)
        except StopIteration:
            self._schedule(partial(self._register, name))
        except Exception as error:  # noqa: BLE001 (each failure of a step ends the run)
            self.errors.append((name, error))
            self._open.discard(name)
            self._pump()
        else:
            self.process.call(*call, lambda it: self._call_ended(call[1], partial(self._resume_step, name, step, it)))

    def _register(self, name: str) -> None:
        """Respond to the registration of a resource, whether state was written or not; then continue."""
        entry = self._created_entries.get(name)
        if entry is not None and self._registers:
            self._program.answered(self.stack.urn(name, entry.kind), entry.id)
        self._open.discard(name)
        self._pump()

    def _call_ended(self, method: str, go_on: Callable[[], None]) -> None:
        """Continue after the end of a call; subclasses can delay it by method."""
        self._schedule(go_on)

    def _schedule(self, function: Callable[[], None]) -> None:
        """Schedule a step of the engine; it does not run if the engine has ended by then."""

        def alive() -> None:
            if not self.over:
                function()

        self._simulation.later(self._simulation.random.uniform(0.0, 0.05), alive)

    def _end(self) -> None:
        if self._registers and not self.errors:
            self._program.ended()
        self.over = True
        self.process.end()
        self._simulation.log(f"--- {self.stack.name}: {'failed' if self.errors else 'done'}")

    def _ctrl_c_twice(self) -> None:
        """Start no further steps; after the second Ctrl-C write no state, and end the host within seconds."""
        chance = self._simulation.random
        self.errors.append(("", CanceledError()))
        gap = chance.uniform(0.02, 0.6)

        def terminate() -> None:
            self._simulation.log("*** second Ctrl-C ***")
            self._terminated = True

        def close() -> None:
            if not self.over:
                self._on_death(Victim.HOST)

        self._simulation.later(gap, terminate)
        self._simulation.later(gap + chance.uniform(0.0, LONGEST_END_SECONDS), close)

    def _on_death(self, victim: Victim) -> None:
        """End the run, as the death of the engine or the host does; a host without its engine continues for a while."""
        if victim is Victim.STATE:
            self._ctrl_c_twice()
            return
        if not self.over:
            self.errors.append(("", HostDiedError(victim.value)))
        self.over = True
        self.process.die(victim)
