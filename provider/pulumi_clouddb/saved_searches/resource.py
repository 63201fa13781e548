"""Saved searches of an observability server."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult
from pulumi_clouddb.resource.functions import Function
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireValues

from .api import SavedSearches
from .pinned_filter import is_shown
from .saved_search import GET_SAVED_SEARCH, SAVED_SEARCH, SavedSearch

FILTERS = property_name(SavedSearch, lambda args: args.filters)
_SHOWN = "must be one column with IN ('value', ...), NOT IN (...) or BETWEEN 1 AND 2: the server takes no other new one"


def _conditions(inputs: WireValues) -> list[object]:
    filters = inputs.get(FILTERS)
    return (
        [each.get("condition") if isinstance(each, Mapping) else None for each in filters]
        if isinstance(filters, list)
        else []
    )


class SavedSearchResource(ObservabilityResource[SavedSearch, SavedSearch]):
    """A saved search of a managed or self-hosted server."""

    type = SAVED_SEARCH
    collection = SavedSearches

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Judge the inputs; the server takes filters that its sidebar shows, and those that the search has already."""
        checked = super().check(session, inputs, secret, old)
        if not session.client.dialect.takes_more:
            return checked
        known = _conditions(old or {})
        more = [
            Failure(f"{FILTERS}[{index}].condition", _SHOWN)
            for index, condition in enumerate(_conditions(inputs))
            if isinstance(condition, str) and condition not in known and not is_shown(condition)
        ]
        return replace(checked, failures=[*checked.failures, *more])

    functions = (
        Function(
            GET_SAVED_SEARCH,
            lambda api, args: to_wire(api.of(SavedSearches, args.service_id).get(args.saved_search_id)),
        ),
    )
