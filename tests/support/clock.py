"""A clock that tests advance without waiting."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from clouddb_tools.sandbox import Clock
from pulumi_clouddb.client.runtime import Runtime


class FakeClock:
    """A clock whose sleeps return at once and are recorded; `time.monotonic` advances by each of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.slept: list[float] = []
        self._ahead = 0.0
        real = time.monotonic

        def monotonic() -> float:
            return real() + self._ahead

        patch.setattr(time, "monotonic", monotonic)
        patch.setattr(Runtime, "monotonic", staticmethod(monotonic))

    def sleep(self, seconds: float) -> None:
        """Advance the clock by `seconds`."""
        self.slept.append(seconds)
        self._ahead += seconds

    @property
    def total(self) -> float:
        """Seconds slept in all."""
        return sum(self.slept)


class HoldingClock(Clock):
    """A sandbox's clock with which the fault `delay` holds responses until `release` is called, whatever its `wait`.

    Attributes:
        held: Number of responses that have been held.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held = 0
        self._released = threading.Event()

    async def sleep(self, seconds: float) -> None:
        """Hold a response."""
        self.held += 1
        while not self._released.is_set():
            await asyncio.sleep(0.01)

    def release(self) -> None:
        """Send all held responses, and hold no later ones."""
        self._released.set()
