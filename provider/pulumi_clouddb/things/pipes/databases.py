"""Sources of pipes that are databases: Postgres, MySQL, BigQuery and MongoDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, ClassVar, TypeAlias

from pulumi_clouddb.schema.base import A_HOST, FilledText, Flag, HostName, Number, Text, Whole, identity, prop
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, SEEN, TF, Rule, rule
from pulumi_clouddb.schema.check.wording import doubted, matching
from pulumi_clouddb.schema.usual import Certificates, RoleArn
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vendor import FilledTableName, of_server, only_there, reachable, repeated, without
from pulumi_clouddb.schema.view import raw_of

from .enums import (
    WORKLOAD_IDENTITY,
    DatabaseAuthentication,
    GoogleAuthentication,
    MappedTableEngine,
    MySqlType,
    PostgresType,
    ReadPreference,
    ReplicationMechanism,
    ReplicationMode,
    SnapshotMode,
)
from .shared import (
    ALONE,
    IN_TERRAFORM,
    Clause,
    ProjectId,
    Shared,
    fixed,
    fixed_there,
    lacks_role,
    role_in_vain,
    ssh_key,
)

_TLS_HOST = "Host name in its certificate."
_CA = "Certificate authority of the database, PEM."
_NO_TLS = "Whether connections are not encrypted."
_UNVERIFIED = "Whether the certificate of the database is not verified."
_NULLABLE = "Whether columns may be nullable."
_INTERVAL = "Seconds between two syncs."
_DELETED = "also deleted in the destination table."

TlsHost = Annotated[Text, A_HOST]
StagingPath = Annotated[FilledText, doubted("should be a path such as gs://BUCKET/PATH/", matching("gs://.+"))]
DataSet = Annotated[FilledText, doubted("should be the name of a data set alone", matching("[^.:]+"))]
Column = Annotated[Text, ALONE, doubted("should be the name of one column", matching("[^,()]*"))]
_NO_PARTITION = "should not be empty: leave it out for a table without partitions"
PartitionClause = Annotated[Clause, doubted(_NO_PARTITION, lambda text: text if text.strip() else None)]
SourceTable = Annotated[FilledTableName, doubted("should be one table: patterns are not supported", without(r"[*%]"))]
SlotName = Annotated[
    Text, doubted("should have lowercase letters, digits and underscores only", without(r"[^a-z0-9_]"))
]


Database: TypeAlias = "PostgresSource | MySqlSource"
WithTls: TypeAlias = "Database | MongoDbSource"
WithTables: TypeAlias = "WithTls | BigQuerySource"

USER_IN_URI = re.compile(r"([^/]*//)[^/]*@")
"""The user name and the password in the address of a MongoDB database."""


def is_foreign_slot(settings: PostgresSettings) -> bool:
    """Return whether the settings of a source have a replication slot that their mode does not use."""
    return bool(settings.replication_slot_name) and settings.replication_mode != ReplicationMode.CDC_ONLY


class PostgresSettings(Shared):
    """How a Postgres pipe replicates."""

    RULES: ClassVar[tuple[Rule[PostgresSettings], ...]] = (
        rule(  # a pipe that exists may have a slot that the server has created, so only that of a new one is refused
            lambda settings: settings.replication_slot_name,
            "is for replicationMode cdc_only",
            is_foreign_slot,
            warns=True,
            source=API("ClickPipePostgresPipeSettings.replicationSlotName"),
        ),
        rule(
            lambda settings: settings.enable_failover_slots,
            "is for slots that the pipe creates: remove it, or replicationSlotName",
            lambda settings: settings.enable_failover_slots is True and bool(settings.replication_slot_name),
            warns=True,
            source=API("ClickPipePostgresPipeSettings.enableFailoverSlots"),
        ),
    )

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Rows pulled at a time.", ge=1)
    publication_name: Text | None = fixed("Publication. By default one is created.")
    replication_mode: ReplicationMode | None = fixed_there("Kind of replication.")
    replication_slot_name: SlotName | None = fixed("Replication slot, with `cdc_only`.")
    allow_nullable_columns: Flag | None = fixed(_NULLABLE)
    initial_load_parallelism: Whole | None = fixed("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = fixed("Rows per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = fixed("Tables copied at a time in the snapshot.", ge=1)
    enable_failover_slots: Flag | None = fixed("Whether failover slots are used.")
    delete_on_merge: Flag | None = fixed_there(f"Whether deleted rows are {_DELETED}")


def _excluded_key(mapping: TableMapping) -> str | None:
    found = {*(mapping.sorting_keys or ())}.intersection(mapping.excluded_columns or ())
    return f", not {min(found)!r}" if found else None


def _each_once(columns: Callable[[TableMapping], list[str] | None], name: str) -> Rule[TableMapping]:
    source = API(f"ClickPipePostgresPipeTableMapping.{name}")
    text = "should name each column once"
    return rule(columns, text, lambda mapping: repeated(columns(mapping) or ()), warns=True, source=source)


_SORTED = API("ClickPipePostgresPipeTableMapping.useCustomSortingKey")


class TableMapping(Shared):
    """A source table and its destination table."""

    RULES: ClassVar[tuple[Rule[TableMapping], ...]] = (
        _each_once(lambda mapping: mapping.excluded_columns, "excludedColumns"),
        _each_once(lambda mapping: mapping.sorting_keys, "sortingKeys"),
        rule(
            lambda mapping: mapping.sorting_keys,
            "should be given if, and only if, useCustomSortingKey is true",
            lambda mapping: bool(mapping.sorting_keys) is not bool(mapping.use_custom_sorting_key),
            warns=True,
            source=_SORTED,
        ),
        rule(
            lambda mapping: mapping.sorting_keys,
            "should not name a column of excludedColumns",
            _excluded_key,
            warns=True,
            source=OURS,
        ),
    )

    source_table: SourceTable | None = prop("Source table.", required=True)
    target_table: FilledTableName | None = prop("Destination table.", required=True)
    excluded_columns: list[Column] | None = prop("Columns to leave out.")
    use_custom_sorting_key: Flag | None = prop("Whether `sortingKeys` is used.")
    sorting_keys: list[Column] | None = prop("Sorting key of the destination table.")
    table_engine: MappedTableEngine | None = only_there("Engine of the destination table.")


class MySqlTableMapping(TableMapping):
    """A MySQL table and its destination table."""

    source_schema_name: FilledText | None = prop("Schema of the source table.", required=True)
    partition_key: Column | None = only_there("Column that splits the snapshot.")
    partition_by_expr: PartitionClause | None = fixed_there(
        "Partition expression of the destination table, which the pipe creates with it."
    )


class PostgresTableMapping(MySqlTableMapping):
    """A source table and its destination table."""


class BigQueryTableMapping(TableMapping):
    """A BigQuery table and its destination table."""

    source_dataset_name: DataSet | None = prop("Data set of the source table.", required=True)


class MongoDbTableMapping(Shared):
    """A collection and its destination table."""

    source_database_name: FilledText | None = prop("Database of the collection.", required=True)
    source_collection: FilledText | None = prop("Collection.", required=True)
    target_table: FilledTableName | None = prop("Destination table.", required=True)
    table_engine: MappedTableEngine | None = prop("Engine of the destination table.")


class DatabaseSource(Shared):
    """The address of a database."""

    host: HostName | None = prop("Host name.", required=True)
    port: Whole | None = prop("Port number.", required=True, ge=1, le=65535)
    tls_host: TlsHost | None = only_there(_TLS_HOST)
    ca_certificate: Certificates | None = only_there(_CA)
    disable_tls: Flag | None = only_there(_NO_TLS)
    skip_cert_verification: Flag | None = only_there(_UNVERIFIED)
    ssh_key_resource_id: FilledText | None = ssh_key()


def _mappings_fault(source: WithTables) -> str | None:
    mappings = raw_of(source, "table_mappings")
    if not mappings:
        return None if mappings is None else ", not an empty list"
    known = [identity(each) for each in mappings]
    twice = next((at for at, each in enumerate(known) if each in known[:at] and not contains_unknown(each)), None)
    return None if twice is None else f"; duplicate: [{twice}]"


def _shared_target(source: WithTables) -> str | None:
    targets = [each.target_table for each in source.table_mappings or ()]
    return repeated(targets) if len({*targets}) < len(targets) else None


_MAPPINGS: tuple[Rule[WithTables], ...] = (
    rule(
        lambda source: source.table_mappings,
        "must have one or more mappings, each once",
        _mappings_fault,
        source=TF("clickpipe.go", refuses=True),
    ),
    rule(
        lambda source: source.table_mappings,
        "should each have a targetTable of their own",
        _shared_target,
        warns=True,
        source=IN_TERRAFORM,
    ),
)
_TLS_TURNED_OFF: Rule[WithTls] = rule(
    lambda source: source.disable_tls,
    "should not be true beside tlsHost and caCertificate, which are for TLS: remove it, or these",
    lambda source: source.disable_tls is True and bool(source.tls_host or source.ca_certificate),
    warns=True,
    source=OURS,
)
_INDIRECT = re.compile(r"-pooler\.|\.pooler\.|\.proxy-[^.]+\.[^.]+\.rds\.|\.cluster-ro-")


def _indirect(source: Database) -> bool:
    snapshot = source.settings is not None and source.settings.replication_mode == "snapshot"
    return bool(_INDIRECT.search(source.host or "")) and not snapshot


def _of_database(schema: str) -> tuple[Rule[Database], ...]:
    required: Rule[Database] = rule(
        lambda source: source.iam_role,
        "is required for authentication IAM_ROLE",
        lacks_role,
        source=API(f"{schema}.iamRole"),
    )
    primary: Rule[Database] = rule(
        lambda source: source.host,
        "should be that of the primary server: no changes pass poolers, proxies and readers",
        _indirect,
        warns=True,
        source=SEEN("estuary/flow#2670"),
    )
    known: Rule[Database] = reachable(lambda source: source.host, lambda source: source.ssh_key_resource_id)
    return required, primary, known, _TLS_TURNED_OFF, role_in_vain(schema), *_MAPPINGS


class PostgresSource(DatabaseSource):
    """Source variant: the change stream of a Postgres database."""

    RULES: ClassVar[tuple[Rule[PostgresSource], ...]] = (
        of_server(lambda source: source.port, "Postgres", 5432),
        *_of_database("ClickPipeMutatePostgresSource"),
    )

    type: PostgresType | None = fixed_there("Kind of database.", unset=PostgresType.POSTGRES)
    database: FilledText | None = prop("Database.", required=True)
    authentication: DatabaseAuthentication | None = fixed_there("Kind of authentication.")
    iam_role: RoleArn | None = fixed_there("Role used to read the database.")
    settings: PostgresSettings | None = prop("Settings of the replication.")
    table_mappings: list[PostgresTableMapping] | None = prop("Tables with their destination tables.", required=True)


class MySqlSettings(Shared):
    """How a MySQL pipe replicates."""

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Rows pulled at a time.", ge=1)
    replication_mode: ReplicationMode | None = fixed("Kind of replication.", required=True)
    replication_mechanism: ReplicationMechanism | None = fixed(
        "Mechanism of replication.", unset=ReplicationMechanism.GTID
    )
    use_compression: Flag | None = prop("Whether the connection is compressed.")
    allow_nullable_columns: Flag | None = fixed(_NULLABLE)
    initial_load_parallelism: Whole | None = fixed("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = fixed("Rows per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = fixed("Tables copied at a time in the snapshot.", ge=1)
    delete_on_merge: Flag | None = fixed(f"Whether deleted rows are {_DELETED}")


class MySqlSource(DatabaseSource):
    """Source variant: the change stream of a MySQL database."""

    RULES: ClassVar[tuple[Rule[MySqlSource], ...]] = (
        rule(
            lambda source: source.settings,
            "must have replicationMechanism GTID for MariaDB",
            lambda source: (
                source.type in ("mariadb", "rdsmariadb")
                and source.settings is not None
                and source.settings.replication_mechanism not in (None, "GTID")
            ),
            source=API("ClickPipeMySQLPipeSettings.replicationMechanism"),
        ),
        of_server(lambda source: source.port, "MySQL", 3306),
        *_of_database("ClickPipeMutateMySQLSource"),
    )

    type: MySqlType | None = fixed("Kind of database.", unset=MySqlType.MYSQL)
    authentication: DatabaseAuthentication | None = prop("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the database.")
    server_id: Whole | None = prop("Id of the pipe among the replicas of the database.", ge=1, le=4294967295)
    settings: MySqlSettings | None = prop("Settings of the replication.", required=True)
    table_mappings: list[MySqlTableMapping] | None = prop("Tables with their destination tables.", required=True)


class BigQuerySettings(Shared):
    """How a BigQuery pipe replicates."""

    replication_mode: SnapshotMode | None = prop("Kind of replication.", required=True)
    allow_nullable_columns: Flag | None = prop(_NULLABLE)
    initial_load_parallelism: Number | None = prop("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Number | None = prop("Rows per partition of the snapshot.", ge=1)
    snapshot_number_of_parallel_tables: Number | None = prop("Tables copied at a time in the snapshot.", ge=1)


class BigQuerySource(Shared):
    """Source variant: a data set of BigQuery."""

    RULES: ClassVar[tuple[Rule[BigQuerySource], ...]] = (
        rule(
            lambda source: source.project_id,
            f"is required with authentication {WORKLOAD_IDENTITY}",
            lambda source: (
                source.authentication == GoogleAuthentication.WORKLOAD_IDENTITY and source.project_id is None
            ),
            source=API("ClickPipeMutateBigQuerySource.projectId"),
        ),
        *_MAPPINGS,
    )

    authentication: GoogleAuthentication | None = fixed_there(
        "Kind of authentication.", unset=GoogleAuthentication.SERVICE_ACCOUNT
    )
    project_id: ProjectId | None = fixed_there("Project that owns the data set.")
    snapshot_staging_path: StagingPath | None = fixed("Path of a bucket for the snapshot.", required=True)
    settings: BigQuerySettings | None = fixed("Settings of the replication.", required=True)
    table_mappings: list[BigQueryTableMapping] | None = fixed("Tables with their destination tables.", required=True)


class MongoDbSettings(Shared):
    """How a MongoDB pipe replicates."""

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Documents pulled at a time.", ge=1)
    replication_mode: ReplicationMode | None = fixed("Kind of replication.", required=True)
    initial_load_parallelism: Whole | None = fixed_there("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = fixed("Documents per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = fixed("Collections copied at a time in the snapshot.", ge=1)
    delete_on_merge: Flag | None = fixed(f"Whether deleted documents are {_DELETED}")
    use_json_native_format: Flag | None = fixed("Whether documents are stored as JSON and not as text.")


class MongoDbSource(Shared):
    """Source variant: the change stream of a MongoDB database."""

    RULES: ClassVar[tuple[Rule[MongoDbSource], ...]] = (
        rule(
            lambda source: source.uri,
            "must not contain a user name and a password: these must be in `credentials`",
            lambda source: USER_IN_URI.match(source.uri or ""),
            source=OURS,
        ),
        rule(
            lambda source: source.uri,
            "should begin with mongodb:// or mongodb+srv://",
            lambda source: not re.match(r"mongodb(\+srv)?://|\Z", source.uri or ""),
            warns=True,
            source=API("ClickPipeMutateMongoDBSource.uri"),
        ),
        rule(
            lambda source: source.uri,
            "should have one host, and no port, after mongodb+srv://",
            lambda source: re.match(r"mongodb\+srv://[^/?]*[:,]", source.uri or ""),
            warns=True,
            source=PAGE("https://www.mongodb.com/docs/manual/reference/connection-string/"),
        ),
        reachable(lambda source: source.uri, lambda source: source.ssh_key_resource_id),
        _TLS_TURNED_OFF,
        *_MAPPINGS,
    )

    uri: FilledText | None = prop(
        "Address of the database, without user name and password: set these in `credentials`.",
        required=True,
        secret=True,
    )
    read_preference: ReadPreference | None = prop("Members that are read.", required=True)
    tls_host: TlsHost | None = prop(_TLS_HOST)
    ca_certificate: Certificates | None = prop(_CA)
    disable_tls: Flag | None = prop(_NO_TLS)
    skip_cert_verification: Flag | None = prop(_UNVERIFIED)
    settings: MongoDbSettings | None = prop("Settings of the replication.", required=True)
    table_mappings: list[MongoDbTableMapping] | None = prop("Collections with their destination tables.", required=True)
    ssh_key_resource_id: FilledText | None = ssh_key()
