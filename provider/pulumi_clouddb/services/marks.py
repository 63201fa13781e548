"""What this provider makes itself for a service: the tag that marks what it has created, and its password."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress

from pulumi_clouddb.client.marks import derive, hashed, second_of
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.values import WireDict, WireValues

from .parts import CREATE_TAG, MAX_TAGS

PASSWORD_LETTERS = 32


class TagMark:
    """A tag on a service.

    Args:
        nonce: The nonce of the pending create.
    """

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with one more tag, within what *Create service* takes."""
        tag = {"key": CREATE_TAG, "value": self._nonce}
        return {**body, "tags": [*body.get("tags", ())[: MAX_TAGS - 1], tag]}

    def is_on(self, record: Record) -> bool:
        """Return whether a service carries the tag."""
        return self._nonce in _tagged(record)


def tagged_second(record: Record) -> int | None:
    """Return the second in the tag of a service, or None where it carries none."""
    for nonce in _tagged(record):
        with suppress(ValueError):
            return second_of(nonce)
    return None


def _tagged(record: Record) -> Iterator[str]:
    """Yield the nonces in the tags of a service; servers may answer more of a tag than its key and its value."""
    tags = record.answer.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, Mapping) and tag.get("key") == CREATE_TAG:
            yield str(tag.get("value"))


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
