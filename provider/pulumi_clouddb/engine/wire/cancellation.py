"""Waits that report progress, and that end with Cancel, customTimeouts or the engine.

Cancel ends current operations but not later ones, since the engine also sends it after a normal run. The end of this
process ends all operations.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pulumi_clouddb.client.errors import CancelledError
from pulumi_clouddb.client.runtime import Runtime

SHOWN_SECONDS, SHOWN_SHARE = 1.0, 0.2
"""The shortest time between two progress messages, and its share of the time since the operation began.

In the log of a build, each message is a line: about 40 in an hour.
"""

GRACE_SECONDS = 4
"""The time for current operations to end; the engine kills a plugin 5 seconds after its request to end."""

AT_ONCE_SECONDS = 1.0
"""The engine ends a plugin within this time after its last Cancel."""


class _Operation(threading.local):
    """The operation of the current thread, or the defaults without one."""

    urn = ""
    began = 0.0
    shown_at: float | None = None
    limit: float | None = None
    deadline: float | None = None
    cancelled: threading.Event | None = None


class Cancellation(Runtime):
    """The operations of a process.

    Args:
        show: Shows a progress message on a resource, by its URN.

    Attributes:
        ended: Why all waits have ended; empty if they have not.
    """

    def __init__(self, show: Callable[[str, str], None] = lambda _urn, _message: None) -> None:
        super().__init__()
        self._show = show
        self.ended = ""
        self._cut_off = False
        self._cancels: list[float] = []
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._current = _Operation()
        self._under_way = 0

    @contextmanager
    def operation(self, timeout: float = 0.0, urn: str = "") -> Iterator[None]:
        """Make the block an operation on a resource, of at most `timeout` seconds; 0 sets no limit."""
        with self._lock:
            self._current.cancelled = self._cancelled
            self._under_way += 1
        self._current.urn, self._current.began, self._current.shown_at = urn, time.monotonic(), None
        self._current.limit = timeout if timeout > 0 else None
        self._current.deadline = time.monotonic() + timeout if timeout > 0 else None
        try:
            yield
        finally:
            if self._current.shown_at is not None:
                self._show(urn, "")  # remove the message
            self._current.__dict__.clear()
            with self._lock:
                self._under_way -= 1

    def progress(self, message: str) -> None:
        """Show a progress message on the resource of the operation, unless the last one is too recent."""
        urn, shown_at, now = self._current.urn, self._current.shown_at, time.monotonic()
        if not urn:
            return
        if shown_at is None or now - shown_at >= max(SHOWN_SECONDS, SHOWN_SHARE * (shown_at - self._current.began)):
            self._current.shown_at = now
            self._show(urn, message)

    @property
    def in_order(self) -> bool:
        """Whether this process ends now after a normal run.

        Pulumi's engine sends Cancel right before it ends a plugin (since 3.231, pulumi: host/host.go), and also when a
        person interrupts the run (deploy/deployment_executor.go). After that it may not write responses to state.
        """
        with self._lock:
            once = len(self._cancels) == 1 and time.monotonic() - self._cancels[0] < AT_ONCE_SECONDS
            return once and self._under_way == 0 and not self._cut_off and not self.ended

    def cancel(self) -> None:
        """End the waits of the current operations, except that of the Cancel call itself."""
        with self._lock:
            own = 0 if self._current.cancelled is None else 1
            self._cut_off = self._cut_off or self._under_way > own
            self._cancels.append(time.monotonic())
            ended, self._cancelled = self._cancelled, threading.Event()
        ended.set()

    def end(self, reason: str) -> None:
        """End all waits, also of later operations."""
        self.ended = reason
        self.cancel()

    def minutes(self) -> float | None:
        """Return the time limit of the operation."""
        return None if self._current.limit is None else self._current.limit / 60

    def sleep(self, seconds: float) -> None:
        """Wait.

        Raises:
            CancelledError: The operation was cancelled, or its time limit has passed.
        """
        deadline, cancelled = self._current.deadline, self._current.cancelled or self._cancelled
        left = seconds if deadline is None else min(seconds, deadline - time.monotonic())
        if not self.ended:
            cancelled.wait(max(0.0, left))
        self.check()

    def check(self) -> None:
        """Return if the operation may continue.

        Raises:
            CancelledError: The operation was cancelled, or its time limit has passed.
        """
        deadline, cancelled = self._current.deadline, self._current.cancelled or self._cancelled
        if self.ended or cancelled.is_set():
            raise CancelledError(self.ended or "the operation was cancelled")
        if deadline is not None and time.monotonic() >= deadline:
            raise CancelledError(f"the {self._current.limit:g} seconds of customTimeouts have passed")
