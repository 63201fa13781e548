"""Saved searches: their alerts go with them."""

from __future__ import annotations

import re
from typing import Any

from pulumi_clouddb.api.collections.saved_searches import SavedSearches
from pulumi_clouddb.models.base import prop
from pulumi_clouddb.models.saved_search import (
    LONGEST_CONDITION,
    MOST_FILTERS,
    FilterKind,
    SavedSearchBody,
    SearchLanguage,
)
from pulumi_clouddb.models.vendor import ObjectId

from . import alerts, sources
from .responses import HTTPError, bad_request, not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document
from .zod import checked, refuse, trimmed

Filters = list[dict[str, Any]]


class _Body(SavedSearchBody):
    """A saved search as the server takes it; its filters are judged by themselves."""

    source_id: ObjectId | None = prop("Source.", required=True)
    filters: Filters | None = prop("Filters.", max_length=MOST_FILTERS)  # type: ignore[assignment]


class ServedSavedSearches(Served):
    """The saved searches of a stack."""

    def most_on_a_page(self, state: SandboxState) -> int | None:
        """Return how many saved searches a list answers at most: only the vendor's servers have pages."""
        return super().most_on_a_page(state) if state.settings.is_clickhouse else None

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return what the body sets, or refuse it; the vendor's servers ask for a source that is there."""
        if not state.settings.is_clickhouse:
            return super().fields(state, call)
        body = {**_DEFAULTS, **checked(_Body, trimmed(call.body))}
        refuse(f"filters.{index}: Invalid input" for index, each in enumerate(body["filters"]) if not _is_filter(each))
        if sources.SERVED.find(state, self.parent(state, call), body["sourceId"]) is None:
            raise bad_request("sourceId must be an existing source id")
        body["filters"] = [{"type": FilterKind.SQL.value, **each} for each in body["filters"]]
        known = self._filters_of(state, call)
        for index, each in enumerate(body["filters"]):
            if each not in known and not _is_shown(each):
                raise bad_request(f"filters[{index}] must be a sidebar-renderable SQL predicate {_SHOWN}")
        return body

    def _filters_of(self, state: SandboxState, call: Call) -> Filters:
        """Return the filters that the search has: they may stay, whatever they are."""
        return list(self.get(state, call).get("filters") or ()) if call.operation.method == "PUT" else []

    def missing(self) -> HTTPError:
        """There is no such search."""
        return not_found("Saved search")

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a saved search with its alerts."""
        alerts.SERVED.remove_of_search(state, id_)
        super().remove(state, id_)


SERVED = ServedSavedSearches(SavedSearches)

_DEFAULTS: Document = {
    "select": "",
    "where": "",
    "whereLanguage": SearchLanguage.LUCENE.value,
    "orderBy": "",
    "tags": [],
    "filters": [],
}
"""What the vendor's servers fill in where a body leaves it out."""

_SHOWN = (
    """(e.g. "<column> IN ('<value>', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"). """
    "Other shapes are only accepted on update when preserved unchanged from the stored saved search."
)

_NUMBER = r"\s*-?\d+(?:\.\d+)?\s*"
_VALUE = r"\s*(?:'(?:[^'\\]|\\.|'')*'|true|false)\s*"
_COLUMN = r"(?:(?!\b(?:NOT|AND|OR)\b)[^'\"])+?"
_SIMPLE = re.compile(
    rf"{_COLUMN} (?:(?:NOT )?IN \({_VALUE}(?:,{_VALUE})*\)|BETWEEN {_NUMBER}AND{_NUMBER})", re.IGNORECASE
)
"""A predicate that the sidebar shows as a filter of one column."""


def _is_filter(given: Document) -> bool:
    """Tell whether it is a filter at all; the server knows kinds that it does not take any more."""
    if given.get("type") == "sql_ast":
        return given.get("operator") in _OPERATORS and all(
            isinstance(given.get(name), str) for name in ("left", "right")
        )
    condition = given.get("condition")
    is_text = isinstance(condition, str) and len(condition) <= LONGEST_CONDITION
    return is_text and given.get("type", FilterKind.SQL) in tuple(SearchLanguage)


_OPERATORS = ("=", "<", ">", "!=", "<=", ">=")


def _is_shown(condition: Document) -> bool:
    """Tell whether a filter is one that the sidebar shows."""
    text = str(condition.get("condition", ""))
    return condition.get("type") == FilterKind.SQL and _SIMPLE.fullmatch(text.strip()) is not None
