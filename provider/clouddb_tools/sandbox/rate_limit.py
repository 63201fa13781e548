"""The request limits of the vendor's servers, counted in fixed windows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT


@dataclass(frozen=True)
class Usage:
    """The rate limit of one caller after a request.

    Attributes:
        allowed: Whether the request is within the limit.
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
        """The headers that the self-hosted server adds to every response."""
        named = {"Limit": self.limit, "Remaining": self.remaining, "Reset": self.reset}
        return {f"RateLimit-{name}": str(value) for name, value in named.items()}


class Window:
    """Counts the requests of each caller in fixed windows, which begin with the caller's first request."""

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


def windows() -> Mapping[ServerKind, Window]:
    """Return the windows of both servers, with no request counted."""
    return {
        ServerKind.MANAGEMENT: Window(*MANAGEMENT_LIMIT),
        ServerKind.SELF_HOSTED: Window(*SELF_HOSTED_LIMIT),
    }
