"""The password of a service: set from the hashes of the program, or made by this provider."""

from __future__ import annotations

import hashlib

from pulumi_clouddb.client.errors import AmbiguousError, ResourceError
from pulumi_clouddb.client.marks import derive, hashed
from pulumi_clouddb.create.evidence import latest_commit_seconds
from pulumi_clouddb.create.session import Session

from .api import Services
from .service import Service

PASSWORD_LETTERS = 32

RESETS = 3
"""A reset is sent so often if its response is lost, as nobody knows the password that it may have set."""


def reset_password(session: Session, service_id: str, wanted: Service, *reason: str) -> str | None:
    """Reset the password to one that is known here, and return it; None if the program sets the password itself.

    In a shared warehouse it is not reset without a reason, as that could lock out the clients of other services. Each
    reason leads to a password of its own, and always to the same one.

    Raises:
        ApiError: The server refused, or each response was lost.
        ResourceError: The response has no password.
        CancelledError: The operation was cancelled.
    """
    if wanted.password_hash is not None:
        return None
    if wanted.data_warehouse_id and not reason:
        session.warn(
            f"Service {wanted.name!r} shares a warehouse; its first password was lost with the response "
            "and is not reset, as that could lock out the clients of the warehouse's other services."
        )
        return None
    services = session.api.of(Services)
    own = _own_password(service_id, services.credential, *reason) if services.takes_marks("Password") else None
    for attempts_left in reversed(range(RESETS)):
        try:
            answer = services.call(services.RESET_PASSWORD, service_id, _hashes_of(own) if own else {})
            break
        except AmbiguousError:
            if not attempts_left:
                raise
            # A reset that is carried out late would replace the next one, unless both set the same password.
            session.sleep(0.0 if own else latest_commit_seconds(session.config))
    password = own or answer.get("password")
    if not isinstance(password, str) or not password:
        raise ResourceError(f"the password of service {service_id} was reset, but not returned", "Run again.")
    return password


def _own_password(service_id: str, credential: str, *reason: str) -> str:
    """Return a password that is made here: setting it again later sets the same one.

    It is derived from the secret of the configured credentials, which could set any password, and the service's id.
    """
    return derive(credential, "\0".join((service_id, *reason)), "password", PASSWORD_LETTERS)


def _hashes_of(password: str) -> dict[str, str]:
    """Return the body of *Update service password*; the second hash is for clients that speak MySQL."""
    once = hashlib.sha1(password.encode(), usedforsecurity=False).digest()
    twice = hashlib.sha1(once, usedforsecurity=False).hexdigest()
    return {"newPasswordHash": hashed(password), "newDoubleSha1Hash": twice}
