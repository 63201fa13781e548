"""Lives of Postgres services."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

POSTGRES = Life(
    name="PostgresService",
    kind="postgres_services",
    before="""name='orders', provider='aws', region='us-east-1', size='m6gd.large', ha_type='none',
        tags=[clouddb.ServiceTagArgs(key='team', value='shop')], pg_config={'max_connections': '100'},
        pg_bouncer_config={'default_pool_size': '16'}, password='Orders-0123456'""",
    after="""name='orders and returns', provider='aws', region='us-east-1', size='m6gd.xlarge', ha_type='async',
        tags=[clouddb.ServiceTagArgs(key='team', value='store')], pg_config={'work_mem': '8MB'},
        pg_bouncer_config={'default_pool_size': '32'}, password='Orders-6543210'""",
    updated=frozenset({"name", "size", "haType", "tags", "pgConfig", "pgBouncerConfig", "password"}),
    drift=lambda sandbox, id_: sandbox.change("postgres_services", id_, size="m6gd.2xlarge", haType="sync"),
    drifted=frozenset({"size", "haType"}),
    as_wanted=lambda service: (
        (service["name"], service["size"], service["haType"]) == ("orders and returns", "m6gd.xlarge", "async")
        and {"key": "team", "value": "store"} in service["tags"]
    ),
)
LIVES = {"Postgres service": POSTGRES}

ORDERS = {
    "name": "orders",
    "provider": "aws",
    "region": "us-east-1",
    "size": "m6gd.large",
    "tags": [{"key": "team", "value": "shop"}],
    "pgConfig": {"max_connections": "100"},
}

WIRE_LIVES = [
    WireLife(
        "Postgres service",
        POSTGRES,
        operations=(
            "create_postgres_service",
            "update_postgres_service",
            "delete_postgres_service",
            "list_postgres_services",
        ),
        before=ORDERS,
        after={**ORDERS, "size": "m6gd.xlarge", "haType": "async", "tags": [{"key": "team", "value": "store"}]},
        details={"size": "UPDATE", "haType": "ADD", "tags[0].value": "UPDATE"},
        left_alone=frozenset({"password", "connectionString", "hostname", "username", "createdAt", "isPrimary"}),
    )
]

OF_NO_INPUT = frozenset({"id", "state", "createdAt", "isPrimary", "username", "storageSize", "lastError"})
"""Outputs that tell nothing of an input."""
