"""Pacing: requests are held back to stay under the servers' published limits, before a server has to refuse them."""

from __future__ import annotations

import threading

from pyrate_limiter import Limiter, Rate

from pulumi_clouddb.schema.rate_limits import MANAGEMENT, SELF_HOSTED

from .operation import ServerKind
from .runtime import SHOWN_AFTER_SECONDS, Runtime

MARGIN_SECONDS = 0.5
"""Added to each window: requests do not arrive exactly as far apart as they were sent."""

TURN_SECONDS = 0.05
"""Between two asks for a turn."""

LIMIT_REACHED = "the server said that its limit of requests is reached"
"""Why a request waits after 429."""

LIMITS: dict[ServerKind, tuple[int, float]] = {ServerKind.MANAGEMENT: MANAGEMENT, ServerKind.SELF_HOSTED: SELF_HOSTED}
"""Requests, and the seconds of the window, per key."""


class RateLimiter:
    """Holds back requests to one API with one key; shared by all threads of the process."""

    def __init__(self, server_kind: ServerKind, *, enabled: bool, runtime: Runtime | None = None) -> None:
        requests, seconds = LIMITS[server_kind]
        self._limiter = Limiter(Rate(requests, int((seconds + MARGIN_SECONDS) * 1000))) if enabled else None
        self._words = f"{requests} requests in {seconds:g} seconds"
        self._runtime = runtime or Runtime()
        self._lock = threading.Lock()
        self._closed_until = 0.0

    def acquire(self) -> None:
        """Return as soon as one more request may go out."""
        asked = self._runtime.monotonic()
        while True:
            while (closed_for := self._closed_for()) > 0:
                self._runtime.progress(f"waiting {closed_for:.0f} s: {LIMIT_REACHED}")
                self._runtime.sleep(closed_for)
            while self._limiter and not self._limiter.try_acquire("request", blocking=False):
                if self._runtime.monotonic() - asked > SHOWN_AFTER_SECONDS:
                    self._runtime.progress(f"waiting for its turn: the server takes {self._words} per key")
                self._runtime.sleep(TURN_SECONDS)
            # The gate may have closed while the turn was waited for; the turn is given up then, lest all those who
            # wait rush out together when it opens.
            if self._closed_for() <= 0:
                return

    def _closed_for(self) -> float:
        with self._lock:
            return self._closed_until - self._runtime.monotonic()

    def block_for(self, seconds: float) -> None:
        """Let nothing out for `seconds`: the server said that the limit is reached."""
        with self._lock:
            self._closed_until = max(self._closed_until, self._runtime.monotonic() + seconds)
