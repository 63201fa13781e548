"""The source of a pipe: an object for each kind, of which one is set.

No update accepts a field that is marked as replacing; an update sends all others that the program sets.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, ClassVar

from pulumi_clouddb.schema.base import (
    A_HOST,
    Answer,
    Code,
    Data,
    FilledCode,
    FilledText,
    Flag,
    HostName,
    Number,
    Text,
    Timestamp,
    Whole,
    prop,
)
from pulumi_clouddb.schema.check.rules import Rule, rule, wire_case
from pulumi_clouddb.schema.check.wording import doubted, matching
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.usual import (
    AwsRegion,
    Brokers,
    Certificates,
    FilledRoleArn,
    NameAlone,
    RoleArn,
    StartTime,
    Topics,
)
from pulumi_clouddb.schema.vendor import FilledTableName, only_there

from . import source_rules
from .enums import (
    WORKLOAD_IDENTITY,
    AwsAuthentication,
    Compression,
    DatabaseAuthentication,
    FileFormat,
    GoogleAuthentication,
    IteratorType,
    KafkaAuthentication,
    KafkaFormat,
    KafkaType,
    KinesisFormat,
    KinesisRegistryType,
    MappedTableEngine,
    MySqlType,
    ObjectStorageAuthentication,
    ObjectStorageType,
    OffsetStrategy,
    PostgresType,
    PubSubFormat,
    ReadPreference,
    RegistryAuthentication,
    RegistryType,
    ReplicationMechanism,
    ReplicationMode,
    SeekType,
    SnapshotMode,
    TombstoneMode,
)

_fixed = partial(prop, replaces=True)
"""Declare a property that no update accepts."""

_fixed_there = partial(only_there, replaces=True)


_TLS_HOST = "Host name in its certificate."
_CA = "Certificate authority of the database, PEM."
_NO_TLS = "Whether connections are not encrypted."
_UNVERIFIED = "Whether the certificate of the database is not verified."
_NULLABLE = "Whether columns may be nullable."
_INTERVAL = "Seconds between two syncs."
_DELETED = "also deleted in the destination table."


TlsHost = Annotated[Text, A_HOST]
_NO_ENDPOINT = matching(r"(?!vpce-|rcfg-|arn:)[^.]*")
EndpointId = Annotated[Text, doubted("should be the output id of a ReversePrivateEndpoint", _NO_ENDPOINT)]
StagingPath = Annotated[FilledText, doubted("should be a path such as gs://BUCKET/PATH/", matching("gs://.+"))]
DataSet = Annotated[FilledText, doubted("should be the name of a data set alone", matching("[^.:]+"))]
_KEYWORD = re.compile(r"(?i)\A\s*(partition by|primary key|order by|ttl)\s+|\s+(asc|desc)\s*\Z")
_ALONE = doubted("should be without the keyword of its clause", partial(_KEYWORD.sub, ""))
Clause = Annotated[Code, _ALONE]
Column = Annotated[Text, _ALONE, doubted("should be the name of one column", matching("[^,()]*"))]
FilledClause = Annotated[FilledCode, _ALONE]


def _ssh_key() -> Any:
    return _fixed_there("Id of the `PipeSshKey` through whose SSH server the source is reached.")


class Shared(Part):
    """Base of the parts that have the same name in requests and responses."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the response type after the inputs."""
        super().__init_subclass__(**kwargs)
        cls.ANSWER = cls.__name__


class KafkaOffset(Shared):
    """Start of reading of a Kafka pipe."""

    RULES: ClassVar[tuple[Rule[KafkaOffset], ...]] = source_rules.KAFKA_OFFSET

    strategy: OffsetStrategy | None = only_there("Where reading starts.")
    timestamp: StartTime | None = prop("Time to start from, in UTC, to the minute.")


CONFLUENT_NEEDS = ("url", "authentication")
GLUE_NEEDS = ("glue_region", "glue_registry_name")
"""The attributes that each type of registry requires."""

_OF_CONFLUENT, _OF_GLUE = (*CONFLUENT_NEEDS, "ca_certificate"), (*GLUE_NEEDS, "glue_role_arn")


def _registry_fault(registry: KafkaSchemaRegistry) -> str | None:
    glue = registry.type == RegistryType.GLUE
    if not glue and registry.type not in (None, RegistryType.CONFLUENT):  # a newer one
        return None
    needs, others = (GLUE_NEEDS, _OF_CONFLUENT) if glue else (CONFLUENT_NEEDS, _OF_GLUE)
    missing = [wire_case(each) for each in needs if getattr(registry, each) is None]
    foreign = [wire_case(each) for each in others if getattr(registry, each) is not None]
    texts = [f"{word} {', '.join(names)}" for word, names in (("missing:", missing), ("not", foreign)) if names]
    return "; ".join(["", *texts]) if texts else None


def _glue_role_arn() -> Any:
    return only_there("ARN of the role that reads the registry, of type `glue`. By default `iamRole` of the source.")


class KafkaSchemaRegistry(Shared):
    """Schema registry of a Kafka pipe."""

    RULES: ClassVar[tuple[Rule[KafkaSchemaRegistry], ...]] = (
        rule(
            lambda source: source.type,
            "`confluent` needs url and authentication, `glue` needs glueRegion and glueRegistryName, and neither has "
            "properties of the other",
            _registry_fault,
        ),
        rule(
            lambda registry: registry.url,
            "must begin with https://",
            lambda registry: not (registry.url is None or registry.url.startswith("https://")),
        ),
    )

    type: RegistryType | None = only_there("Kind of registry.", unset=RegistryType.CONFLUENT)
    url: Text | None = prop("Address of the registry, of type `confluent`.")
    authentication: RegistryAuthentication | None = prop("Kind of authentication, of type `confluent`.")
    ca_certificate: Certificates | None = prop("Certificate authority of the registry, PEM, of type `confluent`.")
    glue_region: AwsRegion | None = only_there("Region of the registry, of type `glue`.")
    glue_registry_name: NameAlone | None = only_there("Name of the registry, of type `glue`.")
    glue_role_arn: FilledRoleArn | None = _glue_role_arn()


class KinesisSchemaRegistry(Shared):
    """Schema registry of a Kinesis pipe."""

    type: KinesisRegistryType | None = prop("Kind of registry.", required=True)
    glue_region: AwsRegion | None = prop("Region of the registry.", required=True)
    glue_registry_name: NameAlone | None = prop("Name of the registry.", required=True)
    glue_role_arn: FilledRoleArn | None = _glue_role_arn()


def _lacks_role(source: KafkaSource) -> bool:
    registry = source.schema_registry
    if registry is None or registry.type != RegistryType.GLUE or registry.glue_role_arn is not None:
        return False
    return source.authentication not in (KafkaAuthentication.IAM_ROLE, KafkaAuthentication.IAM_USER)


class KafkaSource(Shared):
    """Source variant: a message stream with Kafka's protocol."""

    RULES: ClassVar[tuple[Rule[KafkaSource], ...]] = (
        rule(
            lambda source: source.tombstone_mode,
            "`delete` needs exactlyOnce",
            lambda source: source.tombstone_mode == TombstoneMode.DELETE and source.exactly_once is not True,
        ),
        rule(
            lambda source: source.schema_registry,
            "of type `glue` needs glueRoleArn, unless authentication is IAM_ROLE or IAM_USER",
            _lacks_role,
        ),
        rule(
            lambda source: source.authentication,
            f"`{WORKLOAD_IDENTITY}` needs type gcmk",
            lambda source: source.authentication == WORKLOAD_IDENTITY and source.type != KafkaType.GCMK,
        ),
        *source_rules.KAFKA,
    )

    type: KafkaType | None = _fixed_there("Kind of stream.", required=True)
    format: KafkaFormat | None = _fixed_there("Format of the messages.", required=True)
    brokers: Brokers | None = _fixed("Addresses of the brokers, separated by commas.", required=True)
    topics: Topics | None = _fixed("Topics to read, separated by commas.", required=True)
    consumer_group: Text | None = _fixed("Consumer group. By default one of the pipe's own.")
    authentication: KafkaAuthentication | None = only_there("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the stream.")
    offset: KafkaOffset | None = _fixed("Where reading starts.")
    schema_registry: KafkaSchemaRegistry | None = _fixed("Schema registry.")
    ca_certificate: Certificates | None = prop("Certificate authority of the brokers, PEM.")
    reverse_private_endpoint_ids: list[EndpointId] | None = prop("Reverse private endpoints used.")
    exactly_once: Flag | None = _fixed_there("Whether each record is inserted exactly once.")
    tombstone_mode: TombstoneMode | None = _fixed_there("What is done with messages without a value.")
    ssh_key_resource_id: FilledText | None = _ssh_key()


class ObjectStorageSource(Shared):
    """Source variant: files in object storage."""

    RULES: ClassVar[tuple[Rule[ObjectStorageSource], ...]] = (
        rule(
            lambda source: source.authentication,
            f"`{WORKLOAD_IDENTITY}` needs type gcs",
            lambda source: source.authentication == WORKLOAD_IDENTITY and source.type != ObjectStorageType.GCS,
        ),
        *source_rules.OBJECT_STORAGE,
    )

    type: ObjectStorageType | None = _fixed_there("Kind of storage.", required=True)
    format: FileFormat | None = _fixed_there("Format of the files.", required=True)
    url: Text | None = _fixed("Address of the files; may contain wildcards.")
    delimiter: Data | None = _fixed("Delimiter of fields.")
    compression: Compression | None = _fixed("Compression.")
    is_continuous: Flag | None = _fixed("Whether new files are read continuously.")
    queue_url: Text | None = _fixed("Queue with notifications of new files.")
    skip_initial_load: Flag | None = only_there("Whether only files from the queue are read.")
    start_after: Text | None = only_there("File after which the initial load starts.")
    authentication: ObjectStorageAuthentication | None = only_there("Kind of authentication; none for public files.")
    iam_role: RoleArn | None = prop("Role used to read the files.")
    connection_string: Text | None = prop(
        "Connection string; it contains credentials, so programs set it in `credentials`.", secret=True
    )
    path: Text | None = prop("Path of the files in the container, on Azure; may contain wildcards.")
    azure_container_name: Text | None = prop("Container, on Azure.")


def _lacks_registry(source: KinesisSource) -> bool:
    return source.format == KinesisFormat.AVRO_CONFLUENT and source.schema_registry is None


class KinesisSource(Shared):
    """Source variant: a Kinesis stream."""

    RULES: ClassVar[tuple[Rule[KinesisSource], ...]] = (
        rule(lambda source: source.format, "`AvroConfluent` needs schemaRegistry", _lacks_registry),
        *source_rules.KINESIS,
    )

    format: KinesisFormat | None = _fixed_there("Format of the records.", required=True)
    stream_name: NameAlone | None = _fixed("Name of the stream.", required=True)
    region: AwsRegion | None = _fixed("Region of the stream.", required=True)
    use_enhanced_fan_out: Flag | None = _fixed("Whether enhanced fan-out is used.")
    iterator_type: IteratorType | None = _fixed_there("Where reading starts.")
    timestamp: Whole | None = _fixed("Time to start from, in seconds since 1970.", answer=Answer(type=Number))
    authentication: AwsAuthentication | None = only_there("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the stream.")
    schema_registry: KinesisSchemaRegistry | None = _fixed_there("Schema registry.")


def _seeks_otherwise(source: PubSubSource) -> bool:
    if source.seek_type not in {*SeekType}:
        return False
    return (source.seek_type == SeekType.TIMESTAMP) is not (source.seek_timestamp is not None)


class PubSubSource(Shared):
    """Source variant: a topic of Pub/Sub."""

    RULES: ClassVar[tuple[Rule[PubSubSource], ...]] = (
        rule(
            lambda source: source.seek_timestamp,
            "must be given if, and only if, seekType is timestamp",
            _seeks_otherwise,
        ),
        *source_rules.PUB_SUB,
    )

    format: PubSubFormat | None = _fixed("Format of the messages.", required=True)
    project_id: FilledText | None = _fixed("Project that owns the topic.", required=True)
    topic: FilledText | None = _fixed("Name of the topic.", required=True)
    authentication: GoogleAuthentication | None = prop("Kind of authentication.", required=True)
    seek_type: SeekType | None = _fixed("Where reading starts.", required=True)
    seek_timestamp: Timestamp | None = _fixed("Time to start from.")
    filter: Text | None = _fixed("Expression that messages must match.", max_length=256)
    enable_ordering: Flag | None = _fixed("Whether messages are delivered in order.")
    ack_deadline: Whole | None = prop("Seconds within which a message is acknowledged.", ge=10, le=600)


class PostgresSettings(Shared):
    """How a Postgres pipe replicates."""

    RULES: ClassVar[tuple[Rule[PostgresSettings], ...]] = (
        source_rules.SLOT,
        *source_rules.POSTGRES_SETTINGS,
    )

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Rows pulled at a time.", ge=1)
    publication_name: Text | None = _fixed("Publication. By default one is created.")
    replication_mode: ReplicationMode | None = _fixed_there("Kind of replication.")
    replication_slot_name: Text | None = _fixed("Replication slot, with `cdc_only`.")
    allow_nullable_columns: Flag | None = _fixed(_NULLABLE)
    initial_load_parallelism: Whole | None = _fixed("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = _fixed("Rows per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = _fixed("Tables copied at a time in the snapshot.", ge=1)
    enable_failover_slots: Flag | None = _fixed("Whether failover slots are used.")
    delete_on_merge: Flag | None = _fixed_there(f"Whether deleted rows are {_DELETED}")


class TableMapping(Shared):
    """A source table and its destination table."""

    RULES: ClassVar[tuple[Rule[TableMapping], ...]] = source_rules.TABLE_MAPPING

    source_table: FilledTableName | None = prop("Source table.", required=True)
    target_table: FilledTableName | None = prop("Destination table.", required=True)
    excluded_columns: list[Column] | None = prop("Columns to leave out.")
    use_custom_sorting_key: Flag | None = prop("Whether `sortingKeys` is used.")
    sorting_keys: list[Column] | None = prop("Sorting key of the destination table.")
    table_engine: MappedTableEngine | None = only_there("Engine of the destination table.")


class MySqlTableMapping(TableMapping):
    """A MySQL table and its destination table."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = source_rules.MY_SQL_TABLE_MAPPING

    source_schema_name: FilledText | None = prop("Schema of the source table.", required=True)
    partition_key: Column | None = only_there("Column that splits the snapshot.")
    partition_by_expr: Clause | None = _fixed_there(
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
    ssh_key_resource_id: FilledText | None = _ssh_key()


class PostgresSource(DatabaseSource):
    """Source variant: the change stream of a Postgres database."""

    RULES: ClassVar[tuple[Rule[PostgresSource], ...]] = (
        source_rules.ROLE_OF_DATABASE,
        *source_rules.POSTGRES,
    )

    type: PostgresType | None = _fixed_there("Kind of database.", unset=PostgresType.POSTGRES)
    database: FilledText | None = prop("Database.", required=True)
    authentication: DatabaseAuthentication | None = _fixed_there("Kind of authentication.")
    iam_role: RoleArn | None = _fixed_there("Role used to read the database.")
    settings: PostgresSettings | None = prop("Settings of the replication.")
    table_mappings: list[PostgresTableMapping] | None = prop("Tables with their destination tables.", required=True)


class MySqlSettings(Shared):
    """How a MySQL pipe replicates."""

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Rows pulled at a time.", ge=1)
    replication_mode: ReplicationMode | None = _fixed("Kind of replication.", required=True)
    replication_mechanism: ReplicationMechanism | None = _fixed(
        "Mechanism of replication.", unset=ReplicationMechanism.GTID
    )
    use_compression: Flag | None = prop("Whether the connection is compressed.")
    allow_nullable_columns: Flag | None = _fixed(_NULLABLE)
    initial_load_parallelism: Whole | None = _fixed("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = _fixed("Rows per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = _fixed("Tables copied at a time in the snapshot.", ge=1)
    delete_on_merge: Flag | None = _fixed(f"Whether deleted rows are {_DELETED}")


class MySqlSource(DatabaseSource):
    """Source variant: the change stream of a MySQL database."""

    RULES: ClassVar[tuple[Rule[MySqlSource], ...]] = (
        source_rules.ROLE_OF_DATABASE,
        *source_rules.MY_SQL,
    )

    type: MySqlType | None = _fixed("Kind of database.", unset=MySqlType.MYSQL)
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


def _lacks_project(source: BigQuerySource) -> bool:
    return source.authentication == GoogleAuthentication.WORKLOAD_IDENTITY and source.project_id is None


class BigQuerySource(Shared):
    """Source variant: a data set of BigQuery."""

    RULES: ClassVar[tuple[Rule[BigQuerySource], ...]] = (
        rule(lambda source: source.project_id, f"is required with authentication {WORKLOAD_IDENTITY}", _lacks_project),
        *source_rules.BIG_QUERY,
    )

    authentication: GoogleAuthentication | None = _fixed_there(
        "Kind of authentication.", unset=GoogleAuthentication.SERVICE_ACCOUNT
    )
    project_id: FilledText | None = _fixed_there("Project that owns the data set.")
    snapshot_staging_path: StagingPath | None = _fixed("Path of a bucket for the snapshot.", required=True)
    settings: BigQuerySettings | None = _fixed("Settings of the replication.", required=True)
    table_mappings: list[BigQueryTableMapping] | None = _fixed("Tables with their destination tables.", required=True)


class MongoDbSettings(Shared):
    """How a MongoDB pipe replicates."""

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Documents pulled at a time.", ge=1)
    replication_mode: ReplicationMode | None = _fixed("Kind of replication.", required=True)
    initial_load_parallelism: Whole | None = _fixed_there("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = _fixed("Documents per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = _fixed("Collections copied at a time in the snapshot.", ge=1)
    delete_on_merge: Flag | None = _fixed(f"Whether deleted documents are {_DELETED}")
    use_json_native_format: Flag | None = _fixed("Whether documents are stored as JSON and not as text.")


class MongoDbSource(Shared):
    """Source variant: the change stream of a MongoDB database."""

    RULES: ClassVar[tuple[Rule[MongoDbSource], ...]] = source_rules.MONGO_DB

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
    ssh_key_resource_id: FilledText | None = _ssh_key()


class PipeSource(Shared):
    """The source of a pipe; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream with Kafka's protocol.")
    object_storage: ObjectStorageSource | None = prop("Files in object storage.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    postgres: PostgresSource | None = prop("The change stream of a Postgres database.")
    pubsub: PubSubSource | None = only_there("A topic of Pub/Sub.")
    mysql: MySqlSource | None = only_there("The change stream of a MySQL database.")
    bigquery: BigQuerySource | None = only_there("A data set of BigQuery.")
    mongodb: MongoDbSource | None = only_there("The change stream of a MongoDB database.")
