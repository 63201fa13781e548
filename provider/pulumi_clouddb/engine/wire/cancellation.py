"""Waits that show what they wait for, and that Cancel, customTimeouts and the death of the engine end.

Each operation notes, in its thread, what may end it. Cancel ends those that are under way; those that begin later are
left alone, since the engine also sends Cancel when everything went well. The end of this process ends all of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pulumi_clouddb.client.errors import CancelledError
from pulumi_clouddb.client.runtime import Runtime

SHOWN_SECONDS, SHOWN_SHARE = 1.0, 0.2
"""An operation shows something new at most this often, and not before it takes that share longer than it did then.

Where Pulumi's display is no terminal, each of them is a line of a build's log: some 40 for an hour.
"""

GRACE_SECONDS = 4
"""How long calls under way may take to end; the engine kills a plugin 5 seconds after it asked it to end."""

AT_ONCE_SECONDS = 1.0
"""The engine ends a plugin sooner than that after its last Cancel."""


class _Mine(threading.local):
    """What holds for the operation of a thread, and without one."""

    urn = ""
    began = 0.0
    shown_at: float | None = None
    limit: float | None = None
    deadline: float | None = None
    cancelled: threading.Event | None = None


class Cancellation(Runtime):
    """The operations of one process, and what ends their waits.

    Args:
        show: Shows on a resource, by its URN, what is waited for.

    Attributes:
        ended: Why no operation waits any more; empty as long as they do.
    """

    def __init__(self, show: Callable[[str, str], None] = lambda _urn, _message: None) -> None:
        super().__init__()
        self._show = show
        self.ended = ""
        self._cut_off = False
        self._cancels: list[float] = []
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._mine = _Mine()
        self._under_way = 0

    @contextmanager
    def operation(self, timeout: float = 0.0, urn: str = "") -> Iterator[None]:
        """Mark what this thread does as one operation on a resource, of at most `timeout` seconds; 0 sets no limit."""
        with self._lock:
            self._mine.cancelled = self._cancelled
            self._under_way += 1
        self._mine.urn, self._mine.began, self._mine.shown_at = urn, time.monotonic(), None
        self._mine.limit = timeout if timeout > 0 else None
        self._mine.deadline = time.monotonic() + timeout if timeout > 0 else None
        try:
            yield
        finally:
            if self._mine.shown_at is not None:
                self._show(urn, "")  # or it would stay there
            self._mine.__dict__.clear()
            with self._lock:
                self._under_way -= 1

    def progress(self, message: str) -> None:
        """Show what this thread's operation waits for, on its resource; not more often than a person reads it."""
        urn, shown_at, now = self._mine.urn, self._mine.shown_at, time.monotonic()
        if not urn:
            return
        if shown_at is None or now - shown_at >= max(SHOWN_SECONDS, SHOWN_SHARE * (shown_at - self._mine.began)):
            self._mine.shown_at = now
            self._show(urn, message)

    @property
    def in_order(self) -> bool:
        """Whether this process ends now because its run is over, and nobody has interrupted that.

        Pulumi's engine sends Cancel right before it ends a plugin (since 3.231, pulumi: host/host.go), and once more
        when somebody interrupts the run (deploy/deployment_executor.go). What it has heard then it may never write.
        """
        with self._lock:
            once = len(self._cancels) == 1 and time.monotonic() - self._cancels[0] < AT_ONCE_SECONDS
            return once and self._under_way == 0 and not self._cut_off and not self.ended

    def cancel(self) -> None:
        """End the waits of the operations under way, of which the call that asks for it is none."""
        with self._lock:
            asking = 0 if self._mine.cancelled is None else 1
            self._cut_off = self._cut_off or self._under_way > asking
            self._cancels.append(time.monotonic())
            ended, self._cancelled = self._cancelled, threading.Event()
        ended.set()

    def end(self, reason: str) -> None:
        """End all waits, also those of operations that begin later."""
        self.ended = reason
        self.cancel()

    def minutes(self) -> float | None:
        """Return how long this thread's operation may take."""
        return None if self._mine.limit is None else self._mine.limit / 60

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds.

        Raises:
            CancelledError: The operation was cancelled, or its time is over.
        """
        deadline, cancelled = self._mine.deadline, self._mine.cancelled or self._cancelled
        left = seconds if deadline is None else min(seconds, deadline - time.monotonic())
        if not self.ended:
            cancelled.wait(max(0.0, left))
        self.check()

    def check(self) -> None:
        """Return if this thread's operation may go on.

        Raises:
            CancelledError: The operation was cancelled, or its time is over.
        """
        deadline, cancelled = self._mine.deadline, self._mine.cancelled or self._cancelled
        if self.ended or cancelled.is_set():
            raise CancelledError(self.ended or "the operation was cancelled")
        if deadline is not None and time.monotonic() >= deadline:
            raise CancelledError(f"the {self._mine.limit:g} seconds of customTimeouts are over")
