"""Shared reads: one list request serves everybody who asks for the same collection, until something is written."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from .client import Client
from .errors import MalformedAnswer
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


class SharedReads:
    """Lists collections for many callers at a time: single flight, kept until dropped or too old."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._flights: dict[Collection, tuple[float, Future[Records]]] = {}

    def list(self, collection: Collection, *, max_age: float) -> Records:
        """Return all records of `collection`, as the server had them at most `max_age` seconds ago.

        Raises:
            ApiError: As the request raised; a failure is shared by those who waited for it, and not kept.
        """
        with self._lock:
            started, flight = self._flights.get(collection, (0.0, None))
            mine = flight is None or (flight.done() and time.monotonic() - started > max_age)
            if mine:
                flight = Future()
                self._flights[collection] = (time.monotonic(), flight)
        assert flight is not None  # noqa: S101 (narrows the type; set just above)
        if mine:
            self._fetch(collection, flight)
        return flight.result()

    def drop(self, collection: Collection) -> None:
        """Forget what is known of `collection`: it was written to, or may have been."""
        with self._lock:
            self._flights.pop(collection, None)

    def _fetch(self, collection: Collection, flight: Future[Records]) -> None:
        try:
            flight.set_result(self._request(collection))
        except BaseException as error:  # noqa: BLE001 (handed on to everyone who waits)
            with self._lock:
                if self._flights.get(collection, (0, None))[1] is flight:
                    del self._flights[collection]
            flight.set_exception(error)

    def _request(self, collection: Collection) -> Records:
        operation = collection.operation
        result = self._client.call(operation, service_id=collection.service_id)
        if not isinstance(result, list):
            raise MalformedAnswer(operation, operation.path, "answered with something other than a list")
        return [record for record in result if isinstance(record, dict) and isinstance(record.get("id"), str)]
