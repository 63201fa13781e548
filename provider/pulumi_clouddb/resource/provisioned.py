"""Objects that a server works on for a while after a write, databases among them.

Each is waited for, and state has why it cannot be used; the next run finishes what a run has left undone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import ClassVar, TypeVar

from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import LAST_ERROR
from pulumi_clouddb.schema.provisioned import ProvisionedT
from pulumi_clouddb.schema.thing import with_ours

from .busy import BusyRetry, is_in
from .plain import PlainResource
from .state import State
from .waits import Awaited, WaitResult, out_of, state_of, wait, wait_until_gone

Answer = TypeVar("Answer")


class ProvisionedResource(PlainResource[ProvisionedT]):
    """A plain resource that is waited for."""

    noun: ClassVar[str]
    """Its kind, in one word."""
    goal: ClassVar[str] = "provisioned"
    """The desired state, to follow "until it is"."""
    working: ClassVar[frozenset[str]]
    """The states in which the server works on it."""
    changing: ClassVar[frozenset[str]] = frozenset()
    """Further states in which the server refuses writes for a while."""
    unusable: ClassVar[frozenset[str]]
    """The states in which it cannot be used until an update repairs it, or another object replaces it."""
    mend: ClassVar[str]
    """What to do if it still cannot be used after an update."""

    # -- what a resource may do otherwise ------------------------------------------------------------------------

    def sent(self, session: Session, wanted: ProvisionedT, send: Callable[[], Answer]) -> Answer:
        """Send a request that writes."""
        return send()

    def final_when(self, *, deleting: bool) -> Collection[int]:
        """Return the statuses of refusals after which no write is repeated."""
        return ()

    def unusable_result(self, actual: ProvisionedT) -> WaitResult[ProvisionedT]:
        """Return the object with the reason why it cannot be used: it is in one of the states `unusable`."""
        return WaitResult(actual, f"the server reports that it cannot be used (status {state_of(actual)})")

    # -- operations ----------------------------------------------------------------------------------------------

    def busy_retry(
        self, session: Session, object_id: str, wanted: ProvisionedT, *, deleting: bool = False
    ) -> BusyRetry:
        """Repeat writes for the time of a wait, as long as the object shows that the server works on it."""
        minutes = session.wait_minutes if wanted.wait_timeout_minutes is None else wanted.wait_timeout_minutes

        def is_working() -> bool:
            return is_in(session, self.awaited(session, object_id, wanted), self.working | self.changing)

        return BusyRetry(session, minutes, self.final_when(deleting=deleting), is_working)

    def needs_repair(self, old: State[ProvisionedT]) -> tuple[str, ...]:
        """Return the property that shows unfinished work: an object that was not waited for, or an unusable one."""
        if old.actual.last_error:
            return (LAST_ERROR,)
        unready = state_of(old.actual) in self.working | self.unusable
        return (self._state_property,) if unready and old.wanted.wait_timeout_minutes != 0 else ()

    def create(self, session: Session, wanted: ProvisionedT) -> tuple[str, State[ProvisionedT]]:
        """Create the object, and wait until the server is done with it."""
        create = super().create
        object_id, state = self.sent(session, wanted, lambda: create(session, wanted))
        return object_id, self.finished(session, object_id, state, new=True)

    def read(self, session: Session, object_id: str, state: State[ProvisionedT]) -> State[ProvisionedT] | None:
        """Find the object in the shared list; the last error stays while the object cannot be used."""
        found = super().read(session, object_id, state)
        if found and state_of(found.actual) in self.unusable:
            found.actual.last_error = state.actual.last_error
        return found

    def update(
        self, session: Session, object_id: str, old: State[ProvisionedT], wanted: ProvisionedT
    ) -> State[ProvisionedT]:
        """Send what changed, and wait until the server is done with it.

        Raises:
            ResourceError: The object could not be used before the update, and still cannot.
        """
        update = super().update
        state = self.sent(session, wanted, lambda: update(session, object_id, old, wanted))
        state = self.finished(session, object_id, state)
        if old.actual.last_error and state.actual.last_error:
            raise ResourceError(f"{self.what(wanted)} ({object_id}): {state.actual.last_error}", self.mend)
        return state

    def delete(self, session: Session, object_id: str, state: State[ProvisionedT]) -> None:
        """Delete the object, and wait until no list shows it."""
        delete, wanted = super().delete, state.wanted
        self.sent(session, wanted, lambda: delete(session, object_id, state))
        awaited = self.awaited(session, object_id, wanted)
        wait_until_gone(session, awaited, wanted.wait_timeout_minutes, self.what(wanted))

    # -- parts ---------------------------------------------------------------------------------------------------

    def finished(
        self, session: Session, object_id: str, state: State[ProvisionedT], *, new: bool = False
    ) -> State[ProvisionedT]:
        """Wait for the object, and return its state, with the reason if it cannot be used.

        Raises:
            ResourceError: Somebody has deleted it.
        """
        wanted, what = state.wanted, self.what(state.wanted)
        found = None
        if not new:
            with suppress(CloudDBError):  # the write succeeded, so state must have it; the wait looks again
                found = self.awaited(session, object_id, wanted).find(max_age=0.0)
        waited = self.wait(session, object_id, wanted, found or state.actual, new=new)
        waited.refuse_deleted(session, what, object_id, new=new)
        actual = with_ours(waited.record or state.actual, state.actual)
        actual.last_error = waited.problem
        if waited.problem:
            session.warn(f"{what} exists and is in state, but cannot be used yet: {waited.problem}")
        return State(wanted, actual, state.left_out)

    def wait(
        self,
        session: Session,
        object_id: str,
        wanted: ProvisionedT,
        record: ProvisionedT,
        *,
        new: bool = False,
        done: Callable[[ProvisionedT | None], bool] | None = None,
        goal: str | None = None,
    ) -> WaitResult[ProvisionedT]:
        """Wait until the object is `done`, by default until the server no longer works on it; never raises.

        With a timeout of zero, its last known record is the result. For the other arguments see `waits.wait`.
        """
        minutes, waited = wanted.wait_timeout_minutes, WaitResult(record)
        awaited = self.awaited(session, object_id, wanted)
        if minutes != 0:
            waited = wait(session, awaited, record, minutes, done or out_of(self.working), goal or self.goal, new=new)
        if waited.problem is None and waited.record is not None and waited.state in self.unusable:
            waited = self.unusable_result(waited.record)
        if waited.problem is None and waited.record and not awaited.collection.exists(waited.record):
            waited.problem, waited.gone = "somebody is deleting it", True
        return waited

    def awaited(self, session: Session, object_id: str, wanted: ProvisionedT) -> Awaited[ProvisionedT]:
        """Return the object to wait for."""
        return Awaited(self.objects(session, wanted), object_id, self.noun)

    @property
    def _state_property(self) -> str:
        return next(name for name in ("state", "status") if name in wire_names(self.type.record))
