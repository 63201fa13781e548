"""Waiting for a service: one shared list serves all waiters."""

from __future__ import annotations

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import (
    ClientError,
    CloudDBError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.waits import Awaited, WaitResult, wait

from .api import Command, Services
from .service import Service
from .states import FAILED, PENDING, STARTED, STOPS


def _awaited(session: Session, service_id: str) -> Awaited[Service]:
    return Awaited(session.api.of(Services), service_id, "service")


def find_service(
    session: Session, service_id: str, *, max_age: float = SHARED_LIST_SECONDS, going: bool = False
) -> Service | None:
    """Return the service's record, or None when it is gone for certain, or on its way out unless `going` is set.

    Raises:
        UnsupportedOperationError: The server offers neither the list nor the single read.
        ApiError: It could not be read for any other reason.
    """
    return _awaited(session, service_id).find(max_age, going=going)


def wait_until_ready(
    session: Session, service_id: str, record: Service, minutes: float | None, *, new: bool = False
) -> WaitResult[Service]:
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
        waited = wait(session, _awaited(session, service_id), record, minutes, done, "running", shown=not new)
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
) -> WaitResult[Service]:
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

    return wait(session, _awaited(session, service_id), record, minutes, done, goal, listed=listed)


def start_service(
    session: Session, service_id: str, failed: WaitResult[Service], minutes: float | None
) -> WaitResult[Service]:
    """Start a service that failed, and wait until it runs."""
    try:
        record = _commanded(session, service_id, Command.START, STARTED)
    except (ClientError, UnsupportedOperationError) as error:
        return WaitResult(failed.record, f"{failed.problem}, and it cannot be started: {error.message}")
    return wait_until_ready(session, service_id, record, minutes)


def stop_service(session: Session, service_id: str) -> Service:
    """Stop a service; one that somebody has just stopped is as wanted.

    Raises:
        ApiError: The server refused, and the service goes on running.
    """
    try:
        return _commanded(session, service_id, Command.STOP, STOPS)
    except ClientError:
        record = seen_service(session, service_id)
        if record is None or record.state not in STOPS:
            raise
        return record


def _commanded(session: Session, service_id: str, command: Command, reached: frozenset[str]) -> Service:
    """Start or stop a service; if the response is lost, its state shows whether the server carried it out."""
    return settled(
        session,
        lambda: session.api.of(Services).command(service_id, command),
        lambda: known_service(session, service_id, max_age=0.0),
        lambda record: record.state in reached,
    )


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
