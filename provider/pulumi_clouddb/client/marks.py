"""Marks: what a create puts into its request, so that its object can be told from all others, however alike.

A service carries a tag; a key has an id and a secret that were made here, and of which the server gets the hashes only.
Both follow from the nonce of the create, so that a later run can tell, and use, what an interrupted one made. The nonce
itself follows from the stack, the resource and the second of the request: another machine needs no record to find it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import string
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.services.settings import CREATE_TAG, MAX_TAGS

LETTERS = string.ascii_letters + string.digits
KEY_ID_LETTERS, KEY_SECRET_LETTERS, SUFFIX_LETTERS = 20, 42, 4
"""As long as those that the vendor's servers make, and what they show of an id."""
PASSWORD_LETTERS = 32


NONCE_LETTERS, SECOND_LETTERS = 32, 8
"""A nonce is hexadecimal. It begins with the second of the request, of which tags show when it was."""


def nonce_of(stack: str, urn: str, generation: str, second: int) -> str:
    """Return the nonce of a create that was sent in a certain second.

    Args:
        stack: Identity of the stack's state, which is the same on every machine.
        urn: The resource that is created.
        generation: What tells its object from the one that it replaces; empty where nothing does.
        second: When its request was first sent, by the server's clock, in seconds since 1970.
    """
    digest = hashlib.sha256(f"{stack}\0{urn}\0{generation}\0{second}".encode()).hexdigest()
    return f"{second:0{SECOND_LETTERS}x}{digest}"[:NONCE_LETTERS]


def second_of(nonce: str) -> int:
    """Return the second in a nonce.

    Raises:
        ValueError: It is no nonce.
    """
    return int(nonce[:SECOND_LETTERS], 16)


class Mark(Protocol):
    """What one create puts into its request."""

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body of the request with the mark in it."""

    def is_on(self, record: Record) -> bool:
        """Tell whether a listed object carries the mark."""


class TagMark:
    """A tag on a service.

    Args:
        nonce: The nonce of the pending create.
    """

    def __init__(self, nonce: str) -> None:
        self._tag = {"key": CREATE_TAG, "value": nonce}

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with one more tag, within what *Create service* takes."""
        return {**body, "tags": [*body.get("tags", ())[: MAX_TAGS - 1], self._tag]}

    def is_on(self, record: Record) -> bool:
        """Tell whether a service carries the tag."""
        tags = record.answer.get("tags")
        return isinstance(tags, list) and self._tag in tags


def tagged_second(record: Record) -> int | None:
    """Return the second in the tag of a service, or None where it carries none."""
    tags = record.answer.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, Mapping) and tag.get("key") == CREATE_TAG:
            with suppress(ValueError):
                return second_of(str(tag.get("value")))
    return None


class KeyMark:
    """Id and secret of a key, made here and sent as hashes: a lost response loses neither.

    They are derived from the secret of the configured credentials and the nonce. Neither of the two is enough to know
    them, and the nonce alone is what rests on disk.

    Args:
        nonce: The nonce of the pending create.
        credential: The configured `clouddb:keySecret`.
    """

    def __init__(self, nonce: str, credential: str) -> None:
        self.key_id = _derive(credential, nonce, "key id", KEY_ID_LETTERS)
        self.key_secret = _derive(credential, nonce, "key secret", KEY_SECRET_LETTERS)

    @property
    def suffix(self) -> str:
        """What the server shows of the id."""
        return self.key_id[-SUFFIX_LETTERS:]

    def put_on(self, body: WireValues) -> WireDict:
        """Return the body with the hashes (`hashData` of *Create key*)."""
        hashes = {
            "keyIdHash": _hash(self.key_id),
            "keyIdSuffix": self.suffix,
            "keySecretHash": _hash(self.key_secret),
        }
        return {**body, "hashData": hashes}

    def is_on(self, record: Record) -> bool:
        """Tell whether a key shows the end of the id; one in 15 million others does by chance."""
        return record.answer.get("keySuffix") == self.suffix


class OwnPassword:
    """A service's password, made here and sent as hashes: who sets it twice, or late, sets the same one.

    It is derived from the secret of the configured credentials, which could set any password, and the service's id.

    Args:
        service_id: The service.
        credential: The configured `clouddb:keySecret`.
        reason: What else it follows from, so that there can be more than one.
    """

    def __init__(self, service_id: str, credential: str, *reason: str) -> None:
        self.password = _derive(credential, "\0".join((service_id, *reason)), "password", PASSWORD_LETTERS)

    @property
    def body(self) -> dict[str, str]:
        """The body of *Update service password*; the second hash is for clients that speak MySQL."""
        once = hashlib.sha1(self.password.encode(), usedforsecurity=False).digest()
        twice = hashlib.sha1(once, usedforsecurity=False).hexdigest()
        return {"newPasswordHash": _hash(self.password), "newDoubleSha1Hash": twice}


def _derive(credential: str, nonce: str, action: str, length: int) -> str:
    """Return letters and digits that follow from a credential and a nonce (HMAC-SHA-512, as in HKDF-Expand)."""
    text = ""
    block = 0
    while len(text) < length:
        block += 1
        data = hmac.digest(credential.encode(), f"{nonce}\0{action}\0{block}".encode(), "sha512")
        # A byte beyond the last whole multiple of 62 would make the first letters likelier than the others.
        text += "".join(LETTERS[byte % len(LETTERS)] for byte in data if byte < 256 - 256 % len(LETTERS))
    return text[:length]


def _hash(value: str) -> str:
    return base64.b64encode(hashlib.sha256(value.encode()).digest()).decode()
