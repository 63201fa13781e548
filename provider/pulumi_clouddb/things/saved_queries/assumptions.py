"""What the provider and the sandbox assume of servers about saved queries."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import AUTUMN, CLOUD_ONLY, Assumption

SAVED_QUERY_UPDATE_REPLACES = Assumption(
    "An update of a saved query removes the parameters that it omits.", AUTUMN, CLOUD_ONLY
)
