"""Saved searches of an observability server."""

from __future__ import annotations

from pulumi_clouddb.api.collections.saved_searches import SavedSearches
from pulumi_clouddb.models.base import NoRecord
from pulumi_clouddb.models.convert import to_wire
from pulumi_clouddb.models.saved_search import GET_SAVED_SEARCH, SAVED_SEARCH, SavedSearchArgs, SavedSearchResponse

from .functions import Function
from .observability import ObservabilityResource


class SavedSearchResource(ObservabilityResource[SavedSearchArgs, SavedSearchResponse, NoRecord]):
    """A saved search of a managed or self-hosted server."""

    type = SAVED_SEARCH
    collection = SavedSearches
    functions = (
        Function(
            GET_SAVED_SEARCH,
            lambda api, args: to_wire(api.of(SavedSearches, args.service_id).get(args.saved_search_id)),
        ),
    )
