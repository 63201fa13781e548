"""What the provider and the sandbox assume of servers about query API endpoints."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import AUTUMN, CLOUD_ONLY, Assumption, inferred

QUERY_API_ENDPOINT_UPDATE_REPLACES = Assumption(
    "An update of a query API endpoint removes the parameters and the origins that it omits.", AUTUMN, CLOUD_ONLY
)
QUERY_API_ENDPOINT_SHOWS_ITS_OWNER = Assumption(
    "The owner type of a query API endpoint is `queryApiEndpoint`, unless it was made in the console.",
    AUTUMN,
    CLOUD_ONLY,
)
QUERY_API_ENDPOINT_KEEPS_ITS_URL = inferred("A query API endpoint keeps its address when it is updated.")
