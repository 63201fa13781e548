"""The parts of a pipe besides its source: scaling, destination, field mappings and settings."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BeforeValidator, ConfigDict

from pulumi_clouddb.resource.state import without
from pulumi_clouddb.schema.base import Answer, FilledText, Flag, Number, Text, Whole, prop
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, TF, Rule, rule
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import Part, Thing, asked
from pulumi_clouddb.schema.usual import ClickHouseType
from pulumi_clouddb.schema.vendor import TableName, only_there, repeated
from pulumi_clouddb.schema.view import is_complete
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .enums import DestinationEngine
from .shared import Clause, FilledClause, Shared

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


class ScalingFields(Thing):
    """Scaling of a pipe. Servers may write sizes as quantities such as `250m` and `1Gi`; these are numbers here."""

    replicas: Whole | None = prop(
        "Replicas of a stream pipe.",
        ge=1,
        le=10,
        grows=True,
        answer=Answer("Number of replicas of a stream pipe."),
    )
    concurrency: Whole | None = prop("Concurrency of an object-storage pipe.", ge=0, le=34, grows=True)
    replica_cpu_millicores: Whole | None = prop(
        "CPU per replica of a stream pipe, in millicores.",
        ge=125,
        le=2000,
        grows=True,
        answer=Answer("CPU per replica, millicores.", type=Annotated[Whole | None, BeforeValidator(_millicores)]),
    )
    replica_memory_gb: Number | None = prop(
        "Memory per replica of a stream pipe, in GB.",
        ge=0.5,
        le=8,
        grows=True,
        answer=Answer("Memory per replica, in GB.", type=Annotated[Number | None, BeforeValidator(_gibibytes)]),
    )


class Scaling(ScalingFields, Part):
    """Scaling of a pipe. Servers may write sizes as quantities such as `250m` and `1Gi`; these are numbers here."""

    ANSWER = "PipeScalingRecord"


class PipeSize(Scaling):
    """The scaling of a pipe."""

    replicas: Whole | None = prop(
        "Replicas of a stream pipe.",
        ge=1,
        le=40,
        grows=True,
        answer=Answer("Number of replicas of a stream pipe."),
    )


ScalingT = TypeVar("ScalingT", bound=Scaling)

CONCURRENCY = property_name(Scaling, lambda scaling: scaling.concurrency)


def measured(scaling: ScalingT) -> ScalingT:
    """Return a scaling without unknown sizes: a server that has not measured yet, after a change, reports zero."""
    sizes = to_wire(scaling).items()
    return without(scaling, [name for name, size in sizes if size is None or (name != CONCURRENCY and size <= 0)])


def _versions_otherwise(engine: TableEngine) -> bool:
    replaces = engine.type == DestinationEngine.REPLACING_MERGE_TREE
    return engine.type is not None and replaces is not bool(engine.version_column_id)


class TableEngine(Shared):
    """Engine of a destination table."""

    RULES: ClassVar[tuple[Rule[TableEngine], ...]] = (
        rule(
            lambda given: given.version_column_id,
            "should be given if, and only if, type is ReplacingMergeTree",
            _versions_otherwise,
            warns=True,
            source=TF("clickpipe.go"),
        ),
        rule(
            lambda engine: engine.column_ids,
            "is for type SummingMergeTree",
            lambda engine: bool(engine.column_ids) and engine.type != DestinationEngine.SUMMING_MERGE_TREE,
            warns=True,
            source=TF("clickpipe.go"),
        ),
    )

    type: DestinationEngine | None = only_there("Kind of engine.")
    version_column_id: Text | None = prop("Column that holds the version.")
    column_ids: list[Text] | None = prop("Columns the engine works on.")


def _lists_of_columns(table: TableDefinition) -> str | None:
    found = [each for each in table.sorting_key or () if isinstance(each, str) and "," in each]
    return f", not {found[0]!r}" if found else None


def _columns_of(key: str | None) -> list[str]:
    """Return the columns of a key such as `(id, at)`; none if it has expressions."""
    names = re.split(r"\s*,\s*", re.sub(r"\A\s*\((.*)\)\s*\Z", r"\1", key or "").strip())
    return names if all(re.fullmatch(r"\w+", each) for each in names) else []


def _begins_otherwise(table: TableDefinition) -> bool:
    names, keys = _columns_of(table.primary_key), [*(table.sorting_key or ())]
    return bool(keys) and names != keys[: len(names)]


class TableDefinition(Shared):
    """Definition of a destination table."""

    RULES: ClassVar[tuple[Rule[TableDefinition], ...]] = (
        rule(
            lambda given: given.sorting_key,
            "must have one column or SQL expression without a comma in each entry",
            _lists_of_columns,
            source=API("ClickPipeDestinationTableDefinition.sortingKey"),
        ),
        rule(
            lambda table: table.sorting_key,
            "should be given for an engine of type ReplacingMergeTree",
            lambda table: (
                table.engine is not None
                and table.engine.type == DestinationEngine.REPLACING_MERGE_TREE
                and not table.sorting_key
            ),
            warns=True,
            source=TF("clickpipe.go"),
        ),
        rule(
            lambda given: given.primary_key,
            "should be the first columns of sortingKey",
            _begins_otherwise,
            warns=True,
            source=PAGE("https://clickhouse.com/docs/engines/table-engines/mergetree-family/mergetree#primary_key"),
        ),
    )

    engine: TableEngine | None = prop("Engine of the table.")
    sorting_key: list[Clause] | None = prop(
        "Sorting key: columns, or SQL expressions without a comma that are never null."
    )
    partition_by: Clause | None = prop("Partition expression.")
    primary_key: Clause | None = prop("Primary key.")
    ttl: FilledClause | None = only_there(
        "SQL expression after whose time rows are deleted, such as `time + INTERVAL 30 DAY`; for a table that the pipe "
        "creates."
    )


class DestinationColumn(Shared):
    """A column of a destination table."""

    name: FilledText | None = prop("Name of the column.", required=True)
    type: ClickHouseType | None = prop("Type of the column.", required=True)


RESERVED_ROLES = frozenset({"clickpipes", "clickpipes_system"})
"""Roles that the server's own users of pipes have."""


def _reserved(place: PipeDestination) -> str | None:
    found = [each for each in place.roles or () if isinstance(each, str) and each in RESERVED_ROLES]
    return f", not {found[0]!r}" if found else None


def _types_of(place: PipeDestination) -> dict[str, str]:
    """Return the types of the columns by their names; none if some are unknown."""
    columns = place.columns or ()
    return {str(each.name): str(each.type) for each in columns} if columns and is_complete(columns) else {}


def _missing_columns(place: PipeDestination) -> str | None:
    table, types = place.table_definition, _types_of(place)
    if table is None or not types:
        return None
    of_engine = (table.engine.version_column_id, *(table.engine.column_ids or ())) if table.engine is not None else ()
    in_key = (each for each in _keys_of(table) if each.isidentifier())
    missing = [each for each in dict.fromkeys((*of_engine, *in_key)) if each and each not in types]
    known = {*types, "tuple"}  # tuple() is no partition
    for name, text in (("ttl", table.ttl), ("partitionBy", table.partition_by)):
        missing += [f"any in {name} `{text}`"] if text and known.isdisjoint(re.findall(r"\w+", text)) else []
    return f"; missing: {', '.join(missing)}" if missing else None


def _keys_of(table: TableDefinition) -> list[str]:
    return [*(table.sorting_key or ()), *_columns_of(table.primary_key)]


def _partition_of_each(place: PipeDestination) -> str | None:
    table = place.table_definition
    name = (table.partition_by if table is not None else None) or ""
    is_time = re.match("(datetime|timestamp)", _types_of(place).get(name, ""), re.IGNORECASE)
    return f"; partitionBy {name} makes a partition of each: write toYYYYMM of it" if is_time else None


class PipeDestination(Shared):
    """The destination of a pipe."""

    RULES: ClassVar[tuple[Rule[PipeDestination], ...]] = (
        rule(
            lambda given: given.roles,
            "must not have a role that is reserved for pipes",
            _reserved,
            source=API("ClickPipeMutateDestination.roles"),
        ),
        rule(
            lambda given: given.columns,
            "should have the columns that the table definition names",
            _missing_columns,
            warns=True,
            source=TF("clickpipe.go"),
        ),
        rule(
            lambda place: place.columns,
            "should have each name once",
            lambda place: repeated(each.name for each in place.columns or ()),
            warns=True,
            source=OURS,
        ),
        rule(
            lambda place: place.table_definition,
            "should have few partitions",
            _partition_of_each,
            warns=True,
            source=PAGE("https://clickhouse.com/docs/engines/table-engines/mergetree-family/custom-partitioning-key"),
        ),
    )

    database: Text | None = prop("Database.", replaces=True)
    table: TableName | None = prop("Table; a database source sets its tables in `tableMappings`.", replaces=True)
    managed_table: Flag | None = prop("Whether the pipe manages the table.", replaces=True)
    table_definition: TableDefinition | None = prop("Definition of the table.", replaces=True)
    columns: list[DestinationColumn] | None = prop("Columns of the table. A change updates the pipe, not the table.")
    roles: list[Text] | None = asked(
        "Roles of the database user that writes; by default its default role.", only=CLICKHOUSE, replaces=True
    )


class FieldMapping(Shared):
    """A field of the source and its column."""

    source_field: Text | None = prop("Field of the source.", required=True)
    destination_field: Text | None = prop("Column of the destination.", required=True)


class PipeSettings(Shared):
    """Settings of a pipe; their names are also snake_case on the wire."""

    model_config = ConfigDict(alias_generator=None)

    streaming_max_insert_wait_ms: Whole | None = prop(
        "Longest wait before an insert, in milliseconds.", ge=500, le=60000
    )
    object_storage_concurrency: Whole | None = prop("Files read at a time.", ge=1, le=35)
    object_storage_polling_interval_ms: Whole | None = prop(
        "Time between two checks for new files, in milliseconds.", ge=100, le=3600000
    )
    object_storage_max_insert_bytes: Whole | None = prop(
        "Most bytes in one insert.", ge=524288000, le=10737418240, grows=True
    )
    object_storage_max_file_count: Whole | None = prop("Most files in one insert.", ge=1, le=10000)
    engine_max_threads: Whole | None = prop("Threads of the engine.", ge=0, le=64)
    engine_max_insert_threads: Whole | None = prop("Threads that insert.", ge=0, le=16)
    engine_min_insert_block_size_bytes: Whole | None = prop(
        "Minimum size of a block to insert, in bytes.", ge=0, le=10737418240
    )
    engine_max_download_threads: Whole | None = prop("Threads that download.", ge=0, le=32)
    engine_parallel_distributed_insert_select: Whole | None = prop("Mode of distributed insert-select.", ge=0, le=2)
    object_storage_use_cluster_function: Flag | None = prop("Whether files are read by all replicas.")
    engine_parallel_view_processing: Flag | None = prop("Whether views are filled in parallel.")
    kafka_read_committed: Flag | None = only_there(
        "Whether only messages of committed transactions are read; for a Kafka source only.", clears=False
    )
