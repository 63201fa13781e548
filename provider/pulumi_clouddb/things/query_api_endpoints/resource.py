"""Query API endpoints of a service."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.replaced import ReplacedResource
from pulumi_clouddb.resource.state import State

from .api import QueryApiEndpoints
from .query_api_endpoint import QUERY_API_ENDPOINT, QueryApiEndpoint


class QueryApiEndpointResource(ReplacedResource[QueryApiEndpoint]):
    """A query API endpoint of a service."""

    type = QUERY_API_ENDPOINT
    collection = QueryApiEndpoints
    unmanageable = "was made in the console: the API can neither change nor delete it"
    functions = (
        get_one(QUERY_API_ENDPOINT, QueryApiEndpoints),
        list_all(QUERY_API_ENDPOINT, QueryApiEndpoints, by_name=True),
    )

    def outputs_changed_by(self, old: State[QueryApiEndpoint], changed: tuple[str, ...]) -> Iterable[str]:
        """Return nothing: address and owner are constant."""
        return ()
