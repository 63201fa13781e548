"""Ids and credentials that the sandbox makes up, in the shapes of the vendor's servers."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import string
import uuid
from collections.abc import Callable

_LETTERS = string.ascii_letters + string.digits
"""Nothing in it needs quoting on a command line."""

TWELVE = 12
"""Bytes of an ObjectId."""


class Ids:
    """Makes ids and credentials.

    Args:
        now: Returns the time in seconds since 1970; an ObjectId begins with it.
        source: Where randomness comes from; one with a seed makes the same ids again.
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

        It holds four bytes of seconds, five random bytes of the process and a counter of three bytes, as the BSON
        specification says (https://bsonspec.org). Held by `test_observability_ids_tell_when_they_were_made`.
        """
        self._counter = (self._counter + 1) % 2**24
        return f"{int(self._now()) % 2**32:08x}{self._process:010x}{self._counter:06x}"

    def text(self, length: int) -> str:
        """Return letters and digits to use as a credential."""
        return "".join(self.source.choices(_LETTERS, k=length))


def is_object_id(text: str) -> bool:
    """Return whether a text is an id as the observability servers take it: 24 digits, or twelve characters of ASCII."""
    return re.fullmatch("[0-9a-fA-F]{24}", text) is not None or (len(text) == TWELVE and text.isascii())


def digest(text: str) -> str:
    """Return the hash of a credential as the vendor's servers are sent it: base64 of its SHA-256."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
