"""The stage of the provisioning that a wait shows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.create.session import Session

from .validation import ByocProgress

INTERVALS = 6
"""Poll intervals between two requests for the progress: stages take minutes, and a wait polls every few seconds."""


class ProgressOfStages:
    """Returns the current stage in words, requested from time to time; an empty text if it is not known."""

    def __init__(self, session: Session, request: Callable[[], ByocProgress]) -> None:
        self._session, self._request = session, request
        self._due, self._words = session.runtime.monotonic(), ""

    def __call__(self) -> str:
        """Return the stage."""
        now = self._session.runtime.monotonic()
        if now >= self._due:
            interval = float(self._session.config.poll_interval_seconds)
            self._due = now + INTERVALS * interval
            with suppress(CloudDBError), polling(interval):
                self._words = self._request().words
        return self._words
