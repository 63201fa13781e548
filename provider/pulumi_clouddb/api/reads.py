"""Shared reads: one list request serves everybody who asks for the same collection, until something is written."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from .client import Client
from .errors import ApiError
from .operations import Operation
from .runtime import Runtime

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Collection:
    """One collection of objects: the operation that lists it, and the parts of its path.

    Attributes:
        operation: The list operation.
        service_id: The service it belongs to, where it belongs to one.
    """

    operation: Operation
    service_id: str | None = None


@dataclass
class _Flight:
    """One list request: when it was sent, what it answered, and whether this process has created objects since."""

    started: float
    done: threading.Event = field(default_factory=threading.Event)
    records: Records | None = None
    error: BaseException | None = None
    outdated: bool = False


class SharedReads:
    """Lists collections for many callers at a time: single flight, kept until dropped or too old."""

    def __init__(self, client: Client, runtime: Runtime | None = None) -> None:
        self._client = client
        self._runtime = runtime or Runtime()
        self._lock = threading.Lock()
        self._flights: dict[Collection, _Flight] = {}

    def list(self, collection: Collection, *, max_age: float, before_own: bool = False) -> Records:
        """Return all records of `collection`, as the server had them at most `max_age` seconds ago.

        Args:
            collection: What to list.
            max_age: Seconds.
            before_own: Whether the list may be from before this process created objects of its own.

        Raises:
            ApiError: As the request raised; a failure is shared by those who waited for it, and not kept.
        """
        while True:
            with self._lock:
                flight = self._flights.get(collection)
                mine = flight is None or not self._serves(flight, max_age, before_own)
                if flight is None or mine:
                    flight = self._flights[collection] = _Flight(self._runtime.monotonic())
            if mine:
                self._fetch(collection, flight)
            self._runtime.wait(flight.done)
            if flight.error is None:
                return flight.records or []
            if mine or isinstance(flight.error, ApiError):
                raise flight.error
            # It ended with the operation that sent it, which was cancelled; this one goes on.

    def drop(self, collection: Collection) -> None:
        """Forget what is known of `collection`: it was written to, or may have been."""
        with self._lock:
            self._flights.pop(collection, None)

    def created(self, collection: Collection) -> None:
        """Note that an object was created: what is known of the others still holds."""
        with self._lock:
            if collection in self._flights:
                self._flights[collection].outdated = True

    def _fetch(self, collection: Collection, flight: _Flight) -> None:
        try:
            flight.records = self._request(collection)
        except BaseException as error:  # noqa: BLE001 (handed on to everyone who waits)
            with self._lock:
                if self._flights.get(collection) is flight:
                    del self._flights[collection]
            flight.error = error
        finally:
            flight.done.set()

    def _request(self, collection: Collection) -> Records:
        result = self._client.call(collection.operation, service_id=collection.service_id)
        return [record for record in result if isinstance(record, dict) and isinstance(record.get("id"), str)]

    def _serves(self, flight: _Flight, max_age: float, before_own: bool) -> bool:
        young = not flight.done.is_set() or self._runtime.monotonic() - flight.started <= max_age
        return young and (before_own or not flight.outdated)
