"""Lists in pages: the one place that requests them, with limits, so that each list is whole or an error.

A page names the cursor of the next one, or a full page is followed by one at the next offset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .errors import ListNotFoundError, PartialListError, UnsupportedOperationError
from .operation import Operation

MAX_PAGES = 500
MAX_RECORDS = 100_000
MAX_SECONDS = 600.0
"""A list that exceeds one of these limits counts as endless: an organization has hundreds of objects of a kind."""

ATTEMPTS = 3
"""How often a list is read from its beginning, if it changes between two offsets."""

PageQuery = Mapping[str, int | str]
"""The parameters that select a page; none select the first one."""


class Page(NamedTuple):
    """One page of a list.

    Attributes:
        records: Its records.
        cursor: The cursor of the next page; empty on the last one, and without cursors.
    """

    records: list[Any]
    cursor: str = ""


class PagedList:
    """Requests one list, page by page.

    Args:
        operation: The operation that lists.
        request: Requests the page that a query selects.
        clock: Returns the seconds of a clock that is never set.
    """

    def __init__(self, operation: Operation, request: Callable[[PageQuery], Page], clock: Callable[[], float]) -> None:
        self._operation = operation
        self._path = operation.path
        self._request = request
        self._clock = clock
        self._started = clock()
        self._pages = 0

    def records(self) -> list[Any]:
        """Return all records.

        Raises:
            PartialListError: The list does not end, or keeps changing while it is read.
            ApiError: A page could not be read: the records of the other pages are not a complete list.
        """
        for _ in range(ATTEMPTS):
            found = self._read()
            if found is not None:
                return found
        raise PartialListError(
            self._operation, self._path, f"the list changed {ATTEMPTS} times while its pages were read"
        )

    def _read(self) -> list[Any] | None:
        """Return all records; None if somebody deleted one of an earlier page, so that the next page omits another."""
        page = self._page({})
        found, cursors = list(page.records), {""}
        while page.cursor or self._goes_on(page):
            if page.cursor:
                if page.cursor in cursors:
                    raise PartialListError(
                        self._operation, self._path, f"the list returned the cursor {page.cursor[:40]!r} twice"
                    )
                cursors.add(page.cursor)
                page = self._page({"cursor": page.cursor}, len(found))
                found += page.records
            else:
                page = self._page({"limit": self._operation.per_page or 0, "offset": len(found) - 1}, len(found))
                if _ids(page.records) <= _ids(found):  # a server without pages returns the same records again
                    return found
                if _id(page.records[0]) != _id(found[-1]):
                    return None
                found += page.records[1:]
        return found

    def _goes_on(self, page: Page) -> bool:
        return self._operation.by_offset and len(page.records) >= (self._operation.per_page or 0)

    def _page(self, query: PageQuery, records: int = 0) -> Page:
        """Request one page, unless the list has reached a limit."""
        elapsed = self._clock() - self._started
        for value, limit, unit in (
            (self._pages, MAX_PAGES, "pages"),
            (records, MAX_RECORDS, "records"),
            (elapsed, MAX_SECONDS, "seconds"),
        ):
            if value >= limit:
                raise PartialListError(
                    self._operation, self._path, f"the list has no end: {value:.0f} {unit} read, the limit is {limit:g}"
                )
        self._pages += 1
        try:
            return self._request(query)
        except (UnsupportedOperationError, ListNotFoundError) as error:
            if not query:
                raise
            # The first page has shown that the server has this list.
            raise PartialListError(
                self._operation, self._path, f"the list did not continue: {error.status} {error.message}"
            ) from None


def _id(record: object) -> object:
    return record.get("id") if isinstance(record, dict) else None


def _ids(records: list[Any]) -> set[object]:
    return set(map(str, map(_id, records)))
