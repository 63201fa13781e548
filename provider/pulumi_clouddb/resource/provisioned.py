"""What a server works on for a while after a write: it is waited for, and state says why it cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.thing import ThingT, with_ours

from .plain import PlainResource
from .state import State
from .waits import Awaited, WaitResult, state_of, wait, wait_until_gone

Answer = TypeVar("Answer")


class ProvisionedResource(PlainResource[ThingT]):
    """A plain resource that is waited for; its thing has `wait_timeout_minutes` and `last_error`."""

    noun: ClassVar[str]
    """What it is, in one word."""
    goal: ClassVar[str] = "provisioned"
    """What is waited for, in words that go on from "until it is"."""
    working: ClassVar[frozenset[str]]
    """The states in which the server works on it."""
    unusable: ClassVar[frozenset[str]]
    """The states in which it cannot be used, and which only an update or another object mends."""
    mend: ClassVar[str]
    """What to do about one that still cannot be used after an update."""

    # -- what a resource may do otherwise ------------------------------------------------------------------------

    def sent(self, session: Session, wanted: ThingT, send: Callable[[], Answer]) -> Answer:  # noqa: ARG002
        """Send a request that writes."""
        return send()

    def unusable_because(self, actual: ThingT) -> str:
        """Return why an object cannot be used that is in one of the states `unusable`."""
        return f"the server reports that it cannot be used (status {state_of(actual)})"

    # -- operations ----------------------------------------------------------------------------------------------

    def needs_repair(self, old: State[ThingT, ThingT]) -> tuple[str, ...]:
        """Return the property that shows unfinished work: an object that was not waited for, or an unusable one."""
        actual: Any = old.actual
        if actual.last_error:
            return (self.type.problem,)
        unready = state_of(actual) in self.working | self.unusable
        return (self._state_property,) if unready and self._minutes(old.wanted) != 0 else ()

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT, ThingT]]:
        """Create the object, and wait until the server is done with it."""
        create = super().create
        object_id, state = self.sent(session, wanted, lambda: create(session, wanted))
        return object_id, self.finished(session, object_id, state, new=True)

    def read(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> State[ThingT, ThingT] | None:
        """Find the object in the shared list; what it cannot be used for stays, as long as that holds."""
        found = super().read(session, object_id, state)
        if found and state_of(found.actual) in self.unusable:
            actual: Any = found.actual
            actual.last_error = vars(state.actual)["last_error"]
        return found

    def update(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Send what changed, and look whether the object can be used by now."""
        update = super().update
        state = self.sent(session, wanted, lambda: update(session, object_id, old, wanted))
        return self.usable(old, object_id, self.finished(session, object_id, state))

    def delete(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> None:
        """Delete the object, and wait until no list shows it."""
        delete, wanted = super().delete, state.wanted
        self.sent(session, wanted, lambda: delete(session, object_id, state))
        awaited = Awaited(self.objects(session, wanted), object_id, self.noun)
        wait_until_gone(session, awaited, self._minutes(wanted), self.what(wanted))

    # -- parts ---------------------------------------------------------------------------------------------------

    def finished(
        self, session: Session, object_id: str, state: State[ThingT, ThingT], *, new: bool = False
    ) -> State[ThingT, ThingT]:
        """Return the state of an object that the server is done with, or why it is not.

        Raises:
            ResourceError: Somebody has deleted it.
        """
        wanted, what = state.wanted, self.what(state.wanted)
        awaited = Awaited(self.objects(session, wanted), object_id, self.noun)
        record = state.actual if new else awaited.find(max_age=0.0) or state.actual
        minutes, waited = self._minutes(wanted), WaitResult(record)
        if minutes != 0:
            waited = wait(session, awaited, record, minutes, self._is_done, self.goal, shown=not new)
        if waited.gone:
            if new:
                session.entry.forget()
            raise ResourceError(f"{what} ({object_id}): {waited.problem}", "Run `pulumi refresh`, then run again.")
        actual: Any = with_ours(waited.record or record, state.actual)
        actual.last_error = waited.problem
        if actual.last_error is None and state_of(actual) in self.unusable:
            actual.last_error = self.unusable_because(actual)
        if actual.last_error:
            session.warn(f"{what} exists and is in state, but cannot be used yet: {actual.last_error}")
        return State(wanted, actual, state.left_out)

    def usable(self, old: State[ThingT, ThingT], object_id: str, state: State[ThingT, ThingT]) -> State[ThingT, ThingT]:
        """Return the state after an update.

        Raises:
            ResourceError: The object could not be used before, and still cannot.
        """
        before: Any = old.actual
        now: Any = state.actual
        if now.last_error and before.last_error:
            raise ResourceError(f"{self.what(state.wanted)} ({object_id}): {now.last_error}", self.mend)
        return state

    def _is_done(self, record: ThingT | None) -> bool:
        return record is not None and state_of(record) not in self.working

    def _minutes(self, wanted: Any) -> float | None:
        minutes: float | None = wanted.wait_timeout_minutes
        return minutes

    @property
    def _state_property(self) -> str:
        return next(name for name in ("state", "status") if name in wire_names(self.type.record))
