"""Shared lists: one list request serves all callers of a collection, and contains what this process writes to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import ApiError
from .operation import Operation
from .rate_limiter import sent_at
from .runtime import Runtime

ListKey = tuple[Operation, str | None]
"""A list: its operation, and the service that it belongs to, if any."""

Records = dict[str, Any]
"""The records of a list, by id."""


@dataclass
class _Flight:
    """One list request: when it was sent, and its records with those that this process has written since.

    A request that waits for its turn under the server's limit counts as sent now. Records are replaced and never
    changed, since callers keep them.
    """

    sent: float
    done: threading.Event = field(default_factory=threading.Event)
    records: Records = field(default_factory=dict)
    error: BaseException | None = None
    outdated: bool = False


class ListCache:
    """Lists collections for many callers: one request at a time, cached until it is dropped or too old."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = threading.Lock()
        self._flights: dict[ListKey, _Flight] = {}

    def list(
        self, key: ListKey, request: Callable[[], Records], *, max_age: float, allow_stale: bool = False
    ) -> Records:
        """Return the result of `request`, or a result that is at most `max_age` seconds old.

        With `allow_stale`, it may be older than the last write of this process.

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
            else:
                self._runtime.wait(flight.done, f"waiting for a request of another resource to {key[0].action}")
            if flight.error is None:
                return flight.records
            if mine or isinstance(flight.error, ApiError):
                raise flight.error
            # The operation that sent the request was cancelled; this one is not.

    def age(self, key: ListKey) -> float | None:
        """Return how long ago the last list was requested, in seconds; None if there is none."""
        with self._lock:
            flight = self._flights.get(key)
            return None if flight is None else self._runtime.monotonic() - flight.sent

    def invalidate(self, key: ListKey) -> None:
        """Drop a list: something has changed its collection, or may have."""
        with self._lock:
            self._flights.pop(key, None)

    def clear(self) -> None:
        """Drop all lists."""
        with self._lock:
            self._flights.clear()

    def outdate(self, key: ListKey) -> None:
        """Record that an object has changed: the list serves only callers that allow a stale one."""
        with self._lock:
            if key in self._flights:
                self._flights[key].outdated = True

    def wrote(self, key: ListKey, object_id: str, record: object) -> None:
        """Record the result of a write: the list contains it from now on."""
        with self._lock:
            flight = self._flights.get(key)
            if flight is not None:
                flight.records = {**flight.records, object_id: record}

    def _fetch(self, key: ListKey, flight: _Flight, request: Callable[[], Records]) -> None:
        try:
            sent_at.set(None)
            found = request()
            with self._lock:
                flight.records = {**found, **flight.records}
                flight.sent = sent_at.get() or flight.sent
        except BaseException as error:  # noqa: BLE001 (raised for every caller that waits)
            with self._lock:
                if self._flights.get(key) is flight:
                    del self._flights[key]
            flight.error = error
        finally:
            flight.done.set()

    def _serves(self, flight: _Flight, max_age: float, allow_stale: bool) -> bool:
        young = not flight.done.is_set() or self._runtime.monotonic() - flight.sent <= max_age
        return young and (allow_stale or not flight.outdated)
