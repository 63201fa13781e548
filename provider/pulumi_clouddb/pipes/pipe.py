"""The ingestion pipe as the server answers it: source, destination, mappings, scaling and settings."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict

from pulumi_clouddb.schema.base import AnsweredText, Flag, Model, Number, Record, Text, Uuid, Whole, prop
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.thing import Thing
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .sources import PipeSource

_UNITS = {"": 1.0, "m": 1e-3, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "K": 1e3, "M": 1e6, "G": 1e9}


def _quantity(text: str) -> float | None:
    match = re.fullmatch(r"([0-9.]+)(m|[KMG]i?)?", text.strip())
    return float(match[1]) * _UNITS[match[2] or ""] if match else None


def _millicores(value: Any) -> Any:
    amount = _quantity(value) if isinstance(value, str) else None
    if amount is None:
        return value
    return round(amount * 1000) if value.strip().endswith("m") else round(amount)


def _gibibytes(value: Any) -> object:
    amount = _quantity(value) if isinstance(value, str) else None
    if amount is None:
        return value
    return amount / 2**30 if re.search(r"[KMG]i?$", value.strip()) else amount


class Scaling(Thing):
    """Scaling of a pipe. Servers may write sizes as quantities such as `250m` and `1Gi`; these are numbers here."""

    ANSWER = "PipeScalingRecord"

    replicas: Whole | None = prop(
        "Replicas of a stream pipe.", ge=1, le=10, answer="Number of replicas of a stream pipe.", answer_type=Whole
    )
    concurrency: Whole | None = prop("Concurrency of an object-storage pipe.", ge=0, le=34, answer_type=Whole)
    replica_cpu_millicores: Whole | None = prop(
        "CPU per replica of a stream pipe, in millicores.",
        ge=125,
        le=2000,
        answer="CPU per replica, millicores.",
        answer_type=Annotated[Whole | None, BeforeValidator(_millicores)],
    )
    replica_memory_gb: Number | None = prop(
        "Memory per replica of a stream pipe, in GB.",
        ge=0.5,
        le=8,
        answer="Memory per replica, in GB.",
        answer_type=Annotated[Number | None, BeforeValidator(_gibibytes)],
    )


class TableEngine(Record):
    """Engine of a destination table."""

    type: AnsweredText | None = prop("Kind of engine, such as `ReplacingMergeTree`.", only=CLICKHOUSE)
    version_column_id: AnsweredText | None = prop("Column that holds the version.")
    column_ids: list[AnsweredText] | None = prop("Columns the engine works on.")


class TableDefinition(Record):
    """How a destination table is made."""

    engine: TableEngine | None = prop("Engine of the table.")
    sorting_key: list[AnsweredText] | None = prop("Sorting key.")
    partition_by: AnsweredText | None = prop("Partition expression.")
    primary_key: AnsweredText | None = prop("Primary key.")


class DestinationColumn(Record):
    """A column of a destination table."""

    name: AnsweredText | None = prop("Name of the column.")
    type: AnsweredText | None = prop("Type of the column.")


class PipeDestination(Record):
    """Where a pipe writes."""

    database: AnsweredText | None = prop("Database.")
    table: AnsweredText | None = prop("Table.")
    managed_table: Flag | None = prop("Whether the pipe manages the table.")
    table_definition: TableDefinition | None = prop("How the table is made.")
    columns: list[DestinationColumn] | None = prop("Columns of the table.")


class FieldMapping(Record):
    """Which field goes into which column."""

    source_field: AnsweredText | None = prop("Field of the source.")
    destination_field: AnsweredText | None = prop("Column of the destination.")


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

    id: AnsweredText | None = prop("Id (UUID) of the pipe.")
    service_id: AnsweredText | None = prop("Id (UUID) of the service that owns it.")
    name: AnsweredText | None = prop("Name of the pipe.")
    state: AnsweredText | None = prop("State in the server's words; its values are not fixed.")
    scaling: Scaling | None = prop("How it is scaled.")
    source: PipeSource | None = prop("Where it reads.")
    destination: PipeDestination | None = prop("Where it writes.")
    field_mappings: list[FieldMapping] | None = prop("Which field goes into which column.")
    settings: PipeSettings | None = prop("Its settings.")
    created_at: AnsweredText | None = prop("When it was created.")
    updated_at: AnsweredText | None = prop("When it was changed last.")


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
