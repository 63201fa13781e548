"""Examples of saved queries."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

QUERY_ID = "7c0e1a52-3f6b-4d8e-9a41-2b5c6d7e8f90"

_ORDERS = Step(
    "ordersOfDay",
    "SavedQuery",
    {
        "serviceId": SERVICE_ID,
        "name": "Orders of a day",
        "sql": "SELECT count() FROM orders WHERE day = {day:Date}",
        "database": "shop",
        "parameters": {"day": "2026-11-01"},
    },
)

EXAMPLES: Examples = {
    "SavedQuery": (Example("Save a query with a parameter", [_ORDERS], {"queryId": Ref("ordersOfDay.id")}),),
    "getSavedQuery": (
        Example(
            "Read a query",
            [Step("query", "getSavedQuery", {"serviceId": SERVICE_ID, "savedQueryId": QUERY_ID})],
            {"sql": Ref("query.sql")},
        ),
    ),
    "listSavedQueries": (
        Example(
            "Find a query by its name",
            [Step("found", "listSavedQueries", {"serviceId": SERVICE_ID, "name": "Orders of a day"})],
            {"queries": Ref("found.savedQueries")},
        ),
    ),
}
