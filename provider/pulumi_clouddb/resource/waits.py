"""Waiting for an object that a server works on: one shared list serves all waiters."""

from __future__ import annotations

from collections.abc import Callable
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
"""Poll intervals between two looks: what is ready is noticed within one and a half of them, the request included."""

QUIET_INTERVALS = 6.0
"""Poll intervals at the beginning of a wait in which nobody looks, at most: the last such wait was longer."""

LESS_QUIET = 0.95
"""A wait that is over at its first look may have been over before: the next one looks a little earlier."""

ABSENCES = 2
"""So many lists without an object show that it is gone."""

MAX_MISSES = 3
"""So many looks in a row may be refused, or find the object missing, before it is believed."""


CREATED_ANEW = "Run again: another one is created."
"""What to do about an object that is gone before state has it."""


@dataclass(frozen=True)
class Awaited(Generic[RecordT]):
    """An object that is waited for.

    Attributes:
        collection: Where it is listed.
        id: Its id.
        noun: What it is, in one word.
    """

    collection: Collection[RecordT]
    id: str
    noun: str

    def find(self, max_age: float, *, going: bool = False) -> RecordT | None:
        """Return its record, or None when it is gone for certain, or on its way out unless `going` is set.

        Raises:
            UnsupportedOperationError: The server offers neither the list nor the single read.
            ApiError: It could not be read for any other reason.
        """
        record = self.collection.find(self.id, max_age=max_age)
        return record if record is not None and (going or self.collection.exists(record)) else None


@dataclass
class WaitResult(Generic[RecordT]):
    """What a wait came to.

    Attributes:
        record: The last record seen.
        problem: Why it is not what was hoped for, if it is not.
        gone: Whether somebody has deleted it for certain, or is about to.
    """

    record: RecordT | None
    problem: str | None = None
    gone: bool = False

    @property
    def state(self) -> str | None:
        """The last state seen."""
        return state_of(self.record)


def state_of(record: Record | None) -> str | None:
    """Return the state that a record shows, in the server's words."""
    state = getattr(record, "state", None) or getattr(record, "status", None)
    return state if isinstance(state, str) else None


def wait(
    session: Session,
    awaited: Awaited[RecordT],
    record: RecordT | None,
    minutes: float | None,
    done: Callable[[RecordT | None], bool],
    goal: str,
    *,
    shown: bool = True,
    listed: bool = False,
) -> WaitResult[RecordT]:
    """Wait until an object is `done`; never raises.

    Args:
        session: What to work with.
        awaited: The object.
        record: It as it was last seen.
        minutes: How long to wait.
        done: Whether the wait is over; None is an object that is gone.
        goal: What is waited for, in words.
        shown: Whether a look has shown it, so that it is gone where none does any more.
        listed: Whether a list has shown it: then lists without it show that it is gone.
    """
    minutes = session.wait_minutes if minutes is None else minutes
    now = session.runtime.monotonic
    looks = _Looks(session, awaited, goal, listed=listed)
    deadline = looks.started + minutes * 60
    refusals = 0
    last_error: Exception | None = None
    while not done(record):
        if now() >= deadline and not looks.absences:  # one list without it is worth a second one, at once
            return WaitResult(record, _too_long(record, minutes, goal, last_error))
        session.runtime.progress(_progress(session, awaited.noun, record, looks.started, minutes, goal))
        try:
            seen = looks.next(record, deadline)
        except CancelledError as error:
            return WaitResult(record, f"stopped waiting until it is {goal}: {error.reason}")
        except UnsupportedOperationError:
            session.warn(
                f"This server offers no way to read a {awaited.noun}, so nothing was waited for. "
                f"Look in the console whether {awaited.noun} {awaited.id} is {goal}."
            )
            return WaitResult(record)
        except (ApiError, ConfigError) as error:
            last_error = error
            refusals = refusals + 1 if isinstance(error, (UnauthorizedError, ClientError)) else 0
            if refusals >= MAX_MISSES:
                return WaitResult(record, f"stopped waiting until it is {goal}: {first_line(error)}")
            continue
        refusals = 0
        if seen is None and not done(None):
            return _missing(session, awaited, record, deadline, looks.poll, done, goal, shown=shown)
        record, last_error, shown = seen, None, shown or seen is not None
        if not done(record):
            looks.quiet = looks.last - looks.started
    session.waits.setdefault(f"{awaited.noun} {goal}", []).append(Wait(now() - looks.started, looks.quiet))
    return WaitResult(record)


def deleted_meanwhile(what: str, object_id: str, waited: WaitResult[RecordT], hint: str = "") -> ResourceError:
    """Return the error of an object that is gone for certain; by default state still holds it."""
    return ResourceError(
        f"{what} ({object_id}): {waited.problem}",
        hint or "Run `pulumi refresh`, as somebody has deleted it, then run again: another one is created.",
    )


def wait_until_gone(session: Session, awaited: Awaited[RecordT], minutes: float | None, what: str) -> None:
    """Wait until no list shows an object that was deleted.

    Args:
        session: What to work with.
        awaited: The object.
        minutes: How long to wait; zero does not wait.
        what: The object in words, such as `pipe 'clicks'`.

    Raises:
        ResourceError: A list still shows it.
    """
    record = None
    with suppress(ListNotFoundError):  # its service is gone, and with it the object
        record = awaited.collection.shown(awaited.id, max_age=0.0, allow_stale=False)
    if record is None or minutes == 0:
        return
    waited = wait(session, awaited, record, minutes, lambda seen: seen is None, "gone")
    if waited.problem:
        raise ResourceError(f"{what} ({awaited.id}) was deleted, but {waited.problem}", "Run again to look once more.")


class _Looks(Generic[RecordT]):
    """The looks of one wait, in lists that all who wait share: each is requested some time after the last one.

    Attributes:
        started: When the wait began, on the monotonic clock.
        last: When the list of the last look was requested.
        quiet: Seconds after the start during which looks would have shown nothing, as far as this wait tells.
        absences: How many lists in a row have not shown the object.
    """

    def __init__(self, session: Session, awaited: Awaited[RecordT], goal: str, *, listed: bool) -> None:
        self._session, self._awaited, self._listed = session, awaited, listed
        self.poll = float(session.config.poll_interval_seconds)
        self.started = self.last = session.runtime.monotonic()
        waits = session.waits.get(f"{awaited.noun} {goal}")
        quiet = min(waits[-1].quiet, QUIET_INTERVALS * self.poll) if waits else 0.0
        self._begin = self.started + quiet
        self.quiet = LESS_QUIET * quiet
        self.absences = 0

    def next(self, record: RecordT | None, deadline: float) -> RecordT | None:
        """Return the object as the next look shows it, None without it; as it was seen last, where that tells nothing.

        Raises:
            ApiError: The list, or the object, could not be read.
        """
        session, now = self._session, self._session.runtime.monotonic
        session.sleep(max(0.0, min(max(self.last, self._begin) + INTERVALS * self.poll, deadline) - now()))
        max_age = min(self.poll, now() - self.last)
        with polling(max_age):
            seen = self._look(max_age)
        self.last = now() - (self._awaited.collection.age or 0.0)
        if self.last < self.started:  # the list was requested before what is waited for
            return record
        self.absences = self.absences + 1 if seen is None else 0
        return record if self._listed and 0 < self.absences < ABSENCES else seen

    def _look(self, max_age: float) -> RecordT | None:
        """Return the object as the shared list shows it; only where no list has shown it, ask for it by itself."""
        with suppress(ListNotFoundError):
            record = self._awaited.collection.shown(self._awaited.id, max_age=max_age)
            if self._listed or record is not None:
                return record
        return self._awaited.find(max_age, going=True)


def _progress(session: Session, noun: str, record: RecordT | None, started: float, minutes: float, goal: str) -> str:
    """Return what is waited for: the state, for how long, and how long it usually takes, as far as that is known."""
    state = state_of(record) or "not there yet"
    usual = [wait.seconds for wait in session.waits.get(f"{noun} {goal}", ()) if wait.seconds >= 1]
    expected = f"usually {_duration(median(usual))}" if usual else f"at most {_duration(minutes * 60)}"
    elapsed = _duration(session.runtime.monotonic() - started)
    return f"waiting until it is {goal}: {state} for {elapsed} ({expected})"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return " ".join([f"{minutes} min"] * (minutes > 0) + [f"{seconds} s"] * (seconds > 0 or not minutes))


def _missing(
    session: Session,
    awaited: Awaited[RecordT],
    record: RecordT | None,
    deadline: float,
    poll: float,
    done: Callable[[RecordT | None], bool],
    goal: str,
    *,
    shown: bool,
) -> WaitResult[RecordT]:
    """Believe an object that is not found only when it stays so: a list may lag behind a creation.

    It is gone for certain where a look has shown it before, and each look since was answered.
    """
    certain = shown
    for _ in range(MAX_MISSES):
        try:
            session.sleep(min(poll, max(0.0, deadline - session.runtime.monotonic())))
            with polling(poll / 2):
                seen = awaited.find(poll / 2)
        except CancelledError as error:
            return WaitResult(record, f"stopped waiting until it is {goal}: {error.reason}")
        except (ApiError, ConfigError):
            certain = False
            continue
        if seen is not None:
            minutes = max(0.0, deadline - session.runtime.monotonic()) / 60
            return wait(session, awaited, seen, minutes, done, goal)
    return WaitResult(record, f"stopped waiting until it is {goal}: the server no longer finds it", certain)


def _too_long(record: RecordT | None, minutes: float, goal: str, error: Exception | None) -> str:
    state = state_of(record) or "unknown"
    trouble = f"; the last look failed: {first_line(error)}" if error else ""
    return f"not {goal} after {minutes:g} minutes, but {state}{trouble}"
