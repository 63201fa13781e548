"""Waits that Cancel and customTimeouts end.

Each operation notes, in its thread, what may end it. Cancel ends those that are under way; those that begin later are
left alone, since the engine also sends Cancel when everything went well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pulumi_clouddb.resources.session import Interrupted


class Waits:
    """The waits of all operations of one provider."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._mine = threading.local()

    @contextmanager
    def operation(self, timeout: float) -> Iterator[None]:
        """Mark what this thread does as one operation of at most `timeout` seconds; 0 sets no limit."""
        with self._lock:
            self._mine.cancelled = self._cancelled
        self._mine.limit = timeout if timeout > 0 else None
        self._mine.deadline = time.monotonic() + timeout if timeout > 0 else None
        try:
            yield
        finally:
            self._mine.__dict__.clear()

    def cancel(self) -> None:
        """End the waits of the operations under way."""
        with self._lock:
            ended, self._cancelled = self._cancelled, threading.Event()
        ended.set()

    def minutes(self) -> float | None:
        """Return how long this thread's operation may take."""
        limit: float | None = getattr(self._mine, "limit", None)
        return None if limit is None else limit / 60

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds.

        Raises:
            Interrupted: The operation was cancelled, or its time is over.
        """
        deadline: float | None = getattr(self._mine, "deadline", None)
        cancelled: threading.Event = getattr(self._mine, "cancelled", self._cancelled)
        left = seconds if deadline is None else min(seconds, deadline - time.monotonic())
        if cancelled.wait(max(0.0, left)):
            raise Interrupted("the operation was cancelled")
        if deadline is not None and time.monotonic() >= deadline:
            raise Interrupted(f"the {self._mine.limit:g} seconds of customTimeouts are over")
