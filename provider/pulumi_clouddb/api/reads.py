"""Shared reads: one list request serves everybody who asks for the same collection, until something is written."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from .client import Client
from .operations import Operation

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
    """One list request: when it was sent, what it answers, and whether this process has created objects since."""

    started: float
    answer: Future[Records]
    outdated: bool = False


class SharedReads:
    """Lists collections for many callers at a time: single flight, kept until dropped or too old."""

    def __init__(self, client: Client) -> None:
        self._client = client
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
        with self._lock:
            flight = self._flights.get(collection)
            mine = flight is None or not _serves(flight, max_age, before_own)
            if flight is None or mine:
                flight = self._flights[collection] = _Flight(time.monotonic(), Future())
        if mine:
            self._fetch(collection, flight)
        return flight.answer.result()

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
            flight.answer.set_result(self._request(collection))
        except BaseException as error:  # noqa: BLE001 (handed on to everyone who waits)
            with self._lock:
                if self._flights.get(collection) is flight:
                    del self._flights[collection]
            flight.answer.set_exception(error)

    def _request(self, collection: Collection) -> Records:
        result = self._client.call(collection.operation, service_id=collection.service_id)
        return [record for record in result if isinstance(record, dict) and isinstance(record.get("id"), str)]


def _serves(flight: _Flight, max_age: float, before_own: bool) -> bool:
    young = not flight.answer.done() or time.monotonic() - flight.started <= max_age
    return young and (before_own or not flight.outdated)
