"""Shared lists: one list request serves all callers of a collection, until something is written to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import ApiError
from .operation import Operation
from .rate_limiter import sent_at
from .runtime import Runtime

ListKey = tuple[Operation, str | None]
"""A list: its operation, and the service that it belongs to, if any."""


@dataclass
class _Flight:
    """One list request: when it was sent, its result, and whether this process has created objects since."""

    started: float
    done: threading.Event = field(default_factory=threading.Event)
    records: object = None
    error: BaseException | None = None
    outdated: bool = False


class ListCache:
    """Lists collections for many callers at a time: one request at a time, cached until invalidated or too old."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._flights: dict[ListKey, _Flight] = {}

    def list(self, key: ListKey, request: Callable[[], object], *, max_age: float, allow_stale: bool = False) -> object:
        """Return the result of `request`, or a result that is at most `max_age` seconds old.

        Args:
            key: The list.
            request: Sends the list request.
            max_age: Seconds.
            allow_stale: Whether the list may be from before this process created objects of its own.

        Raises:
            ApiError: The request failed. All callers that waited for it get the error; it is not cached.
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
            # The operation that sent the request was cancelled; this one is not.

    def invalidate(self, key: ListKey) -> None:
        """Drop a list: its collection was written to, or may have been."""
        with self._lock:
            self._flights.pop(key, None)

    def clear(self) -> None:
        """Drop all lists."""
        with self._lock:
            self._flights.clear()

    def created(self, key: ListKey) -> None:
        """Record that an object was created: the records of the others are still valid."""
        with self._lock:
            if key in self._flights:
                self._flights[key].outdated = True

    def _fetch(self, key: ListKey, flight: _Flight, request: Callable[[], object]) -> None:
        try:
            sent_at.set(None)
            flight.records = request()
            flight.started = sent_at.get() or flight.started
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
