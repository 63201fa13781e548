"""A clock that tests advance without waiting."""

from __future__ import annotations

import time

import pytest

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
