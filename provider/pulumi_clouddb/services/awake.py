"""Requests that need a service which runs: one that idles is woken, and one that starts is waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from pulumi_clouddb.client.errors import ClientError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.waits import Awaited, wait

from .api import Command, Services

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
