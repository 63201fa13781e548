"""How long a write is repeated that the server refuses while it works on the object."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.client.errors import CONFLICT, FAILED_DEPENDENCY, LOCKED, TOO_EARLY, ApiError, ConfigError
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.create.session import Session

from .waits import Awaited, state_of

ONLY_LOCKS = frozenset({CONFLICT, FAILED_DEPENDENCY})
"""The statuses that are final if no server works on the object: 409 means that a name is taken."""


GRACE_SECONDS = 60.0
"""How long a write is repeated after 409 or 424 while the object does not show that the server works on it.

Not every operation shows in the state.
"""


def is_in(session: Session, awaited: Awaited[Any], states: Collection[str]) -> bool:
    """Return whether the shared list shows an object in one of these states."""
    interval = float(session.config.poll_interval_seconds)
    with suppress(ApiError, ConfigError), polling(interval):
        return state_of(awaited.listed(interval)) in states
    return False


@dataclass
class BusyRetry:
    """Decides whether to repeat the writes of one operation.

    Attributes:
        session: The session of the resource.
        minutes: The time for all of them.
        final: Statuses after which nothing is repeated.
        is_working: Returns whether the object shows that the server works on it.
    """

    session: Session
    minutes: float
    final: Collection[int] = ONLY_LOCKS
    is_working: Callable[[], bool] = lambda: False
    _deadline: float = field(init=False)
    _quiet_since: float | None = None

    def __post_init__(self) -> None:
        self._deadline = self.session.runtime.monotonic() + self.minutes * 60

    def __call__(self, error: ApiError) -> bool:
        """Return whether to send the write again."""
        now = self.session.runtime.monotonic()
        if now >= self._deadline or error.status in self.final:
            return False
        if error.status not in (LOCKED, TOO_EARLY):
            if self._quiet_since is None:
                self._quiet_since = now
            if self.is_working():
                self._quiet_since = now
            elif now >= self._quiet_since + GRACE_SECONDS:
                return False
        return True
