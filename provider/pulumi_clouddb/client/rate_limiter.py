"""Pacing: requests wait to stay under the servers' published limits, before a server refuses them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT

from .operation import ServerKind
from .runtime import SHOWN_AFTER_SECONDS, Runtime
from .turns import Turn, Turns, Waiter

MARGIN_SECONDS = 0.5
"""Seconds added to each window: requests do not arrive exactly as far apart as they were sent."""

SPACING_SECONDS = 1.0
"""Seconds between two requests of a shared list: many callers that start together share the second one."""

PATIENCE_SECONDS = 10.0
"""For this many seconds, a poll gives way to all requests that begin to wait after it."""

LIMIT_REACHED = "the server reported that its request limit is reached"
"""Why a request waits after 429."""

LIMITS: dict[ServerKind, tuple[int, float]] = {
    ServerKind.MANAGEMENT: MANAGEMENT_LIMIT,
    ServerKind.SELF_HOSTED: SELF_HOSTED_LIMIT,
}
"""The limit of each API per key: a number of requests, and the seconds of the window."""

_poll: ContextVar[float] = ContextVar("poll", default=0.0)

sent_at: ContextVar[float | None] = ContextVar("sent_at", default=None)
"""When the first request was sent since this was set to None, by this operation or for it by another process."""


@contextmanager
def polling(seconds: float) -> Iterator[None]:
    """Let the requests of this block give way to others; all processes together send one in this many seconds."""
    token = _poll.set(seconds)
    try:
        yield
    finally:
        _poll.reset(token)


class LimitedError(Exception):
    """The server accepts no request for longer than this one may wait.

    Attributes:
        seconds: Seconds until it does again.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


class RateLimiter:
    """Paces requests to one API with one key, for all threads of the process, and all processes with its folder.

    Args:
        server_kind: The API.
        enabled: Whether requests wait for their turn; they always wait while the server's limit is reached.
        runtime: Clocks and waits of this process.
        key: Digest of the server's address and the credentials.
        folder: The folder that the processes share; None for a process by itself.
    """

    def __init__(
        self,
        server_kind: ServerKind,
        *,
        enabled: bool,
        runtime: Runtime | None = None,
        key: str = "",
        folder: Path | None = None,
    ) -> None:
        requests, seconds = LIMITS[server_kind]
        self._words = f"{requests} requests in {seconds:g} seconds"
        self._runtime = runtime or Runtime()
        self._enabled = enabled
        self._shares = enabled and folder is not None
        self._written = 0
        clock = self._runtime.monotonic
        if enabled:
            self._turns = Turns(key, requests, seconds + MARGIN_SECONDS, clock, folder)
        else:
            self._turns = Turns(key, sys.maxsize, 0.0, clock, None)

    def acquire(self, shared_list: str | None = None, *, retry_seconds: float = math.inf) -> Turn:
        """Wait until one more request may be sent, or another process has the result.

        Args:
            shared_list: Digest of the list that is requested, if other processes may use its result.
            retry_seconds: How long to wait after the server has refused a request of this key.

        Raises:
            LimitedError: That time would not be enough.
        """
        asked = self._runtime.monotonic()
        due = asked + PATIENCE_SECONDS if _poll.get() else asked
        spacing = max(_poll.get(), SPACING_SECONDS)
        waiter = Waiter(due, shared_list if self._shares else None, spacing, _poll.get(), self._written)
        try:
            while not isinstance(found := self._turns.look(waiter), Turn):
                if found.refused and self._runtime.monotonic() - asked + found.seconds > retry_seconds:
                    raise LimitedError(found.seconds)
                if found.closed:
                    self._runtime.progress(f"waiting {found.seconds:.0f} s: {LIMIT_REACHED}")
                elif self._runtime.monotonic() - asked > SHOWN_AFTER_SECONDS:
                    self._runtime.progress(f"waiting for its turn: the server accepts {self._words} per key")
                self._runtime.sleep(found.seconds)
        except BaseException:
            self._turns.leave(waiter)
            raise
        if sent_at.get() is None:
            sent_at.set(found.at)
        return found

    def answered(self, turn: Turn, answer: str | None, *, served: bool) -> None:
        """Record that a request has ended, and whether it was within the server's limit (`served`).

        The result of a shared list is stored for other processes.
        """
        if self._enabled:
            self._turns.answered(turn, answer, served=served)

    def wrote(self) -> None:
        """Record that something may have changed on the server: earlier results of others are not used."""
        if self._shares:
            self._written = self._turns.last()

    def block_for(self, seconds: float, *, refused: bool = True) -> None:
        """Send nothing for `seconds`: the server returned 429, or if `refused` is not set, no remaining requests."""
        self._turns.close(seconds, refused=refused)
