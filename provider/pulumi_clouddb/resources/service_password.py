"""Another password for a service whose first one was lost with the response to its create."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.api.errors import MaybeDone, ResourceError
from pulumi_clouddb.api.operations import OPERATIONS

from .creation import latest_commit_seconds
from .marks import OwnPassword
from .session import Session

ATTEMPTS = 3
"""A reset whose response is lost is repeated, as nobody knows the password that it may have set."""


def reset_password(session: Session, service_id: str, inputs: Mapping[str, Any]) -> str | None:
    """Give the service a password that is known here; not in a shared warehouse, whose other clients it could lock out.

    Raises:
        ApiError: The server refused, or each response was lost.
        ResourceError: The response holds no password.
        Interrupted: The operation was cancelled.
    """
    if inputs.get("dataWarehouseId"):
        session.warn(
            f"Service {inputs.get('name')!r} shares a warehouse; its first password was lost with the response "
            "and is not reset, as that could lock out the clients of the warehouse's other services."
        )
        return None
    operation = OPERATIONS["reset_password"]
    own: OwnPassword | None = None
    if operation.record in session.client.vocabulary.markable:
        own = OwnPassword(service_id, str(session.config.key_secret))
    result: Mapping[str, Any] = {}
    for attempts_left in reversed(range(ATTEMPTS)):
        try:
            result = session.client.call(operation, own.body if own else {}, service_id=service_id)
            break
        except MaybeDone:
            if not attempts_left:
                raise
            # A reset that is carried out late would take the place of the next one, unless both set the same.
            session.sleep(0.0 if own else latest_commit_seconds(session.config))
    password = own.password if own else result.get("password")
    if not isinstance(password, str) or not password:
        raise ResourceError(f"the password of service {service_id} was reset, but not answered", "Run again.")
    return password
