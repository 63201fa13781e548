"""What this provider makes itself for a service: its password."""

from __future__ import annotations

import hashlib

from pulumi_clouddb.client.marks import derive, hashed

PASSWORD_LETTERS = 32


class OwnPassword:
    """A service's password, made here and sent as hashes: who sets it twice, or late, sets the same one.

    It is derived from the secret of the configured credentials, which could set any password, and the service's id.

    Args:
        service_id: The service.
        credential: The configured `clouddb:keySecret`.
        reason: What else it follows from, so that there can be more than one.
    """

    def __init__(self, service_id: str, credential: str, *reason: str) -> None:
        self.password = derive(credential, "\0".join((service_id, *reason)), "password", PASSWORD_LETTERS)

    @property
    def body(self) -> dict[str, str]:
        """The body of *Update service password*; the second hash is for clients that speak MySQL."""
        once = hashlib.sha1(self.password.encode(), usedforsecurity=False).digest()
        twice = hashlib.sha1(once, usedforsecurity=False).hexdigest()
        return {"newPasswordHash": hashed(self.password), "newDoubleSha1Hash": twice}
