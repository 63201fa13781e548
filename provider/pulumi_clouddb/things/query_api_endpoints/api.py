"""Query API endpoints of a service."""

from __future__ import annotations

from pulumi_clouddb.client.operation import SERVICE, of_vendor
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.assumptions import AUTUMN
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.thing import body_of

from .query_api_endpoint import USER, QueryApiEndpoint

PATH = SERVICE + "/query-api-endpoints"
ONE = PATH + "/{queryApiEndpointId}"
PER_PAGE = 100

_ENDPOINT, _WORDS = "QueryApiEndpoint", "the query API endpoint"


class QueryApiEndpoints(ReplacedCollection[QueryApiEndpoint]):
    """The query API endpoints of one service, including those of the console."""

    model = QueryApiEndpoint
    body = body_of(QueryApiEndpoint)
    id_part = "query_api_endpoint_id"
    not_listed = property_names(QueryApiEndpoint, lambda endpoint: (endpoint.sql, endpoint.parameters))
    source = AUTUMN

    LIST = of_vendor("list_query_api_endpoints", "GET", PATH, _ENDPOINT, f"list {_WORDS}s", per_page=PER_PAGE)
    CREATE = of_vendor("create_query_api_endpoint", "POST", PATH, _ENDPOINT, f"create {_WORDS}", status=201)
    GET = of_vendor("get_query_api_endpoint", "GET", ONE, _ENDPOINT, f"read {_WORDS}")
    UPDATE = of_vendor("update_query_api_endpoint", "PUT", ONE, _ENDPOINT, f"update {_WORDS}")
    DELETE = of_vendor("delete_query_api_endpoint", "DELETE", ONE, "None", f"delete {_WORDS}")

    def can_be_managed(self, record: QueryApiEndpoint) -> bool:
        """Return whether it was not made in the console."""
        return record.owner_type != USER

    def may_be_lost(self, record: QueryApiEndpoint) -> bool:
        """Return whether it was not made in the console."""
        return self.can_be_managed(record)
