"""Faults: what goes wrong on purpose, per operation, so many times or for so long."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from pulumi_clouddb.api.operations import OPERATIONS

ANY = "*"


class FaultKind(str, Enum):
    """What can go wrong."""

    DELAY = "delay"
    """The answer waits; combines with any other fault. Detail: `wait`, seconds."""
    REFUSE = "refuse"
    """The connection is reset before anything is done."""
    STATUS = "status"
    """An error is answered before anything is done. Details: `status`, `text`."""
    RATE_LIMIT = "rate_limit"
    """429 before anything is done. Detail: `reset`, seconds until it may be tried again."""
    HTML = "html"
    """A page instead of JSON, before anything is done. Detail: `status`: 404 is a missing route, others a gateway's."""
    NOT_FOUND = "not_found"
    """404 in the surface's own form, before anything is done."""
    LOSE = "lose"
    """Everything is done, then the connection is reset instead of an answer."""
    COMMIT_THEN_STATUS = "commit_then_status"
    """Everything is done, then an error is answered. Details: `status`, `text`."""
    BROKEN_JSON = "broken_json"
    """Everything is done, then the answer breaks off in the middle."""
    MALFORMED = "malformed"
    """Everything is done, then the answer is JSON without the object in it."""
    FAILED = "failed"
    """The service that is created ends in state `failed`."""


BEFORE = (FaultKind.REFUSE, FaultKind.STATUS, FaultKind.RATE_LIMIT, FaultKind.HTML, FaultKind.NOT_FOUND)
"""Faults in place of doing anything."""
AFTER = (FaultKind.LOSE, FaultKind.COMMIT_THEN_STATUS, FaultKind.BROKEN_JSON, FaultKind.MALFORMED)
"""Faults of an answer to what was done."""


@dataclass
class Fault:
    """One fault that waits to happen.

    Attributes:
        operation: Name of the operation, or `*` for all.
        kind: What goes wrong.
        times: How often it still happens; None for as often as asked.
        until: Moment it ends, in seconds since 1970; None for never.
        wait: Seconds to wait, for `delay`.
        status: HTTP status, for the kinds that answer one.
        text: Words of the error, for the kinds that answer one.
        reset: Seconds until it may be tried again, for `rate_limit`.
    """

    operation: str
    kind: FaultKind
    times: int | None = 1
    until: float | None = None
    wait: float = 0.0
    status: int | None = None
    text: str = "a fault of the sandbox"
    reset: float = 1.0

    def __post_init__(self) -> None:
        self.kind = FaultKind(self.kind)
        if self.operation != ANY and self.operation not in OPERATIONS:
            raise ValueError(f"no operation is called {self.operation!r}; known are {', '.join(OPERATIONS)} and *")
        if self.kind is FaultKind.FAILED and self.operation not in ("create_service", ANY):
            raise ValueError("only a service that is created can fail: give create_service")
        if self.kind is FaultKind.DELAY and self.wait <= 0:
            raise ValueError("a delay needs `wait`, the seconds to wait")


class Faults:
    """All faults that wait to happen, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Let something go wrong."""
        self._waiting.append(fault)

    def clear(self) -> None:
        """Let nothing go wrong any more."""
        self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        """Return all waiting faults as JSON objects."""
        return [asdict(fault) for fault in self._waiting]

    def take(self, operation: str, kinds: Collection[FaultKind], now: float) -> Fault | None:
        """Return the oldest fault of these kinds that concerns the operation, and count it."""
        self._waiting = [fault for fault in self._waiting if fault.until is None or fault.until > now]
        for fault in self._waiting:
            if fault.kind in kinds and fault.operation in (operation, ANY):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                return fault
        return None
