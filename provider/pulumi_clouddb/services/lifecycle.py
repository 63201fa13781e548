"""Wait for a service, wake an idle one, and end one: stop it, delete it, and see that it is gone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    CloudDBError,
    ConflictError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.waits import Awaited, WaitResult, wait
from pulumi_clouddb.schema.convert import construct

from .api import Command, Services
from .service import Service
from .states import DELETED, FAILED, GONE, PENDING, STARTED, STOPPED, STOPS, Status


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


Answer = TypeVar("Answer")

FAILED_DEPENDENCY = 424
"""The status of a refusal because the service does not run."""


class OfService(Protocol):
    """The arguments of what belongs to a service, with how long to wait."""

    service_id: str | None
    wait_timeout_minutes: float | None


def once_awake(session: Session, wanted: OfService, send: Callable[[], Answer]) -> Answer:
    """Send a request; where the service does not run, wake it or wait for it, and send it again.

    Raises:
        ResourceError: The service is stopped, or does not wake in time.
    """
    try:
        return send()
    except ClientError as error:
        if error.status != FAILED_DEPENDENCY or wanted.service_id is None:
            raise
        _awake(session, wanted.service_id, wanted.wait_timeout_minutes, error)
    return send()


def _awake(session: Session, service_id: str, minutes: float | None, refusal: ClientError) -> None:
    services = session.api.of(Services)
    record = services.find(service_id, max_age=0.0)
    if record is not None and services.idles(record):
        session.runtime.progress(f"waking service {service_id}")
        try:
            record = services.command(service_id, Command.AWAKE)
        except ClientError:  # somebody else has just woken it, perhaps another resource
            record = services.find(service_id, max_age=0.0)
    if record is None or not (services.starts(record) or services.runs(record)):
        raise ResourceError(
            f"service {service_id} is {record.state if record else 'gone'}: {refusal.message}",
            "Start it, then run again: a stopped one is not woken.",
        ) from None
    awaited = Awaited(services, service_id, "service")
    waited = wait(session, awaited, record, minutes, lambda seen: seen is None or not services.starts(seen), "running")
    if waited.problem:
        raise ResourceError(f"service {service_id}: {waited.problem}", "Run again once it runs.") from None


def end_service(session: Session, service_id: str, what: str, wait_minutes: float | None) -> None:
    """Stop a service, delete it, and wait until it is gone; one that is gone already is done.

    Each step is waited for so many minutes; 0 does not wait until it is gone.

    Raises:
        ApiError: The server refused, or was not reached.
        ResourceError: The service did not stop, or go, in time.
    """
    services = session.api.of(Services)
    minutes = wait_minutes or session.wait_minutes
    try:
        record, listed = _now(session, service_id)
        if record is not None:
            record = _stopped(session, service_id, record, what, minutes, listed=listed)
        if record is None:
            return
        _delete_once_settled(session, service_id, minutes, may_run=record.state is None)
    except NotFoundError:
        services.invalidate()
        found, _ = _now(session, service_id)
        if found is not None and found.model_fields_set:  # one response is not enough to forget a database
            raise
        return
    finally:
        services.outdate()
    if wait_minutes != 0 and record.state is not None:
        waited = wait_until(session, service_id, record, minutes, DELETED, "gone", listed=listed)
        if waited.problem:
            raise ResourceError(f"{what} was deleted, but {waited.problem}", "Run again to look once more.")


def _now(session: Session, service_id: str) -> tuple[Service | None, bool]:
    """Return the record of the service, an empty one where it cannot be read, or None when it is gone.

    Also whether the shared list has shown it.
    """
    services, max_age = session.api.of(Services), float(session.config.poll_interval_seconds)
    with suppress(ApiError):
        record = services.shown(service_id, max_age=max_age, allow_stale=False)
        if record is not None:
            return (record if services.exists(record) else None), True
    try:
        return find_service(session, service_id, max_age=max_age), False
    except UnsupportedOperationError:
        return construct(Service, {}), False


def _stopped(
    session: Session, service_id: str, record: Service, what: str, minutes: float, *, listed: bool
) -> Service | None:
    """Stop the service; return its record once it stands still, or None when there is nothing left to delete."""
    if record.state in STOPPED or record.state is None:
        return record
    if record.state != Status.STOPPING:
        try:
            record = stop_service(session, service_id)
        except (ConflictError, UnsupportedOperationError):
            return record
    waited = wait_until(session, service_id, record, minutes, STOPPED | GONE, "stopped", listed=listed)
    if waited.problem:
        raise ResourceError(
            f"{what} is not deleted: {waited.problem}", "Run again once it has stopped, or raise waitTimeoutMinutes."
        )
    return waited.record if waited.record and session.api.of(Services).exists(waited.record) else None


def _delete_once_settled(session: Session, service_id: str, minutes: float, *, may_run: bool) -> None:
    """Delete; a server may still be settling a stop that it already reported, and answers 409 until it has.

    Where no state is shown, the first 409 may also mean that the service runs: then it is stopped.
    """
    services = session.api.of(Services)
    deadline = session.runtime.monotonic() + minutes * 60
    while True:
        try:
            services.delete(service_id)
            return
        except ConflictError:
            if session.runtime.monotonic() >= deadline:
                raise
        if may_run:
            may_run = False
            with suppress(ClientError, UnsupportedOperationError):
                stop_service(session, service_id)
        session.sleep(session.config.poll_interval_seconds)
