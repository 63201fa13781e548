"""Waiting for a service: one shared list serves all waiters."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import (
    ApiError,
    CancelledError,
    ClientError,
    CloudDBError,
    ConfigError,
    ListNotFoundError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
    first_line,
)
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.create.session import Session, Wait

from .api import Command, Services
from .service import Service
from .states import FAILED, PENDING

INTERVALS = 1.4
"""Poll intervals between two looks: what is ready is noticed within one and a half of them, the request included."""

QUIET_INTERVALS = 6.0
"""Poll intervals at the beginning of a wait in which nobody looks, at most: the last such wait was longer."""

LESS_QUIET = 0.95
"""A wait that is over at its first look may have been over before: the next one looks a little earlier."""

ABSENCES = 2
"""So many lists without a service show that it is gone."""

MAX_MISSES = 3
"""So many looks in a row may be refused, or find the service missing, before it is believed."""


def find_service(
    session: Session, service_id: str, *, max_age: float = SHARED_LIST_SECONDS, going: bool = False
) -> Service | None:
    """Return the service's record, or None when it is gone for certain, or on its way out unless `going` is set.

    Raises:
        UnsupportedOperationError: The server offers neither the list nor the single read.
        ApiError: It could not be read for any other reason.
    """
    services = session.api.of(Services)
    record = services.find(service_id, max_age=max_age)
    return record if record is not None and (going or services.exists(record)) else None


@dataclass
class WaitResult:
    """What a wait came to.

    Attributes:
        record: The last record seen.
        problem: Why it is not what was hoped for, if it is not.
        gone: Whether somebody has deleted it for certain, or is about to.
    """

    record: Service | None
    problem: str | None = None
    gone: bool = False

    @property
    def state(self) -> str | None:
        """The last state seen."""
        return self.record.state if self.record else None


def wait_until_ready(
    session: Session, service_id: str, record: Service, minutes: float | None, *, new: bool = False
) -> WaitResult:
    """Wait until the service runs; never raises: what exists is never lost for a wait that fails.

    A record without `state` counts as ready, as does any state that is neither on its way nor failed.

    Args:
        session: What to work with.
        service_id: The service.
        record: It as it was last seen.
        minutes: How long to wait.
        new: Whether it was created just now: what no look has shown yet is not known to be gone.
    """

    def done(seen: Service | None) -> bool:
        return seen is not None and seen.state not in PENDING

    waited = WaitResult(record)
    if minutes != 0:
        waited = _wait(session, service_id, record, minutes, done, "running", shown=not new)
    if waited.problem is None and waited.state in FAILED:
        waited.problem = "the server says that the service has failed"
    if waited.problem is None and waited.record and not session.api.of(Services).exists(waited.record):
        waited.problem, waited.gone = "somebody is deleting the service", True
    return waited


def wait_until(
    session: Session,
    service_id: str,
    record: Service,
    minutes: float | None,
    states: frozenset[str],
    goal: str,
    *,
    listed: bool,
) -> WaitResult:
    """Wait until the service is in one of `states`, or gone.

    Args:
        session: What to work with.
        service_id: The service.
        record: It as it was last seen.
        minutes: How long to wait.
        states: The states that end the wait.
        goal: What is waited for, in words.
        listed: Whether a list has shown the service: then lists without it show that it is gone.
    """

    def done(seen: Service | None) -> bool:
        return seen is None or seen.state in states

    return _wait(session, service_id, record, minutes, done, goal, listed=listed)


def _wait(
    session: Session,
    service_id: str,
    record: Service | None,
    minutes: float | None,
    done: Callable[[Service | None], bool],
    goal: str,
    *,
    shown: bool = True,
    listed: bool = False,
) -> WaitResult:
    minutes = session.wait_minutes if minutes is None else minutes
    now = session.runtime.monotonic
    looks = _Looks(session, service_id, goal, listed=listed)
    deadline = looks.started + minutes * 60
    refusals = 0
    last_error: Exception | None = None
    while not done(record):
        if now() >= deadline and not looks.absences:  # one list without the service is worth a second one, at once
            return WaitResult(record, _too_long(record, minutes, goal, last_error))
        session.runtime.progress(_progress(session, record, looks.started, minutes, goal))
        try:
            seen = looks.next(record, deadline)
        except CancelledError as error:
            return WaitResult(record, f"stopped waiting until it is {goal}: {error.reason}")
        except UnsupportedOperationError:
            session.warn(
                "This server offers no way to read a service, so nothing was waited for. "
                f"Look in the console whether service {service_id} is {goal}."
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
            return _missing(session, service_id, record, deadline, looks.poll, goal, shown=shown)
        record, last_error, shown = seen, None, shown or seen is not None
        if not done(record):
            looks.quiet = looks.last - looks.started
    session.waits.setdefault(goal, []).append(Wait(now() - looks.started, looks.quiet))
    return WaitResult(record)


class _Looks:
    """The looks of one wait, in lists that all who wait share: each is requested some time after the last one.

    Attributes:
        started: When the wait began, on the monotonic clock.
        last: When the list of the last look was requested.
        quiet: Seconds after the start during which looks would have shown nothing, as far as this wait tells.
        absences: How many lists in a row have not shown the service.
    """

    def __init__(self, session: Session, service_id: str, goal: str, *, listed: bool) -> None:
        self._session, self._service_id, self._listed = session, service_id, listed
        self.poll = float(session.config.poll_interval_seconds)
        self.started = self.last = session.runtime.monotonic()
        waits = session.waits.get(goal)
        quiet = min(waits[-1].quiet, QUIET_INTERVALS * self.poll) if waits else 0.0
        self._begin = self.started + quiet
        self.quiet = LESS_QUIET * quiet
        self.absences = 0

    def next(self, record: Service | None, deadline: float) -> Service | None:
        """Return the service as the next look shows it, None without it; as it was seen last, where that tells nothing.

        Raises:
            ApiError: The list, or the service, could not be read.
        """
        session, now = self._session, self._session.runtime.monotonic
        session.sleep(max(0.0, min(max(self.last, self._begin) + INTERVALS * self.poll, deadline) - now()))
        max_age = min(self.poll, now() - self.last)
        with polling(max_age):
            seen = self._look(max_age)
        self.last = now() - (session.api.of(Services).age or 0.0)
        if self.last < self.started:  # the list was requested before what is waited for
            return record
        self.absences = self.absences + 1 if seen is None else 0
        return record if self._listed and 0 < self.absences < ABSENCES else seen

    def _look(self, max_age: float) -> Service | None:
        """Return the service as the shared list shows it; only where no list has shown it, ask for it by itself."""
        with suppress(ListNotFoundError):
            record = self._session.api.of(Services).shown(self._service_id, max_age=max_age)
            if self._listed or record is not None:
                return record
        return find_service(self._session, self._service_id, max_age=max_age, going=True)


def _progress(session: Session, record: Service | None, started: float, minutes: float, goal: str) -> str:
    """Return what is waited for: the state, for how long, and how long it usually takes, as far as that is known."""
    state = (record.state if record else None) or "not there yet"
    usual = [wait.seconds for wait in session.waits.get(goal, ()) if wait.seconds >= 1]
    expected = f"usually {_duration(median(usual))}" if usual else f"at most {_duration(minutes * 60)}"
    elapsed = _duration(session.runtime.monotonic() - started)
    return f"waiting until it is {goal}: {state} for {elapsed} ({expected})"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return " ".join([f"{minutes} min"] * (minutes > 0) + [f"{seconds} s"] * (seconds > 0 or not minutes))


def _missing(
    session: Session,
    service_id: str,
    record: Service | None,
    deadline: float,
    poll: float,
    goal: str,
    *,
    shown: bool,
) -> WaitResult:
    """Believe a service that is not found only when it stays so: a list may lag behind a creation.

    It is gone for certain where a look has shown it before, and each look since was answered.
    """
    certain = shown
    for _ in range(MAX_MISSES):
        try:
            session.sleep(min(poll, max(0.0, deadline - session.runtime.monotonic())))
            with polling(poll / 2):
                seen = find_service(session, service_id, max_age=poll / 2)
        except CancelledError as error:
            return WaitResult(record, f"stopped waiting until it is {goal}: {error.reason}")
        except (ApiError, ConfigError):
            certain = False
            continue
        if seen is not None:
            minutes = max(0.0, deadline - session.runtime.monotonic()) / 60
            return wait_until_ready(session, service_id, seen, minutes)
    return WaitResult(record, f"stopped waiting until it is {goal}: the server no longer finds it", certain)


def _too_long(record: Service | None, minutes: float, goal: str, error: Exception | None) -> str:
    state = (record.state if record else None) or "unknown"
    trouble = f"; the last look failed: {first_line(error)}" if error else ""
    return f"not {goal} after {minutes:g} minutes, but {state}{trouble}"


def deleted_meanwhile(name: str | None, service_id: str, waited: WaitResult, hint: str = "") -> ResourceError:
    """Return the error of a service that is gone for certain; by default state still holds it."""
    return ResourceError(
        f"service {name!r} ({service_id}): {waited.problem}",
        hint or "Run `pulumi refresh`, as somebody has deleted it, then run again: another one is created.",
    )


def start_service(session: Session, service_id: str, failed: WaitResult, minutes: float | None) -> WaitResult:
    """Start a service that failed, and wait until it runs."""
    try:
        record = session.api.of(Services).command(service_id, Command.START)
    except (ClientError, UnsupportedOperationError) as error:
        return WaitResult(failed.record, f"{failed.problem}, and it cannot be started: {error.message}")
    return wait_until_ready(session, service_id, record, minutes)


def known_service(session: Session, service_id: str, *, max_age: float | None = None) -> Service | None:
    """Return the record of the service, or None where it cannot be read."""
    age = session.config.poll_interval_seconds if max_age is None else max_age
    try:
        return find_service(session, service_id, max_age=age)
    except UnsupportedOperationError:
        return None


def seen_service(session: Session, service_id: str) -> Service | None:
    """Return the record of the service as it is now, or None where it cannot be read at this moment."""
    try:
        return known_service(session, service_id, max_age=0.0)
    except CloudDBError:
        return None
