"""What the vendor's servers do differently with a saved search: they accept only filters that their sidebar shows."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.resource.replaced import Dialects, InterfaceDialect, VendorDialect
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.view import if_known, known_or, path_of

from .pinned_filter import is_shown
from .saved_search import SavedSearch

_SHOWN = "must be one column with IN ('value', ...), NOT IN (...) or BETWEEN 1 AND 2: the server refuses other new ones"


class SavedSearchDialect(InterfaceDialect):
    """Saved searches on servers of the interface."""

    def refused(self, search: SavedSearch, old: SavedSearch) -> list[Failure]:
        """Return the filters that the server refuses in a new search, or in an update of an old one."""
        return []


class VendorSavedSearches(SavedSearchDialect, VendorDialect):
    """Saved searches on the vendor's servers."""

    def refused(self, search: SavedSearch, old: SavedSearch) -> list[Failure]:
        """Return the new filters that the sidebar does not show; existing ones are accepted."""
        known = [condition for _, condition in _conditions(old)]
        new = [(path, condition) for path, condition in _conditions(search) if condition not in known]
        return [Failure(path, _SHOWN) for path, condition in new if not is_shown(condition)]


def _conditions(search: SavedSearch) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each known condition."""
    for item in known_or((), lambda: search.filters or ()):
        with if_known:
            if item.condition is not None:
                yield path_of(item, "condition"), item.condition


DIALECTS = Dialects(SavedSearchDialect(), VendorSavedSearches())
