"""Shared lists: one list request serves everybody who asks for the same collection, until something is written."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import ApiError
from .operation import Operation
from .runtime import Runtime

ListKey = tuple[Operation, str | None]
"""Which list: its operation, and the service it belongs to, where it belongs to one."""


@dataclass
class _Flight:
    """One list request: when it was sent, what it answered, and whether this process has created objects since."""

    started: float
    done: threading.Event = field(default_factory=threading.Event)
    records: object = None
    error: BaseException | None = None
    outdated: bool = False


class ListCache:
    """Lists collections for many callers at a time: single flight, kept until invalidated or too old."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._flights: dict[ListKey, _Flight] = {}

    def list(self, key: ListKey, request: Callable[[], object], *, max_age: float, allow_stale: bool = False) -> object:
        """Return what `request` returns, or has returned at most `max_age` seconds ago.

        Args:
            key: What is listed.
            request: Sends the list request.
            max_age: Seconds.
            allow_stale: Whether the list may be from before this process created objects of its own.

        Raises:
            ApiError: As the request raised; a failure is shared by those who waited for it, and not kept.
        """
        while True:
            with self._lock:
                flight = self._flights.get(key)
                mine = flight is None or not self._serves(flight, max_age, allow_stale)
                if flight is None or mine:
                    flight = self._flights[key] = _Flight(self._runtime.monotonic())
            if mine:
                self._fetch(key, flight, request)
            self._runtime.wait(flight.done, f"waiting for a request of another resource to {key[0].action}")
            if flight.error is None:
                return flight.records
            if mine or isinstance(flight.error, ApiError):
                raise flight.error
            # It ended with the operation that sent it, which was cancelled; this one goes on.

    def invalidate(self, key: ListKey) -> None:
        """Forget a list: its collection was written to, or may have been."""
        with self._lock:
            self._flights.pop(key, None)

    def clear(self) -> None:
        """Forget all lists."""
        with self._lock:
            self._flights.clear()

    def created(self, key: ListKey) -> None:
        """Note that an object was created: what is known of the others still holds."""
        with self._lock:
            if key in self._flights:
                self._flights[key].outdated = True

    def _fetch(self, key: ListKey, flight: _Flight, request: Callable[[], object]) -> None:
        try:
            flight.records = request()
        except BaseException as error:  # noqa: BLE001 (handed on to everyone who waits)
            with self._lock:
                if self._flights.get(key) is flight:
                    del self._flights[key]
            flight.error = error
        finally:
            flight.done.set()

    def _serves(self, flight: _Flight, max_age: float, allow_stale: bool) -> bool:
        young = not flight.done.is_set() or self._runtime.monotonic() - flight.started <= max_age
        return young and (allow_stale or not flight.outdated)
