"""Saved searches."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.schema.base import prop
from pulumi_clouddb.schema.javascript import in_units
from pulumi_clouddb.schema.observability import FilterKind, SearchLanguage
from pulumi_clouddb.schema.vendor import ObjectId
from pulumi_clouddb.things.saved_searches.api import SavedSearches
from pulumi_clouddb.things.saved_searches.pinned_filter import is_shown
from pulumi_clouddb.things.saved_searches.saved_search import (
    LONGEST_CONDITION,
    MOST_FILTERS,
    SavedSearch,
)

from . import alerts, sources
from .bodies import body_with
from .responses import HTTPError, bad_request, not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document
from .zod import checked, refuse, trimmed

Filters = list[dict[str, Any]]


_BODY = body_with(
    SavedSearch,
    source_id=(ObjectId | None, prop("Source.", required=True)),
    filters=(Filters | None, prop("Filters, which `_filter_error` validates.", max_length=MOST_FILTERS)),
)


class ServedSavedSearches(Served):
    """The saved searches of an observability server."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; the vendor's servers require an existing source."""
        if not state.settings.is_clickhouse:
            return super().fields(state, call)
        body = {**_DEFAULTS, **checked(_BODY, trimmed(call.body))}
        refuse(
            f"filters.{index}{error}" for index, each in enumerate(body["filters"]) if (error := _filter_error(each))
        )
        if sources.SERVED.find(state, self.parent(state, call), body["sourceId"]) is None:
            raise bad_request("sourceId must be an existing source id")
        body["filters"] = [_without_unknown(each) for each in body["filters"]]
        # Filters of the stored search are accepted in any shape.
        stored = self.get(state, call).get("filters") or () if call.operation.method == "PUT" else ()
        for index, each in enumerate(body["filters"]):
            if each not in stored and not _is_shown(each):
                raise bad_request(f"filters[{index}] must be a sidebar-renderable SQL predicate {_SHOWN}")
        return body

    def missing(self) -> HTTPError:
        """Return the error for an unknown id."""
        return not_found("Saved search")

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a saved search with its alerts."""
        alerts.SERVED.remove_where(state, lambda alert: alert.get("savedSearchId") == id_)
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
"""Defaults of the vendor's servers."""

_SHOWN = (
    """(e.g. "<column> IN ('<value>', ...)", "NOT IN (...)", or "BETWEEN <n> AND <n>"). """
    "Other shapes are only accepted on update when preserved unchanged from the stored saved search."
)


def _without_unknown(given: Document) -> Document:
    """Return a filter without the fields that the server drops."""
    names = ("type", "operator", "left", "right") if given.get("type") == "sql_ast" else ("type", "condition")
    return {"type": FilterKind.SQL.value, **{name: given[name] for name in names if name in given}}


def _filter_error(given: Document) -> str | None:
    """Return the error about a malformed filter, or None. Well-formed filters can still be refused later."""
    if given.get("type") == "sql_ast":
        are_texts = all(isinstance(given.get(name), str) for name in ("left", "right"))
        return None if are_texts and given.get("operator") in _OPERATORS else ": Invalid input"
    condition = given.get("condition")
    if not isinstance(condition, str) or given.get("type", FilterKind.SQL) not in tuple(SearchLanguage):
        return ": Invalid input"
    is_long = len(in_units(condition)) > LONGEST_CONDITION
    return f".condition: String must contain at most {LONGEST_CONDITION} character(s)" if is_long else None


_OPERATORS = ("=", "<", ">", "!=", "<=", ">=")


def _is_shown(condition: Document) -> bool:
    """Return whether the sidebar can show a filter."""
    return condition.get("type") == FilterKind.SQL and is_shown(str(condition.get("condition", "")))
