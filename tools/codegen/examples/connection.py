"""Examples of connections."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

CONNECTION_STEP = Step(
    "shop",
    "Connection",
    {"name": "Shop", "host": "https://shop.example.com:8443", "username": "otel"},
)

EXAMPLES: Examples = {
    "Connection": (
        Example("Connect a self-hosted server to a database", [CONNECTION_STEP], {"connectionId": Ref("shop.id")}),
    ),
    "getConnection": (
        Example(
            "Find a connection that was created by hand",
            [Step("local", "getConnection", {"name": "Local ClickHouse"})],
            {"connectionId": Ref("local.id")},
        ),
    ),
    "listConnections": (
        Example("List connections", [Step("found", "listConnections")], {"connections": Ref("found.connections")}),
    ),
}
