"""Objects that a server works on for a while after a write, databases among them.

Each is waited for, and state has why it cannot be used. No database is replaced or deleted by accident, and the next
run finishes what a run has left undone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from pulumi_clouddb.client.errors import CONFLICT, CloudDBError, ResourceError
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_name, wire_names
from pulumi_clouddb.schema.names import LAST_ERROR, NAME
from pulumi_clouddb.schema.provisioned import DatabaseT, ProvisionedT
from pulumi_clouddb.schema.thing import with_ours
from pulumi_clouddb.schema.values import WireValues, contains_unknown
from pulumi_clouddb.schema.view import known_or

from .base import DiffResult
from .busy import BusyRetry, is_in
from .plain import PlainResource
from .state import State, among
from .waits import Awaited, WaitResult, state_of, wait, wait_until_gone

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
        awaited = self.awaited(session, object_id, wanted)
        is_working = partial(is_in, session, awaited, self.working | self.changing)
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
        if minutes != 0:
            awaited = self.awaited(session, object_id, wanted)
            waited = wait(session, awaited, record, minutes, done or self._is_done, goal or self.goal, new=new)
        if waited.problem is None and waited.record is not None and waited.state in self.unusable:
            waited = self.unusable_result(waited.record)
        if waited.problem is None and waited.record and not self.objects(session, wanted).exists(waited.record):
            waited.problem, waited.gone = "somebody is deleting it", True
        return waited

    def awaited(self, session: Session, object_id: str, wanted: ProvisionedT) -> Awaited[ProvisionedT]:
        """Return the object to wait for."""
        return Awaited(self.objects(session, wanted), object_id, self.noun)

    def _is_done(self, record: ProvisionedT | None) -> bool:
        return record is not None and state_of(record) not in self.working

    @property
    def _state_property(self) -> str:
        return next(name for name in ("state", "status") if name in wire_names(self.type.record))


class DatabaseResource(ProvisionedResource[DatabaseT]):
    """A database."""

    unique_by = (NAME,)
    locks_out = True
    goal = "running"

    # -- replacing and deleting ----------------------------------------------------------------------------------

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; refuse a change that would need another database, unless that is allowed.

        What is taken out of the program replaces nothing. Without `allowReplacement` no replacement deletes first: that
        of an option of Pulumi's is refused later, and must not have deleted anything before.

        Raises:
            ResourceError: A field that cannot change in place changes, and `allowReplacement` is not set.
        """
        result = super().diff(old, new)
        before = self._seen(old)
        wanted = self._view(new)
        fixed = tuple(name for name in self.fixed(before, result.replaces) if name in new)
        known = tuple(name for name in fixed if not contains_unknown(new[name]))
        allowed = known_or(True, lambda: wanted.allow_replacement)
        protected = before.wanted.deletion_protection
        if known and not allowed:
            raise self._replacement_refused(self.name_of(before.wanted), old, new, known)
        if fixed and allowed and protected:
            raise ResourceError(
                f"changing {', '.join(fixed)} would delete {self.what(before.wanted)}, which is protected",
                "Set deletionProtection to false and run `pulumi up` once before this change.",
            )
        unique = known_or(False, lambda: not wanted.allow_duplicate_name)
        first = bool(allowed) and result.delete_before_replace and unique and not protected
        return replace(result, replaces=fixed if allowed else (), delete_before_replace=first)

    def fixed(self, old: State[DatabaseT], changed: Iterable[str]) -> tuple[str, ...]:
        """Return which of the changed properties cannot change in place."""
        return among(changed, self.type.immutable)

    def replacement_refusal(self, old: WireValues, inputs: WireValues) -> ResourceError | None:
        """Refuse to replace a database that is protected, or without `allowReplacement`."""
        before, wanted = self._view(old), self._view(inputs)
        words = self.type.words
        if not known_or(True, lambda: wanted.allow_replacement):
            return ResourceError(
                f"{known_or(words, lambda: self.what(wanted))} is not replaced, although an option of Pulumi's "
                "requires it (replaceOnChanges, replacementTrigger, replaceWith, --replace): that would delete this "
                "database",
                f"Remove the option, or set allowReplacement to true to delete the {words} and create another, "
                "without its data.",
            )
        if not before.deletion_protection:
            return None
        return ResourceError(
            f"a replacement would delete {self.what(before)}, which is protected",
            "Set deletionProtection to false and run `pulumi up` once without the replacement.",
        )

    def _replacement_refused(self, name: str, old: WireValues, new: WireValues, fixed: Iterable[str]) -> ResourceError:
        words, secrets = self.type.words, self.type.secrets
        changes = (each if each in secrets else f"{each} ({old.get(each)!r} to {new.get(each)!r})" for each in fixed)
        return ResourceError(
            f"{words} {name!r} cannot change {', '.join(changes)} in place: that would delete this database",
            f"Put it back, or set allowReplacement to true to delete the {words} and create another, without its data.",
        )

    def refuse_protected(self, object_id: str, wanted: DatabaseT) -> None:
        """Refuse to delete a database that is protected.

        Raises:
            ResourceError: It is.
        """
        if wanted.deletion_protection:
            raise ResourceError(
                f"{self.what(wanted)} ({object_id}) is not deleted: deletionProtection is set",
                "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it.",
            )

    def final_when(self, *, deleting: bool) -> Collection[int]:
        """Return 409 for a deletion: each database knows by itself what to do then, such as to stop."""
        return (CONFLICT,) if deleting else ()

    @property
    def deleted_first_unless(self) -> None:
        """None: databases are not replaced by accident."""

    # -- creating ------------------------------------------------------------------------------------------------

    def unique_request(self, session: Session, wanted: DatabaseT) -> CreateRequest[DatabaseT] | None:
        """Return the request that creates a database, unless its name may be given twice."""
        return None if wanted.allow_duplicate_name else self._request(session, wanted, {})

    def _request(self, session: Session, wanted: DatabaseT, body: WireValues) -> CreateRequest[DatabaseT]:
        request = replace(
            super()._request(session, wanted, body),
            unique=not wanted.allow_duplicate_name,
            allowed_by=wire_name(self.type.inputs, "allow_duplicate_name"),
        )
        if known_or(True, lambda: wanted.deletion_protection):
            advice = "set deletionProtection to false and run `pulumi up` once, without replacing it"
        else:
            advice = "set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource"
        return replace(request, to_replace=advice)

    # -- waiting -------------------------------------------------------------------------------------------------

    def not_running(self, object_id: str, wanted: DatabaseT, waited: WaitResult[DatabaseT]) -> ResourceError:
        """Return the error for a database that does not run after a wait."""
        return ResourceError(
            f"{self.what(wanted)} ({object_id}): {waited.problem}",
            "Look at it in the console, or raise waitTimeoutMinutes, then run `pulumi up` again.",
        )

    def warn_if_unready(self, session: Session, wanted: DatabaseT, waited: WaitResult[DatabaseT]) -> None:
        """Warn of the problem that state keeps as the last error."""
        if waited.problem:
            what = self.what(wanted)
            starts = waited.state in self.unusable
            session.warn(
                f"{what[:1].upper()}{what[1:]} exists and is in state, but is not yet ready: {waited.problem}\n"
                f"The next `pulumi up` {'asks the server to start it' if starts else 'continues from here'}."
            )
