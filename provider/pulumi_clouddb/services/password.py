"""Another password for a service whose first one was lost with the response to its create."""

from __future__ import annotations

from pulumi_clouddb.client.errors import AmbiguousError, ResourceError
from pulumi_clouddb.create.evidence import latest_commit_seconds
from pulumi_clouddb.create.session import Session

from .api import Services
from .service import Service

ATTEMPTS = 3
"""A reset whose response is lost is repeated, as nobody knows the password that it may have set."""


def reset_password(session: Session, service_id: str, wanted: Service, *reason: str) -> str | None:
    """Give the service a password that is known here; not in a shared warehouse, whose other clients it could lock out.

    Args:
        session: What to work with.
        service_id: Which service.
        wanted: What the program says of it.
        reason: Why it gets another one: each reason leads to a password of its own, and to the same one again.

    Raises:
        ApiError: The server refused, or each response was lost.
        ResourceError: The response holds no password.
        CancelledError: The operation was cancelled.
    """
    if wanted.data_warehouse_id and not reason:
        session.warn(
            f"Service {wanted.name!r} shares a warehouse; its first password was lost with the response "
            "and is not reset, as that could lock out the clients of the warehouse's other services."
        )
        return None
    services = session.api.of(Services)
    own = services.own_password(service_id, *reason)
    for attempts_left in reversed(range(ATTEMPTS)):
        try:
            password = services.reset_password(service_id, own)
            break
        except AmbiguousError:
            if not attempts_left:
                raise
            # A reset that is carried out late would take the place of the next one, unless both set the same.
            session.sleep(0.0 if own else latest_commit_seconds(session.config))
    if password is None:
        raise ResourceError(f"the password of service {service_id} was reset, but not answered", "Run again.")
    return password
