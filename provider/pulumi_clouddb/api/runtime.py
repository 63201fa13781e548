"""Time and waiting: the process's own, or those of whoever runs the package in its own time.

Everything below the front ends that reads a clock, sleeps or waits for another thread does so here, so that a wait can
be cancelled, and so that a simulation can run whole lives without a thread, a socket or a second of real time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Runtime:
    """The clocks and waits of this process.

    Args:
        sleep: Waits that many seconds; it may raise to end the wait.
    """

    def __init__(self, sleep: Callable[[float], None] | None = None) -> None:
        self._sleep = sleep

    def time(self) -> float:
        """Return the time of this machine in seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody sets."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds.

        Raises:
            Exception: Whatever ends the wait from outside.
        """
        (self._sleep or time.sleep)(seconds)

    def wait(self, event: threading.Event) -> None:
        """Wait until another thread sets `event`."""
        event.wait()
