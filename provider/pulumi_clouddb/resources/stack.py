"""What dashboards and alerts share: two forms of the same collections, read through one shared list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.api.errors import Gone, ResourceError
from pulumi_clouddb.api.operations import stack_operation
from pulumi_clouddb.api.reads import Collection

from .base import State
from .session import SHARED_READ_SECONDS, Session


def stack_collection(name: str, service_id: str | None) -> Collection:
    """Return the managed collection of a service, or the self-hosted one."""
    return Collection(stack_operation(name, service_id), service_id or None)


def located(object_id: str, hints: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return the service, if any, and the id of a dashboard or alert that the user names as `ID` or `serviceId/ID`.

    Raises:
        ResourceError: It is written in neither form.
    """
    service_id, slash, own = object_id.rpartition("/")
    if not own or "/" in service_id or (slash and not service_id):
        raise ResourceError(
            f"{object_id!r} is not the id of a dashboard or alert",
            "It is written ID, or serviceId/ID in the stack of a service.",
        )
    return (service_id, own) if slash else (hints.get("serviceId"), object_id)


def find(
    session: Session, kind: str, service_id: str | None, object_id: str, *, max_age: float = SHARED_READ_SECONDS
) -> State | None:
    """Return the record of a dashboard or alert, or None when it is gone for certain.

    Raises:
        NotOffered: The server offers neither the list nor the single read.
        ApiError: It could not be read for any other reason.
    """
    for record in session.listed(stack_collection(f"list_{kind}s", service_id), max_age=max_age):
        if record["id"] == object_id:
            return record
    where: dict[str, Any] = {"service_id": service_id, f"{kind}_id": object_id}
    try:
        answer = session.client.call(stack_operation(f"get_{kind}", service_id), None, **where)
    except Gone:
        return None
    return dict(answer)
