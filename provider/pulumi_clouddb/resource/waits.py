"""Wait for an object that a server works on; all that wait for objects of a collection share its list."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Generic

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import (
    ApiError,
    CancelledError,
    ClientError,
    ConfigError,
    ListNotFoundError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
    first_line,
)
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.create.create_request import RecordT
from pulumi_clouddb.create.session import Session, Wait
from pulumi_clouddb.schema.base import Record

INTERVALS = 1.4
"""Poll intervals from one poll to the next: a change is noticed within 1.5 of them, the request included."""

QUIET_INTERVALS = 6.0
"""The longest time without a poll at the beginning of a wait, in poll intervals, if the last such wait was longer."""

LESS_QUIET = 0.95
"""A wait that ends with its first poll may have been over before, so that the next wait polls a little earlier."""

ABSENCES = 2
"""This many lists in a row without an object prove that it is gone."""

LONGEST_MINUTES = 60 * 24 * 365 * 100
"""A hundred years: a number that is meant as "without end" may be too large to compute a time with."""

MAX_MISSES = 3
"""Accept this many refused polls in a row, or polls that do not find the object, before the wait fails."""


@dataclass(frozen=True)
class Awaited(Generic[RecordT]):
    """An object to wait for.

    Attributes:
        collection: The collection that lists it.
        id: Its id.
        noun: Its kind, in one word.
        details: Returns what else to show of it during the wait; it never raises.
    """

    collection: Collection[RecordT]
    id: str
    noun: str
    details: Callable[[], str] = str

    def listed(self, max_age: float, *, allow_stale: bool = False) -> RecordT | None:
        """Return its record in the shared list; None if that lacks it, or if the server offers no list.

        Raises:
            ApiError: The list could not be read.
        """
        return (self.collection.records(max_age=max_age, allow_stale=allow_stale) or {}).get(self.id)

    def find(self, max_age: float, *, deleting: bool = False) -> RecordT | None:
        """Return its record; None if it certainly is gone, or is being deleted, unless `deleting` is set.

        Raises:
            UnsupportedOperationError: The server offers neither the list nor the single read.
            ApiError: It could not be read for any other reason.
        """
        record = self.collection.find(self.id, max_age=max_age)
        return record if record is not None and (deleting or self.collection.exists(record)) else None


@dataclass
class WaitResult(Generic[RecordT]):
    """The result of a wait.

    Attributes:
        record: The last record of the object.
        problem: Why the wait failed; None if it succeeded.
        gone: Whether the object was certainly deleted by another client, or is being deleted.
    """

    record: RecordT | None
    problem: str | None = None
    gone: bool = False

    @property
    def state(self) -> str | None:
        """The state in the last record."""
        return state_of(self.record)

    def refuse_deleted(self, session: Session, what: str, object_id: str, *, new: bool = False) -> None:
        """Fail if somebody deleted the object during the wait; a new one is not yet in state, and must not get there.

        Raises:
            ResourceError: Somebody deleted it.
        """
        if not self.gone:
            return
        advice = "Run `pulumi refresh`, then run again to create another one: somebody has deleted this one."
        if new:
            session.entry.forget()
            advice = "Run again: another one is created."
        raise ResourceError(f"{what} ({object_id}): {self.problem}", advice)


def state_of(record: Record | None) -> str | None:
    """Return the state in a record, as the server names it."""
    state = getattr(record, "state", None) or getattr(record, "status", None)
    return state if isinstance(state, str) else None


def out_of(states: Container[str]) -> Callable[[Record | None], bool]:
    """Return what ends a wait for an object that must leave some states."""
    return lambda record: record is not None and state_of(record) not in states


def wait(
    session: Session,
    awaited: Awaited[RecordT],
    record: RecordT | None,
    minutes: float | None,
    done: Callable[[RecordT | None], bool],
    goal: str,
    *,
    new: bool = False,
    listed: bool = False,
) -> WaitResult[RecordT]:
    """Wait until an object is `done`; never raises.

    Args:
        session: The session of the resource.
        awaited: The object.
        record: Its last known record.
        minutes: How long to wait; None waits as long as the session does by default.
        done: Whether a record ends the wait; None is an object that is gone.
        goal: The desired state, to follow "until it is".
        new: Whether the object was created just now: until a poll shows it, one that is not found may only be late.
        listed: Whether a list has shown the object: then lists without it prove that it is gone.
    """
    minutes = session.wait_minutes if minutes is None else minutes
    polls = _Polls(session, awaited, done, goal, minutes, listed=listed)
    refusals, failure, found = 0, None, not new
    while not done(record):
        if polls.time_is_up():
            return WaitResult(record, polls.timed_out(record, failure))
        polls.report_progress(record, failure)
        try:
            seen = polls.next(record)
            if seen is None and not done(None):
                seen, certain = polls.search()
                if seen is None:
                    problem = polls.stopped("the server no longer finds it")
                    return WaitResult(record, problem, gone=found and certain)
                polls.restart()
        except CancelledError as error:
            return WaitResult(record, polls.stopped(error.reason))
        except UnsupportedOperationError:
            session.warn(
                f"This server offers no way to read a {awaited.noun}, so the wait was skipped. "
                f"Check in the console whether {awaited.noun} {awaited.id} is {goal}."
            )
            return WaitResult(record)
        except (ApiError, ConfigError) as error:
            failure = error
            refusals = refusals + 1 if isinstance(error, (UnauthorizedError, ClientError)) else 0
            if refusals >= MAX_MISSES:
                return WaitResult(record, polls.stopped(first_line(error)))
            continue
        record, refusals, failure, found = seen, 0, None, found or seen is not None
    polls.record_success()
    return WaitResult(record)


def wait_until_gone(session: Session, awaited: Awaited[RecordT], minutes: float | None, what: str) -> None:
    """Wait until no list shows a deleted object, such as `what` "pipe 'clicks'"; zero minutes do not wait.

    Raises:
        ResourceError: A list still shows it.
    """
    record = None
    with suppress(ListNotFoundError):  # its service is gone, and with it the object
        record = awaited.listed(0.0)
    if record is None or minutes == 0:
        return
    waited = wait(session, awaited, record, minutes, lambda seen: seen is None, "gone")
    if waited.problem:
        raise ResourceError(f"{what} ({awaited.id}) was deleted, but {waited.problem}", "Run again to check once more.")


class _Polls(Generic[RecordT]):
    """The polls of one wait, each some time after the last one; see `wait` for the arguments."""

    def __init__(
        self,
        session: Session,
        awaited: Awaited[RecordT],
        done: Callable[[RecordT | None], bool],
        goal: str,
        minutes: float,
        *,
        listed: bool,
    ) -> None:
        self._session, self._awaited, self._done = session, awaited, done
        self._goal, self._minutes, self._listed = goal, min(minutes, LONGEST_MINUTES), listed
        self._interval = float(session.config.poll_interval_seconds)
        self._now = session.runtime.monotonic
        self._waits = session.waits.setdefault(f"{awaited.noun} {goal}", [])
        self.restart()
        self._deadline = self._started + self._minutes * 60

    def restart(self) -> None:
        """Begin the wait, or begin it again after the object was missing for a while."""
        self._started = self._requested = self._now()
        quiet = min(self._waits[-1].quiet, QUIET_INTERVALS * self._interval) if self._waits else 0.0
        self._first = self._started + quiet
        self._quiet = LESS_QUIET * quiet
        self._absences = 0

    def time_is_up(self) -> bool:
        """Return whether to stop; after one list without the object, a second one follows at once in any case."""
        return self._now() >= self._deadline and not self._absences

    def next(self, record: RecordT | None) -> RecordT | None:
        """Return the record of the object in the next list; its last record if that list proves nothing.

        Raises:
            ApiError: The list, or the object, could not be read.
        """
        due = max(self._requested, self._first) + INTERVALS * self._interval
        self._session.sleep(max(0.0, min(due, self._deadline) - self._now()))
        max_age = min(self._interval, self._now() - self._requested)
        try:
            with polling(max_age):
                seen = self._read(max_age)
        except ApiError:
            self._requested = self._now()  # the next poll is due one interval later, however fast this one failed
            raise
        self._requested = self._now() - (self._awaited.collection.age or 0.0)
        if self._requested < self._started:  # the list is older than the wait
            return record
        self._absences = self._absences + 1 if seen is None else 0
        if not self._done(seen):
            self._quiet = self._requested - self._started
        return record if self._listed and 0 < self._absences < ABSENCES else seen

    def _read(self, max_age: float) -> RecordT | None:
        """Return the object in the shared list; request it by itself only if no list has ever shown it."""
        with suppress(ListNotFoundError):
            record = self._awaited.listed(max_age, allow_stale=True)
            if self._listed or record is not None:
                return record
        return self._awaited.find(max_age, deleting=True)

    def search(self) -> tuple[RecordT | None, bool]:
        """Look again, up to three times, for an object that seems to be missing, since lists may lag.

        Return it, and whether the result is certain: None is not if any request failed.
        """
        certain = True
        for _ in range(MAX_MISSES):
            self._session.sleep(min(self._interval, max(0.0, self._deadline - self._now())))
            try:
                with polling(self._interval / 2):
                    seen = self._awaited.find(self._interval / 2)
            except (ApiError, ConfigError):
                certain = False
                continue
            if seen is not None:
                return seen, True
        return None, certain

    def report_progress(self, record: RecordT | None, failure: Exception | None) -> None:
        """Show the state, for how long the wait has lasted, and how long such a wait usually takes, if known.

        A failed request is shown, too: the network may recover, so the wait continues, and the user may know the cause.
        """
        usual = [wait.seconds for wait in self._waits if wait.seconds >= 1]
        expected = f"usually {_duration(median(usual))}" if usual else f"at most {_duration(self._minutes * 60)}"
        elapsed = _duration(self._now() - self._started)
        state = ", ".join(filter(None, (state_of(record) or "not there yet", self._awaited.details())))
        text = f"waiting until it is {self._goal}: {state} for {elapsed} ({expected}){_trouble(failure)}"
        self._session.runtime.progress(text)

    def record_success(self) -> None:
        self._waits.append(Wait(self._now() - self._started, self._quiet))

    def stopped(self, reason: str) -> str:
        return f"stopped waiting until it is {self._goal}: {reason}"

    def timed_out(self, record: RecordT | None, failure: Exception | None) -> str:
        state = state_of(record) or "unknown"
        return f"not {self._goal} after {self._minutes:g} minutes, but {state}{_trouble(failure)}"


def _trouble(failure: Exception | None) -> str:
    return f"; the last request failed: {first_line(failure)}" if failure else ""


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return " ".join([f"{minutes} min"] * (minutes > 0) + [f"{seconds} s"] * (seconds > 0 or not minutes))
