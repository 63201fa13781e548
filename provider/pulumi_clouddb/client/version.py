"""The version of an object: a server that returns it refuses an update of another one, so that no edit is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OUTDATED = (409, 412)
"""The statuses of the refusal of another version: that of the vendor's servers, and that of RFC 9110."""


@dataclass
class Version:
    """The version of one object.

    Attributes:
        tag: The ETag that an update sends as If-Match, and that a read sets; empty without one. A weak one counts as
            none: If-Match must not contain it (RFC 9110, section 13.1.1), and express adds one to every response.
    """

    tag: str = ""

    def read(self, headers: Mapping[str, str]) -> None:
        """Take the version from the headers of a response."""
        tag = headers.get("etag", "")
        self.tag = "" if tag.startswith("W/") else tag


NO_VERSION = Version(f'"{2**53 - 1}"')
"""A version that no object has.

A server that compares versions refuses it and changes nothing; one that does not ignores it. So an update shows which
of them it is without another request.
"""
