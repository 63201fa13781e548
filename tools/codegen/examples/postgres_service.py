"""Examples of Postgres services."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

POSTGRES_ID = "8c2f6a1e-4b7d-4d39-9e50-1f2a3b4c5d6e"

_ORDERS = Step(
    "orders",
    "PostgresService",
    {
        "name": "orders",
        "provider": "aws",
        "region": "us-east-1",
        "size": "m6gd.large",
        "haType": "async",
        "tags": [{"key": "team", "value": "shop"}],
        "pgConfig": {"max_connections": "200", "work_mem": "8MB"},
        "pgBouncerConfig": {"default_pool_size": "16"},
    },
)
_REPORTS = Step("reports", "PostgresService", {"name": "reports", "readReplicaOf": Ref("orders.id")})
_YESTERDAY = Step(
    "yesterday",
    "PostgresService",
    {
        "name": "orders of yesterday",
        "restoreFrom": {"postgresServiceId": POSTGRES_ID, "time": "2026-01-30T12:00:00Z"},
    },
)

EXAMPLES: Examples = {
    "PostgresService": (
        Example("A database with a standby", [_ORDERS], {"connection": Ref("orders.connectionString")}),
        Example("A read replica", [_ORDERS, _REPORTS], {"host": Ref("reports.hostname")}),
        Example("A database as it was at a time", [_YESTERDAY], {"host": Ref("yesterday.hostname")}),
    ),
    "getPostgresService": (
        Example(
            "Read a Postgres service",
            [Step("orders", "getPostgresService", {"postgresServiceId": POSTGRES_ID})],
            {"host": Ref("orders.hostname")},
        ),
    ),
    "listPostgresServices": (
        Example(
            "List the Postgres services of a name",
            [Step("found", "listPostgresServices", {"name": "orders"})],
            {"services": Ref("found.postgresServices")},
        ),
    ),
    "getPostgresCertificates": (
        Example(
            "Read the certificates that a client trusts",
            [Step("certificates", "getPostgresCertificates", {"postgresServiceId": POSTGRES_ID})],
            {"pem": Ref("certificates.pem")},
        ),
    ),
    "listPostgresBackups": (
        Example(
            "List the base backups of a Postgres service",
            [Step("found", "listPostgresBackups", {"postgresServiceId": POSTGRES_ID})],
            {"backups": Ref("found.backups")},
        ),
    ),
    "listPostgresLogs": (
        Example(
            "Read the errors of an hour",
            [
                Step(
                    "found",
                    "listPostgresLogs",
                    {
                        "postgresServiceId": POSTGRES_ID,
                        "fromDate": "2027-01-31T12:00:00Z",
                        "toDate": "2027-01-31T13:00:00Z",
                        "severity": "ERROR",
                        "limit": 200,
                    },
                )
            ],
            {"errors": Ref("found.entries")},
        ),
    ),
}
