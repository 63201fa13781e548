"""The ingestion pipe as the server answers it: source variants, destination, mappings, scaling and settings."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict

from .base import Flag, Model, Number, Record, Text, Uuid, Whole, prop
from .resource_type import FunctionType

_UNITS = {"": 1.0, "m": 1e-3, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "K": 1e3, "M": 1e6, "G": 1e9}


def _quantity(text: str) -> float | None:
    match = re.fullmatch(r"([0-9.]+)(m|[KMG]i?)?", text.strip())
    return float(match[1]) * _UNITS[match[2] or ""] if match else None


def _millicores(value: Any) -> Any:
    amount = _quantity(value) if isinstance(value, str) else None
    if amount is None:
        return value
    return round(amount * 1000) if value.strip().endswith("m") else round(amount)


def _gibibytes(value: Any) -> Any:
    amount = _quantity(value) if isinstance(value, str) else None
    if amount is None:
        return value
    return amount / 2**30 if re.search(r"[KMG]i?$", value.strip()) else amount


class PipeScalingRecord(Record):
    """Scaling of a pipe. Servers may write sizes as quantities such as `250m` and `1Gi`; these are numbers here."""

    replicas: Whole | None = prop("Number of replicas of a stream pipe.")
    concurrency: Whole | None = prop("Concurrency of an object-storage pipe.")
    replica_cpu_millicores: Annotated[Whole | None, BeforeValidator(_millicores)] = prop("CPU per replica, millicores.")
    replica_memory_gb: Annotated[Number | None, BeforeValidator(_gibibytes)] = prop("Memory per replica, in GB.")


class KafkaOffset(Record):
    """Where a Kafka pipe starts reading."""

    timestamp: Text | None = prop("Moment to start from.")


class KafkaSchemaRegistry(Record):
    """Schema registry of a Kafka pipe."""

    url: Text | None = prop("Address of the registry.")
    authentication: Text | None = prop("Kind of authentication; `PLAIN` occurs.")
    ca_certificate: Text | None = prop("Certificate authority of the registry, PEM.")


class KafkaSource(Record):
    """Source variant: a message stream spoken in Kafka's protocol."""

    brokers: Text | None = prop("Addresses of the brokers.")
    topics: Text | None = prop("Topics that are read.")
    consumer_group: Text | None = prop("Consumer group.")
    iam_role: Text | None = prop("Role used to read the stream.")
    offset: KafkaOffset | None = prop("Where reading starts.")
    schema_registry: KafkaSchemaRegistry | None = prop("Schema registry.")
    ca_certificate: Text | None = prop("Certificate authority of the brokers, PEM.")
    reverse_private_endpoint_ids: list[Text] | None = prop("Reverse private endpoints used.")


class ObjectStorageSource(Record):
    """Source variant: files in object storage."""

    url: Text | None = prop("Address of the files; may hold wildcards.")
    delimiter: Text | None = prop("Delimiter of fields.")
    compression: Text | None = prop("Compression; `auto` occurs.")
    is_continuous: Flag | None = prop("Whether new files keep being read.")
    queue_url: Text | None = prop("Queue that announces new files.")
    iam_role: Text | None = prop("Role used to read the files.")
    connection_string: Text | None = prop("Connection string; it holds credentials.", secret=True)
    path: Text | None = prop("Path of the files.")
    azure_container_name: Text | None = prop("Container, on Azure.")


class KinesisSource(Record):
    """Source variant: a Kinesis stream."""

    stream_name: Text | None = prop("Name of the stream.")
    region: Text | None = prop("Region of the stream.")
    use_enhanced_fan_out: Flag | None = prop("Whether enhanced fan-out is used.")
    timestamp: Number | None = prop("Moment to start from, seconds since 1970.")
    iam_role: Text | None = prop("Role used to read the stream.")


class PostgresSettings(Record):
    """How a Postgres pipe replicates."""

    sync_interval_seconds: Number | None = prop("Seconds between two syncs.")
    pull_batch_size: Number | None = prop("Rows pulled at a time.")
    publication_name: Text | None = prop("Publication.")
    replication_slot_name: Text | None = prop("Replication slot.")
    allow_nullable_columns: Flag | None = prop("Whether columns may be nullable.")
    initial_load_parallelism: Number | None = prop("Parallelism of the initial load.")
    snapshot_num_rows_per_partition: Number | None = prop("Rows per partition of the snapshot.")
    snapshot_number_of_parallel_tables: Number | None = prop("Tables copied at a time in the snapshot.")
    enable_failover_slots: Flag | None = prop("Whether failover slots are used.")


class PostgresTableMapping(Record):
    """Which table goes where."""

    source_schema_name: Text | None = prop("Schema of the source table.")
    source_table: Text | None = prop("Source table.")
    target_table: Text | None = prop("Destination table.")
    excluded_columns: list[Text] | None = prop("Columns left out.")
    use_custom_sorting_key: Flag | None = prop("Whether sortingKeys apply.")
    sorting_keys: list[Text] | None = prop("Sorting key of the destination table.")


class PostgresSource(Record):
    """Source variant: the change stream of a Postgres database."""

    host: Text | None = prop("Host name.")
    port: Number | None = prop("Port number.")
    database: Text | None = prop("Database.")
    settings: PostgresSettings | None = prop("How it replicates.")
    table_mappings: list[PostgresTableMapping] | None = prop("Which table goes where.")


class PipeSource(Record):
    """Where a pipe reads; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream spoken in Kafka's protocol.")
    object_storage: ObjectStorageSource | None = prop("Files in object storage.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    postgres: PostgresSource | None = prop("The change stream of a Postgres database.")


class TableEngine(Record):
    """Engine of a destination table."""

    version_column_id: Text | None = prop("Column that holds the version.")
    column_ids: list[Text] | None = prop("Columns the engine works on.")


class TableDefinition(Record):
    """How a destination table is made."""

    engine: TableEngine | None = prop("Engine of the table.")
    sorting_key: list[Text] | None = prop("Sorting key.")
    partition_by: Text | None = prop("Partition expression.")
    primary_key: Text | None = prop("Primary key.")


class DestinationColumn(Record):
    """A column of a destination table."""

    name: Text | None = prop("Name of the column.")
    type: Text | None = prop("Type of the column.")


class PipeDestination(Record):
    """Where a pipe writes."""

    database: Text | None = prop("Database.")
    table: Text | None = prop("Table.")
    managed_table: Flag | None = prop("Whether the pipe manages the table.")
    table_definition: TableDefinition | None = prop("How the table is made.")
    columns: list[DestinationColumn] | None = prop("Columns of the table.")


class FieldMapping(Record):
    """Which field goes into which column."""

    source_field: Text | None = prop("Field of the source.")
    destination_field: Text | None = prop("Column of the destination.")


class PipeSettings(Record):
    """Settings of a pipe; their names are snake_case on the wire, too."""

    model_config = ConfigDict(alias_generator=None)

    streaming_max_insert_wait_ms: Number | None = prop("Longest wait before an insert, milliseconds.")
    object_storage_concurrency: Number | None = prop("Files read at a time.")
    object_storage_polling_interval_ms: Number | None = prop("Time between two looks for new files, milliseconds.")
    object_storage_max_insert_bytes: Number | None = prop("Most bytes in one insert.")
    object_storage_max_file_count: Number | None = prop("Most files in one insert.")
    engine_max_threads: Number | None = prop("Threads of the engine.")
    engine_max_insert_threads: Number | None = prop("Threads that insert.")
    engine_min_insert_block_size_bytes: Number | None = prop("Least size of a block to insert, bytes.")
    engine_max_download_threads: Number | None = prop("Threads that download.")
    engine_parallel_distributed_insert_select: Number | None = prop("Mode of distributed insert-select.")
    object_storage_use_cluster_function: Flag | None = prop("Whether files are read by all replicas.")
    engine_parallel_view_processing: Flag | None = prop("Whether views are filled in parallel.")


class PipeResponse(Record):
    """The pipe as the server answers it."""

    id: Text | None = prop("Id (UUID) of the pipe.")
    service_id: Text | None = prop("Id (UUID) of the service that owns it.")
    name: Text | None = prop("Name of the pipe.")
    state: Text | None = prop("State in the server's words; its values are not fixed.")
    scaling: PipeScalingRecord | None = prop("How it is scaled.")
    source: PipeSource | None = prop("Where it reads.")
    destination: PipeDestination | None = prop("Where it writes.")
    field_mappings: list[FieldMapping] | None = prop("Which field goes into which column.")
    settings: PipeSettings | None = prop("Its settings.")
    created_at: Text | None = prop("When it was created.")
    updated_at: Text | None = prop("When it was changed last.")


class GetPipeArgs(Model):
    """Arguments of getPipe."""

    service_id: Uuid = prop("Id of the service that owns the pipe.", required=True)
    pipe_id: Uuid = prop("Id of the pipe.", required=True)


class ListPipesArgs(Model):
    """Arguments of listPipes."""

    service_id: Uuid = prop("Id of the service that owns the pipes.", required=True)
    name: Text | None = prop("Only pipes of exactly this name, or the one of this id.")


class PipeList(Record):
    """Answer of listPipes."""

    pipes: list[PipeResponse] = prop("The pipes, in the server's order.", required=True)


LIST_PIPES = FunctionType("listPipes", "Lists the pipes of a service.", ListPipesArgs, PipeList)
GET_PIPE = FunctionType("getPipe", "Reads one pipe of a service.", GetPipeArgs, PipeResponse)
