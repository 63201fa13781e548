"""Pacing: requests wait to stay under the servers' published limits, before a server refuses them."""

from __future__ import annotations

import threading

from pyrate_limiter import Limiter, Rate

from pulumi_clouddb.schema.rate_limits import MANAGEMENT, SELF_HOSTED

from .operation import ServerKind
from .runtime import SHOWN_AFTER_SECONDS, Runtime

MARGIN_SECONDS = 0.5
"""Seconds added to each window: requests do not arrive exactly as far apart as they were sent."""

TURN_SECONDS = 0.05
"""Seconds between two attempts to get a turn."""

LIMIT_REACHED = "the server said that its limit of requests is reached"
"""Why a request waits after 429."""

LIMITS: dict[ServerKind, tuple[int, float]] = {ServerKind.MANAGEMENT: MANAGEMENT, ServerKind.SELF_HOSTED: SELF_HOSTED}
"""Requests, and the seconds of the window, per key."""


class RateLimiter:
    """Paces requests to one API with one key; shared by all threads of the process."""

    def __init__(self, server_kind: ServerKind, *, enabled: bool, runtime: Runtime | None = None) -> None:
        requests, seconds = LIMITS[server_kind]
        self._limiter = Limiter(Rate(requests, int((seconds + MARGIN_SECONDS) * 1000))) if enabled else None
        self._words = f"{requests} requests in {seconds:g} seconds"
        self._runtime = runtime or Runtime()
        self._lock = threading.Lock()
        self._closed_until = 0.0

    def acquire(self) -> None:
        """Wait until one more request may be sent."""
        asked = self._runtime.monotonic()
        while True:
            while (closed_for := self._closed_for()) > 0:
                self._runtime.progress(f"waiting {closed_for:.0f} s: {LIMIT_REACHED}")
                self._runtime.sleep(closed_for)
            while self._limiter and not self._limiter.try_acquire("request", blocking=False):
                if self._runtime.monotonic() - asked > SHOWN_AFTER_SECONDS:
                    self._runtime.progress(f"waiting for its turn: the server takes {self._words} per key")
                self._runtime.sleep(TURN_SECONDS)
            # A 429 may have arrived during the wait for the turn. The turn is given up then: otherwise all who wait
            # would send at once when the limit is lifted.
            if self._closed_for() <= 0:
                return

    def _closed_for(self) -> float:
        with self._lock:
            return self._closed_until - self._runtime.monotonic()

    def block_for(self, seconds: float) -> None:
        """Send nothing for `seconds`: the server answered 429."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._runtime.monotonic() + seconds)
