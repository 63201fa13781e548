"""Ids and credentials in the formats of the vendor's servers."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import string
import uuid
from collections.abc import Callable

_LETTERS = string.ascii_letters + string.digits
"""None of these needs quoting on a command line."""


class Ids:
    """Generates ids and credentials.

    Args:
        now: Returns the time in seconds since 1970; an ObjectId begins with it.
        source: Source of randomness; a seeded one makes the ids reproducible.
    """

    def __init__(self, now: Callable[[], float], source: random.Random | None = None) -> None:
        self._now = now
        self.source = source or random.SystemRandom()
        self._process = self.source.getrandbits(40)
        self._counter = self.source.getrandbits(24)

    def uuid(self) -> str:
        """Return a random UUID."""
        return str(uuid.UUID(int=self.source.getrandbits(128), version=4))

    def object_id(self) -> str:
        """Return an id of the observability API: a MongoDB ObjectId in 24 hexadecimal digits.

        It consists of four bytes of seconds, five random bytes per process and a counter of three bytes
        (https://bsonspec.org). Held by `test_observability_ids_tell_when_they_were_made`.
        """
        self._counter = (self._counter + 1) % 2**24
        return f"{int(self._now()) % 2**32:08x}{self._process:010x}{self._counter:06x}"

    def text(self, length: int) -> str:
        """Return random letters and digits for a credential."""
        return "".join(self.source.choices(_LETTERS, k=length))


def is_object_id(text: str) -> bool:
    """Return whether the observability servers accept a text as an id: 24 hexadecimal digits, or 12 bytes."""
    return re.fullmatch("[0-9a-fA-F]{24}", text) is not None or (len(text) == 12 and text.isascii())


def digest(text: str) -> str:
    """Return the hash of a credential as the vendor's API transmits it: base64 of its SHA-256."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
