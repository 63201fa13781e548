"""Lives of pipes."""

from __future__ import annotations

from typing import Any

from lives.life import Life, a_service
from lives.wire import WireLife

_COLUMNS = """destination=clouddb.PipeDestinationArgs(database='default', table='clicks', managed_table=True,
            table_definition=clouddb.TableDefinitionArgs(engine=clouddb.TableEngineArgs(type='MergeTree')),
            columns=[clouddb.DestinationColumnArgs(name='id', type='String')])"""
_KAFKA = """type='kafka', format='JSONEachRow', brokers='kafka.example.com:9092', topics='clicks',
            authentication='PLAIN'"""


def _as_wanted(pipe: Any) -> bool:
    kafka = pipe["source"]["kafka"]
    return bool(
        (pipe["name"], kafka.get("iamRole"), kafka["topics"])
        == ("clicks of the shop", "arn:aws:iam::1:role/r", "clicks")
        and pipe["scaling"]["replicas"] == 3
        and pipe["settings"]["streaming_max_insert_wait_ms"] == 1000
        and pipe["fieldMappings"] == [{"sourceField": "id", "destinationField": "id"}]
        and pipe["state"] == "Stopped"
        and "credentials" not in str(pipe)
    )


STREAM = Life(
    name="Pipe",
    kind="pipes",
    setting=a_service,
    before=f"""service_id=service_id, name='clicks',
        source=clouddb.PipeSourceArgs(kafka=clouddb.KafkaSourceArgs({_KAFKA})),
        credentials=clouddb.PipeCredentialsArgs(username='u', password='first'), {_COLUMNS}""",
    after=f"""service_id=service_id, name='clicks of the shop', stopped=True,
        source=clouddb.PipeSourceArgs(kafka=clouddb.KafkaSourceArgs({_KAFKA}, iam_role='arn:aws:iam::1:role/r')),
        credentials=clouddb.PipeCredentialsArgs(username='u', password='second'), {_COLUMNS},
        field_mappings=[clouddb.FieldMappingArgs(source_field='id', destination_field='id')],
        scaling=clouddb.PipeSizeArgs(replicas=3),
        settings=clouddb.PipeSettingsArgs(streaming_max_insert_wait_ms=1000)""",
    updated=frozenset({"name", "stopped", "source", "credentials", "fieldMappings", "scaling", "settings"}),
    drift=lambda sandbox, id_: sandbox.change("pipes", id_, name="Mine now", state="Running"),
    drifted=frozenset({"name", "stopped"}),
    as_wanted=_as_wanted,
)

_TABLE = "clouddb.PostgresTableMappingArgs(source_schema_name='public', source_table={0!r}, target_table={0!r})"
_POSTGRES = "host='db.example.com', database='shop'"

CHANGES = Life(
    name="Pipe",
    kind="pipes",
    setting=a_service,
    before=f"""service_id=service_id, name='orders',
        credentials=clouddb.PipeCredentialsArgs(username='u', password='p'),
        destination=clouddb.PipeDestinationArgs(database='default'),
        source=clouddb.PipeSourceArgs(postgres=clouddb.PostgresSourceArgs({_POSTGRES}, port=5432,
            table_mappings=[{_TABLE.format("orders")}, {_TABLE.format("items")}]))""",
    after=f"""service_id=service_id, name='orders', credentials=clouddb.PipeCredentialsArgs(username='u', password='p'),
        destination=clouddb.PipeDestinationArgs(database='default'),
        source=clouddb.PipeSourceArgs(postgres=clouddb.PostgresSourceArgs({_POSTGRES}, port=5433,
            settings=clouddb.PostgresSettingsArgs(sync_interval_seconds=30),
            table_mappings=[{_TABLE.format("orders")}, {_TABLE.format("users")}]))""",
    updated=frozenset({"source"}),
    drift=lambda sandbox, id_: sandbox.change("pipes", id_, name="Mine now"),
    drifted=frozenset({"name"}),
    as_wanted=lambda pipe: (
        (pipe["name"], pipe["state"], pipe["source"]["postgres"]["port"]) == ("orders", "Running", 5433)
        and {each["sourceTable"] for each in pipe["source"]["postgres"]["tableMappings"]} == {"orders", "users"}
    ),
)

LIVES = {"pipe of a stream": STREAM, "pipe of a database": CHANGES}

SOURCE = {
    "type": "kafka",
    "format": "JSONEachRow",
    "brokers": "kafka.example.com:9092",
    "topics": "clicks",
    "authentication": "PLAIN",
}
DESTINATION = {
    "database": "default",
    "table": "clicks",
    "managedTable": True,
    "columns": [{"name": "id", "type": "String"}],
}
COMMON: dict[str, Any] = {"serviceId": "$service_id", "destination": DESTINATION}

WIRE_LIVES = [
    WireLife(
        "pipe of a stream",
        STREAM,
        operations=("create_pipe", "update_pipe", "delete_pipe", "list_pipes"),
        before={
            **COMMON,
            "name": "clicks",
            "source": {"kafka": SOURCE},
            "credentials": {"username": "u", "password": "first"},
        },
        after={
            **COMMON,
            "name": "clicks of the shop",
            "source": {"kafka": {**SOURCE, "iamRole": "arn:aws:iam::1:role/r"}},
            "credentials": {"username": "u", "password": "second"},
            "scaling": {"replicas": 3},
            "settings": {"streaming_max_insert_wait_ms": 1000},
            "stopped": True,
        },
        details={
            "name": "UPDATE",
            "source.kafka.iamRole": "ADD",
            "credentials.password": "UPDATE",
            "scaling": "ADD",
            "settings": "ADD",
            "stopped": "ADD",
        },
        left_alone=frozenset({"serviceId", "createdAt"}),
        extra=frozenset({"credentials", "scaling", "settings", "source", "destination"}),
    )
]

OF_NO_INPUT = frozenset({"id", "state", "createdAt", "updatedAt", "lastError"})
"""Outputs that tell nothing of an input."""
