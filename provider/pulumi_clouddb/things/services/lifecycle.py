"""Find, wake, stop and delete a service."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS
from pulumi_clouddb.client.errors import (
    FAILED_DEPENDENCY,
    ApiError,
    ClientError,
    CloudDBError,
    ConflictError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.busy import GRACE_SECONDS
from pulumi_clouddb.resource.provisioned import ProvisionedResource
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.waits import Awaited, wait
from pulumi_clouddb.schema.convert import construct
from pulumi_clouddb.schema.provisioned import ProvisionedT

from .api import Command, Services
from .enums import DELETED, GONE, KNOWN, PENDING, STOPPED, STOPS, Status
from .service import Service

Answer = TypeVar("Answer")


def _awaited(session: Session, service_id: str) -> Awaited[Service]:
    return Awaited(session.api.of(Services), service_id, "service")


# -- finding ---------------------------------------------------------------------------------------------------------


def find_service(session: Session, service_id: str, *, max_age: float = SHARED_LIST_SECONDS) -> Service | None:
    """Return the record of a service; None if it certainly is gone, or is being deleted.

    Raises:
        UnsupportedOperationError: The server offers neither the list nor the single read.
        ApiError: It could not be read for any other reason.
    """
    return _awaited(session, service_id).find(max_age)


def find_if_offered(session: Session, service_id: str, *, max_age: float | None = None) -> Service | None:
    """Return the record of a service, at most a poll interval old by default; None also if no operation reads it."""
    age = session.config.poll_interval_seconds if max_age is None else max_age
    try:
        return find_service(session, service_id, max_age=age)
    except UnsupportedOperationError:
        return None


def find_if_readable(session: Session, service_id: str) -> Service | None:
    """Return the current record of a service; None also if it cannot be read at this moment."""
    try:
        return find_if_offered(session, service_id, max_age=0.0)
    except CloudDBError:
        return None


# -- waking ----------------------------------------------------------------------------------------------------------


class OfService(Protocol):
    """The inputs of an object of a service, with the time to wait."""

    service_id: str | None
    wait_timeout_minutes: float | None


def once_awake(session: Session, wanted: OfService, send: Callable[[], Answer]) -> Answer:
    """Send a request; if the service does not run, wake it or wait for it, and send the request again.

    The servers of its pipes and functions may notice a little later that it runs.

    Raises:
        ResourceError: The service is stopped, or does not wake in time.
        ClientError: The server refused for another reason, or still reports that the service does not run.
    """
    awake = None
    while True:
        try:
            return send()
        except ClientError as error:
            late = awake is not None and session.runtime.monotonic() >= awake + GRACE_SECONDS
            if error.status != FAILED_DEPENDENCY or wanted.service_id is None or late:
                raise
            refusal = error
        if awake is not None:
            session.sleep(session.config.poll_interval_seconds)
        _wake(session, wanted.service_id, wanted.wait_timeout_minutes, refusal)
        awake = session.runtime.monotonic() if awake is None else awake


class OfServiceResource(ProvisionedResource[ProvisionedT]):
    """An object in a service, which must be awake for its operations; its thing has `service_id`."""

    def sent(self, session: Session, wanted: Any, send: Callable[[], Answer]) -> Answer:
        """Send a request once the service is awake."""
        return once_awake(session, wanted, send)

    def final_when(self, *, deleting: bool) -> Collection[int]:
        """Return 424, after which the service is woken."""
        return (FAILED_DEPENDENCY,)


def _wake(session: Session, service_id: str, minutes: float | None, refusal: ClientError) -> None:
    services = session.api.of(Services)
    record = services.find(service_id, max_age=0.0)
    if record is not None and record.state == Status.IDLE:
        session.runtime.progress(f"waking service {service_id}")
        try:
            record = session.repeating(lambda _: False).api.of(Services).command(service_id, Command.AWAKE)
        except ClientError:  # somebody else has just woken it, perhaps another resource
            record = services.find(service_id, max_age=0.0)
    if record is None or record.state not in PENDING | {Status.RUNNING}:
        raise ResourceError(
            f"service {service_id} is {record.state if record else 'gone'}: {refusal.message}",
            "Start it, or set stopped of the Service to false, then run again: nothing else starts a stopped service.",
        ) from None

    def done(seen: Service | None) -> bool:
        return seen is None or seen.state not in PENDING

    waited = wait(session, _awaited(session, service_id), record, minutes, done, "running")
    if waited.problem:
        raise ResourceError(f"service {service_id}: {waited.problem}", "Run again once it runs.") from None


# -- starting, stopping and deleting ---------------------------------------------------------------------------------


def command_service(session: Session, service_id: str, command: Command, reached: frozenset[str]) -> Service:
    """Start or stop a service, unless somebody else has just done it.

    If the response is lost, or the server refuses, the state shows whether the service has followed the command.

    Raises:
        ApiError: The server refused, and the service is in none of the states `reached`.
    """
    try:
        return settled(
            session,
            lambda: session.api.of(Services).command(service_id, command),
            lambda: find_if_offered(session, service_id, max_age=0.0),
            lambda record: record.state in reached,
        )
    except ClientError:
        record = find_if_readable(session, service_id)
        if record is None or record.state not in reached:
            raise
        return record


def delete_service(session: Session, service_id: str, what: str, wait_minutes: float | None) -> None:
    """Stop a service, delete it, and wait until it is gone; a service that no longer exists is ignored.

    Each step may take `wait_minutes`; with zero, the end of the deletion is not waited for.

    Raises:
        ApiError: The server refused, or was not reached.
        ResourceError: The service did not stop, or was not deleted, in time.
    """
    services = session.api.of(Services)
    minutes = wait_minutes or session.wait_minutes
    try:
        record, listed = _current(session, service_id)
        if record is not None:
            record = _stop_and_wait(session, service_id, record, what, minutes, listed=listed)
        if record is None:
            return
        _delete_once_settled(session, service_id, minutes, may_run=record.state is None)
    except NotFoundError:
        services.invalidate()
        current, _ = _current(session, service_id)
        if current is not None and current.model_fields_set:  # one response is not enough to forget a database
            raise
        return
    finally:
        services.outdate()
    if wait_minutes != 0 and record.state is not None:
        waited = wait(
            session,
            _awaited(session, service_id),
            record,
            minutes,
            lambda seen: seen is None or seen.state in DELETED,
            "gone",
            listed=listed,
        )
        if waited.problem:
            raise ResourceError(f"{what} was deleted, but {waited.problem}", "Run again to check once more.")


def _current(session: Session, service_id: str) -> tuple[Service | None, bool]:
    """Return the record of a service, and whether a list has shown it.

    The record is empty if it cannot be read, and None if the service is gone.
    """
    services, max_age = session.api.of(Services), float(session.config.poll_interval_seconds)
    with suppress(ApiError):
        record = _awaited(session, service_id).listed(max_age)
        if record is not None:
            return (record if services.exists(record) else None), True
    try:
        return find_service(session, service_id, max_age=max_age), False
    except UnsupportedOperationError:
        return construct(Service, {}), False


def _stop_and_wait(
    session: Session, service_id: str, record: Service, what: str, minutes: float, *, listed: bool
) -> Service | None:
    """Stop the service, and return its record once it has stopped; None if nothing is left to delete.

    In a state that this package does not know, it may have: then the response to its deletion tells.
    """
    if record.state in STOPPED or record.state is None:
        return record
    if record.state != Status.STOPPING:
        try:
            record = command_service(session, service_id, Command.STOP, STOPS)
        except (ConflictError, UnsupportedOperationError):
            return record
        except ClientError:
            if record.state in KNOWN:
                raise
            return record

    def done(seen: Service | None) -> bool:
        return seen is None or seen.state in STOPPED | GONE or (seen.state is not None and seen.state not in KNOWN)

    waited = wait(session, _awaited(session, service_id), record, minutes, done, "stopped", listed=listed)
    if waited.problem:
        raise ResourceError(
            f"{what} is not deleted: {waited.problem}", "Run again once it has stopped, or raise waitTimeoutMinutes."
        )
    return waited.record if waited.record and session.api.of(Services).exists(waited.record) else None


def _delete_once_settled(session: Session, service_id: str, minutes: float, *, may_run: bool) -> None:
    """Delete a service; a server that reports a stop too early returns 409 until the service has stopped.

    If the server reports no state, the first 409 may also mean that the service runs: then it is stopped.
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
                command_service(session, service_id, Command.STOP, STOPS)
        session.sleep(session.config.poll_interval_seconds)
