"""The request limits of the vendor's servers, counted in fixed windows."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What one caller has left.

    Attributes:
        allowed: Whether this request is still within the limit.
        limit: Requests per window.
        remaining: Requests left in this window.
        reset: Seconds until the window ends.
    """

    allowed: bool
    limit: int
    remaining: int
    reset: int

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the self-hosted server puts on every response."""
        named = {"Limit": self.limit, "Remaining": self.remaining, "Reset": self.reset}
        return {f"RateLimit-{name}": str(value) for name, value in named.items()}


class Window:
    """Counts requests of each caller in windows that begin with the caller's first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self.limit = limit
        self.seconds = seconds
        self._callers: dict[str, tuple[float, int]] = {}

    def consume(self, caller: str, now: float) -> Usage:
        """Count one request of `caller`."""
        begun, count = self._callers.get(caller, (now, 0))
        if now >= begun + self.seconds:
            begun, count = now, 0
        self._callers[caller] = (begun, count + 1)
        reset = math.ceil(begun + self.seconds - now)
        return Usage(count < self.limit, self.limit, max(0, self.limit - count - 1), reset)
