"""The published request limits of the vendor's servers."""

from __future__ import annotations

from typing import Final, NamedTuple


class RateLimit(NamedTuple):
    """So many requests in so many seconds.

    Attributes:
        requests: Requests that one key or token may make in a window.
        seconds: The length of the window.
    """

    requests: int
    seconds: float


MANAGEMENT: Final = RateLimit(10, 10.0)
SELF_HOSTED: Final = RateLimit(100, 60.0)
