"""Marks: a create adds one to its request, so that its object differs from all others, however alike.

A service carries a tag. A key has an id and a secret that are generated here, and the server receives only their
hashes. Both follow from the nonce of the create, so that a later run can recognize and use the object. The nonce
follows from the stack, the resource and the second of the request, so that another machine needs no record.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import string
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Protocol

from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS
from pulumi_clouddb.schema.values import WireDict, WireValues

LETTERS = string.ascii_letters + string.digits

NONCE_LETTERS, SECOND_LETTERS = 32, 8
"""A nonce is hexadecimal and begins with the second of the request."""


def nonce_of(stack: str, urn: str, generation: str, second: int) -> str:
    """Return the nonce of a create that was sent in a certain second.

    Args:
        stack: Identity of the stack's state, the same on every machine.
        urn: The resource that is created.
        generation: What distinguishes its object from the one that it replaces; may be empty.
        second: When its request was first sent, by the server's clock, in seconds since 1970.
    """
    digest = hashlib.sha256(f"{stack}\0{urn}\0{generation}\0{second}".encode()).hexdigest()
    return f"{second:0{SECOND_LETTERS}x}{digest}"[:NONCE_LETTERS]


def second_of(nonce: str) -> int:
    """Return the second in a nonce.

    Raises:
        ValueError: It is not a nonce.
    """
    return int(nonce[:SECOND_LETTERS], 16)


class Mark(Protocol):
    """The mark of one create."""

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with the mark in it."""

    def is_on(self, record: Record) -> bool:
        """Return whether a listed object carries the mark."""


class TagMark:
    """A tag on a service.

    Args:
        nonce: The nonce of the pending create.
    """

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with one more tag, within the maximum of *Create service*."""
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
    """Yield the nonces in the tags of a service; servers may return more of a tag than its key and its value."""
    tags = record.answer.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, Mapping) and tag.get("key") == CREATE_TAG:
            yield str(tag.get("value"))


def derive(credential: str, nonce: str, action: str, length: int) -> str:
    """Return letters and digits derived from a credential and a nonce (HMAC-SHA-512, as in HKDF-Expand)."""
    text = ""
    block = 0
    while len(text) < length:
        block += 1
        data = hmac.digest(credential.encode(), f"{nonce}\0{action}\0{block}".encode(), "sha512")
        # A byte beyond the last whole multiple of 62 would make the first letters likelier than the others.
        text += "".join(LETTERS[byte % len(LETTERS)] for byte in data if byte < 256 - 256 % len(LETTERS))
    return text[:length]


def hashed(value: str) -> str:
    """Return the SHA-256 digest of a text in base64, which the API accepts in place of the text."""
    return base64.b64encode(hashlib.sha256(value.encode()).digest()).decode()
