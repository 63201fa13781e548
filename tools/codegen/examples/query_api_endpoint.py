"""Examples of query API endpoints."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

ENDPOINT_ID = "9d2f4b61-8a3c-4e5d-b7f0-6c1a2b3d4e5f"

_KEY = Step("shop", "ApiKey", {"name": "shop", "roles": ["query_endpoints"]})
_ORDERS = Step(
    "ordersOfDay",
    "QueryApiEndpoint",
    {
        "serviceId": SERVICE_ID,
        "name": "Orders of a day",
        "sql": "SELECT count() FROM orders WHERE day = {day:Date}",
        "database": "shop",
        "parameters": {"day": "2026-11-01"},
        "apiKeyIds": [Ref("shop.id")],
        "roles": ["sql_console_read_only"],
        "allowedOrigins": ["https://shop.example.com"],
    },
)

EXAMPLES: Examples = {
    "QueryApiEndpoint": (
        Example("Let a key run one query over HTTP", [_KEY, _ORDERS], {"address": Ref("ordersOfDay.url")}),
    ),
    "getQueryApiEndpoint": (
        Example(
            "Read an endpoint",
            [
                Step(
                    "endpoint",
                    "getQueryApiEndpoint",
                    {"serviceId": SERVICE_ID, "queryApiEndpointId": ENDPOINT_ID},
                )
            ],
            {"address": Ref("endpoint.url")},
        ),
    ),
    "listQueryApiEndpoints": (
        Example(
            "Find an endpoint by its name",
            [Step("found", "listQueryApiEndpoints", {"serviceId": SERVICE_ID, "name": "Orders of a day"})],
            {"endpoints": Ref("found.queryApiEndpoints")},
        ),
    ),
}
