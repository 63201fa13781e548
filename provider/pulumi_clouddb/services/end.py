"""How a service ends: stopped, deleted, and seen to be gone."""

from __future__ import annotations

from contextlib import suppress

from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    ConflictError,
    NotFoundError,
    ResourceError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.convert import construct

from .api import Services
from .lifecycle import find_service, stop_service, wait_until
from .service import Service
from .states import DELETED, GONE, STOPPED, Status


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
