"""The states of a service, and waiting for them: one shared list serves all waiters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pulumi_clouddb.api.errors import ApiError, ConfigError, Gone, NotOffered, Refused, Unauthorized
from pulumi_clouddb.api.operations import OPERATIONS
from pulumi_clouddb.api.reads import Collection
from pulumi_clouddb.models.service_states import COMING, FAILED, GONE

from .session import SHARED_READ_SECONDS, Interrupted, Session

SERVICES = Collection(OPERATIONS["list_services"])
PATIENCE = 3
"""So many looks in a row may be refused, or find the service missing, before it is believed."""


def state_of(record: Mapping[str, Any] | None) -> str | None:
    """Return the state that a record shows; None where it shows none, or one that is no text."""
    state = (record or {}).get("state")
    return state if isinstance(state, str) else None


def exists(record: Mapping[str, Any]) -> bool:
    """Tell whether a listed service is there: one that is going does not count."""
    return state_of(record) not in GONE


def first_line(error: Exception) -> str:
    """Return what failed, without what to do about it: for messages that say that themselves."""
    return str(error).partition("\n")[0]


def find_service(
    session: Session, service_id: str, *, max_age: float = SHARED_READ_SECONDS, going: bool = False
) -> dict[str, Any] | None:
    """Return the service's record, or None when it is gone for certain.

    Args:
        session: Where to look.
        service_id: Which one.
        max_age: Seconds that a shared list may be old.
        going: Whether a service on its way out is still there.

    Raises:
        NotOffered: The server offers neither the list nor the single read.
        ApiError: It could not be read for any other reason.
    """
    for record in session.listed(SERVICES, max_age=max_age):
        if record["id"] == service_id:
            return record if going or exists(record) else None
    try:
        record = session.client.call(OPERATIONS["get_service"], service_id=service_id)
    except Gone:
        return None
    return record if going or exists(record) else None


class Waited:
    """What a wait came to: the last record seen, and why it is not what was hoped for, if it is not."""

    def __init__(self, record: dict[str, Any] | None, problem: str | None = None) -> None:
        self.record = record
        self.problem = problem


def wait_until_ready(session: Session, service_id: str, record: dict[str, Any], minutes: float | None) -> Waited:
    """Wait until the service runs; never raises: what exists is never lost for a wait that fails.

    A record without `state` counts as ready, as does any state that is neither on its way nor failed.
    """

    def done(seen: dict[str, Any] | None) -> bool:
        return seen is not None and state_of(seen) not in COMING

    waited = _wait(session, service_id, record, minutes, done, "running") if minutes != 0 else Waited(record)
    if waited.problem is None and state_of(waited.record) in FAILED:
        waited.problem = "the server says that the service has failed"
    if waited.problem is None and waited.record and not exists(waited.record):
        waited.problem = "somebody is deleting the service"
    return waited


def wait_until(
    session: Session, service_id: str, record: dict[str, Any], minutes: float | None, states: frozenset[str], goal: str
) -> Waited:
    """Wait until the service is in one of `states`, or gone."""
    return _wait(session, service_id, record, minutes, lambda seen: seen is None or state_of(seen) in states, goal)


def _wait(
    session: Session,
    service_id: str,
    record: dict[str, Any] | None,
    minutes: float | None,
    done: Callable[[dict[str, Any] | None], bool],
    goal: str,
) -> Waited:
    minutes = session.wait_minutes if minutes is None else minutes
    deadline = session.runtime.monotonic() + minutes * 60
    poll = float(session.config.poll_interval_seconds)
    refusals = 0
    last_error: Exception | None = None
    while not done(record):
        if session.runtime.monotonic() >= deadline:
            return Waited(record, _too_long(record, minutes, goal, last_error))
        try:
            session.sleep(min(poll, max(0.0, deadline - session.runtime.monotonic())))
            seen = find_service(session, service_id, max_age=poll / 2, going=True)
        except Interrupted as error:
            return Waited(record, f"stopped waiting until it is {goal}: {error.reason}")
        except NotOffered:
            session.warn("This server offers no way to read a service, so nothing was waited for.")
            return Waited(record)
        except (ApiError, ConfigError) as error:
            last_error = error
            refusals = refusals + 1 if isinstance(error, (Unauthorized, Refused)) else 0
            if refusals >= PATIENCE:
                return Waited(record, f"stopped waiting until it is {goal}: {first_line(error)}")
            continue
        refusals = 0
        if seen is None and not done(None):
            return _missing(session, service_id, record, deadline, poll, goal)
        record, last_error = seen, None
    return Waited(record)


def _missing(
    session: Session, service_id: str, record: dict[str, Any] | None, deadline: float, poll: float, goal: str
) -> Waited:
    """Believe a service that is not found only when it stays so: a list may lag behind a creation."""
    for _ in range(PATIENCE):
        try:
            session.sleep(min(poll, max(0.0, deadline - session.runtime.monotonic())))
            seen = find_service(session, service_id, max_age=poll / 2)
        except Interrupted as error:
            return Waited(record, f"stopped waiting until it is {goal}: {error.reason}")
        except (ApiError, ConfigError):
            continue
        if seen is not None:
            minutes = max(0.0, deadline - session.runtime.monotonic()) / 60
            return wait_until_ready(session, service_id, seen, minutes)
    return Waited(record, f"stopped waiting until it is {goal}: the server no longer finds it")


def _too_long(record: dict[str, Any] | None, minutes: float, goal: str, error: Exception | None) -> str:
    state = state_of(record) or "unknown"
    trouble = f"; the last look failed: {first_line(error)}" if error else ""
    return f"not {goal} after {minutes:g} minutes, but {state}{trouble}"
