"""Examples of data sources."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .connection import CONNECTION_STEP
from .example import Example, Examples

LOGS_STEP = Step(
    "logs",
    "Source",
    {
        "name": "Logs of the shop",
        "kind": "log",
        "connection": Ref("shop.id"),
        "from": {"databaseName": "otel", "tableName": "otel_logs"},
        "timestampValueExpression": "Timestamp",
        "defaultTableSelectExpression": "Timestamp, ServiceName, SeverityText, Body",
        "bodyExpression": "Body",
        "implicitColumnExpression": "Body",
        "severityTextExpression": "SeverityText",
        "serviceNameExpression": "ServiceName",
    },
)

FOUND_LOGS = Step("logs", "getSource", {"name": "Logs"})

EXAMPLES: Examples = {
    "Source": (Example("Read logs from a table", [CONNECTION_STEP, LOGS_STEP], {"sourceId": Ref("logs.id")}),),
    "getSource": (
        Example(
            "Find a data source by its name",
            [FOUND_LOGS],
            {"sourceId": Ref("logs.id")},
        ),
    ),
    "listSources": (Example("List data sources", [Step("found", "listSources")], {"sources": Ref("found.sources")}),),
}
