"""Clocks and waits: those of the process, or of a simulation.

Everything below the front ends uses these clocks and waits, so that a wait can be cancelled, and a simulation can run
without threads, sockets and real time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent import futures
from typing import TypeVar

ResultT = TypeVar("ResultT")

CHECK_SECONDS = 0.25
"""Seconds between two checks for Cancel in a wait that is not a sleep: Cancel ends it within a second."""

SHOWN_AFTER_SECONDS = 1.0
"""Seconds after which a wait shows its reason."""


class Runtime:
    """The clocks and waits of this process.

    Args:
        sleep: Waits that many seconds; it may raise to end the wait.
    """

    monotonic = staticmethod(time.monotonic)
    """Returns the seconds of a clock that is never set."""
    time = staticmethod(time.time)
    """Returns the time of this machine in seconds since 1970."""

    def __init__(self, sleep: Callable[[float], None] | None = None) -> None:
        self._sleep = sleep

    def sleep(self, seconds: float) -> None:
        """Wait that many seconds.

        Raises:
            CloudDBError: The operation of this thread was cancelled.
        """
        (self._sleep or time.sleep)(seconds)

    def check(self) -> None:
        """Raise if the operation of this thread was cancelled.

        Raises:
            CloudDBError: The operation was cancelled, or its time is over.
        """

    def within(self, seconds: float, call: Callable[[], ResultT]) -> ResultT | None:
        """Return the result of `call`, or raise its error; None if it takes longer, and ends in the background."""
        outcome: futures.Future[ResultT] = futures.Future()

        def run() -> None:
            try:
                outcome.set_result(call())
            except BaseException as error:  # noqa: BLE001 (raised where the outcome is waited for)
                outcome.set_exception(error)

        threading.Thread(target=run, name="clouddb-within", daemon=True).start()
        return outcome.result() if futures.wait([outcome], seconds).done else None

    def progress(self, message: str) -> None:
        """Show the reason of the current wait, in place of the last one; this runtime shows nothing."""

    def wait(self, event: threading.Event, message: str) -> None:
        """Wait until another thread sets `event`; a longer wait shows `message` as its reason.

        Raises:
            CloudDBError: The operation of this thread was cancelled.
        """
        started = self.monotonic()
        while not event.wait(CHECK_SECONDS):
            self.check()
            if self.monotonic() - started > SHOWN_AFTER_SECONDS:
                self.progress(message)
