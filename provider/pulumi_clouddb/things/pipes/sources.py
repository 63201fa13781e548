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
from pulumi_clouddb.schema.check.rules import Rule
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
from pulumi_clouddb.schema.vendor import FilledTableName, only_there, without

from . import source_rules
from .enums import (
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
_NO_PARTITION = "should not be empty: leave it out for a table without partitions"
PartitionClause = Annotated[Clause, doubted(_NO_PARTITION, lambda text: text if text.strip() else None)]
SourceTable = Annotated[FilledTableName, doubted("should be one table: patterns are not supported", without(r"[*%]"))]
SlotName = Annotated[
    Text, doubted("should have lowercase letters, digits and underscores only", without(r"[^a-z0-9_]"))
]

_ZOOKEEPER = "should be addresses of brokers, such as with the port 9092, and not of ZooKeeper"
KafkaBrokers = Annotated[Brokers, doubted(_ZOOKEEPER, without(r":218[12]\b"))]  # as in dpkp/kafka-python#1431
ProjectId = Annotated[
    FilledText,
    doubted(
        "should be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
        matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"),
    ),
]
_NO_PATH = "should be the name of the topic alone, such as `orders`, without `projects/…/topics/`"
Topic = Annotated[FilledText, doubted(_NO_PATH, partial(re.sub, r"\A.*/", ""))]
MessageFilter = Annotated[  # its grammar: https://cloud.google.com/pubsub/docs/subscription-message-filter
    Text,
    doubted("should compare with a single =", partial(re.sub, r"==", "=")),
    doubted(
        "should be about attributes of messages, as `attributes:kind` is", without(r"(?s)\A(?!\s*\Z|.*attributes)")
    ),
]

_SQS = r"https://sqs\.[a-z0-9.-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9._-]+"
_A_QUEUE = "should be a queue `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, or `projects/…/subscriptions/…`"
QueueUrl = Annotated[Text, doubted(_A_QUEUE, matching(rf"|{_SQS}|projects/.+/subscriptions/.+"))]
_CONSOLE = r"//([^/]+\.)?(console\.aws\.amazon|(console|storage)\.cloud\.google|portal\.azure)\.com/|\.s3-website[.-]"
_FILES_AT = "`https://BUCKET.s3.REGION.amazonaws.com/PATH/*`"
_NO_FOLDER = doubted("should name files, such as all of a folder by `/*` at its end", without(r"(/|\A\w+://[^/]+)\Z"))
FilesUrl = Annotated[
    Text,
    doubted(f"should begin with a protocol, as {_FILES_AT} does", without(r"\A(?!\w+://|\Z)")),
    doubted(f"should be an address of files, such as {_FILES_AT}, not of a page", without(_CONSOLE)),
    doubted(  # as in ClickHouse/ClickHouse#60890
        "should have no signature, which expires: remove it, and set authentication",
        without(r"(?i)[?&][\w-]*sig(nature)?="),
    ),
    _NO_FOLDER,
]
StoredName = Annotated[
    Text, doubted("should be a name within the storage, without its address and a `/` before it", without(r"\A/|://"))
]
StoredPath = Annotated[StoredName, _NO_FOLDER]
Delimiter = Annotated[Data, doubted("should be one character, such as `;` or a tab", without(r"(?s)\A[^\\]."))]


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


def _glue_role_arn() -> Any:
    return only_there("ARN of the role that reads the registry, of type `glue`. By default `iamRole` of the source.")


class KafkaSchemaRegistry(Shared):
    """Schema registry of a Kafka pipe."""

    RULES: ClassVar[tuple[Rule[KafkaSchemaRegistry], ...]] = source_rules.KAFKA_REGISTRY

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


class KafkaSource(Shared):
    """Source variant: a message stream with Kafka's protocol."""

    RULES: ClassVar[tuple[Rule[KafkaSource], ...]] = source_rules.KAFKA

    type: KafkaType | None = _fixed_there("Kind of stream.", required=True)
    format: KafkaFormat | None = _fixed_there("Format of the messages.", required=True)
    brokers: KafkaBrokers | None = _fixed("Addresses of the brokers, separated by commas.", required=True)
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

    RULES: ClassVar[tuple[Rule[ObjectStorageSource], ...]] = source_rules.OBJECT_STORAGE

    type: ObjectStorageType | None = _fixed_there("Kind of storage.", required=True)
    format: FileFormat | None = _fixed_there("Format of the files.", required=True)
    url: FilesUrl | None = _fixed("Address of the files; may contain wildcards.")
    delimiter: Delimiter | None = _fixed("Delimiter of fields.")
    compression: Compression | None = _fixed("Compression.")
    is_continuous: Flag | None = _fixed("Whether new files are read continuously.")
    queue_url: QueueUrl | None = _fixed("Queue with notifications of new files.")
    skip_initial_load: Flag | None = only_there("Whether only files from the queue are read.")
    start_after: StoredName | None = only_there("File after which the initial load starts.")
    authentication: ObjectStorageAuthentication | None = only_there("Kind of authentication; none for public files.")
    iam_role: RoleArn | None = prop("Role used to read the files.")
    connection_string: Text | None = prop(
        "Connection string; it contains credentials, so programs set it in `credentials`.", secret=True
    )
    path: StoredPath | None = prop("Path of the files in the container, on Azure; may contain wildcards.")
    azure_container_name: StoredName | None = prop("Container, on Azure.")


class KinesisSource(Shared):
    """Source variant: a Kinesis stream."""

    RULES: ClassVar[tuple[Rule[KinesisSource], ...]] = source_rules.KINESIS

    format: KinesisFormat | None = _fixed_there("Format of the records.", required=True)
    stream_name: NameAlone | None = _fixed("Name of the stream.", required=True)
    region: AwsRegion | None = _fixed("Region of the stream.", required=True)
    use_enhanced_fan_out: Flag | None = _fixed("Whether enhanced fan-out is used.")
    iterator_type: IteratorType | None = _fixed_there("Where reading starts.")
    timestamp: Whole | None = _fixed("Time to start from, in seconds since 1970.", answer=Answer(type=Number))
    authentication: AwsAuthentication | None = only_there("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the stream.")
    schema_registry: KinesisSchemaRegistry | None = _fixed_there("Schema registry.")


class PubSubSource(Shared):
    """Source variant: a topic of Pub/Sub."""

    RULES: ClassVar[tuple[Rule[PubSubSource], ...]] = source_rules.PUB_SUB

    format: PubSubFormat | None = _fixed("Format of the messages.", required=True)
    project_id: ProjectId | None = _fixed("Project that owns the topic.", required=True)
    topic: Topic | None = _fixed("Name of the topic.", required=True)
    authentication: GoogleAuthentication | None = prop("Kind of authentication.", required=True)
    seek_type: SeekType | None = _fixed("Where reading starts.", required=True)
    seek_timestamp: Timestamp | None = _fixed("Time to start from.")
    filter: MessageFilter | None = _fixed("Expression that messages must match.", max_length=256)
    enable_ordering: Flag | None = _fixed("Whether messages are delivered in order.")
    ack_deadline: Whole | None = prop("Seconds within which a message is acknowledged.", ge=10, le=600)


class PostgresSettings(Shared):
    """How a Postgres pipe replicates."""

    RULES: ClassVar[tuple[Rule[PostgresSettings], ...]] = source_rules.POSTGRES_SETTINGS

    sync_interval_seconds: Whole | None = prop(_INTERVAL, ge=1)
    pull_batch_size: Whole | None = prop("Rows pulled at a time.", ge=1)
    publication_name: Text | None = _fixed("Publication. By default one is created.")
    replication_mode: ReplicationMode | None = _fixed_there("Kind of replication.")
    replication_slot_name: SlotName | None = _fixed("Replication slot, with `cdc_only`.")
    allow_nullable_columns: Flag | None = _fixed(_NULLABLE)
    initial_load_parallelism: Whole | None = _fixed("Parallelism of the initial load.", ge=1)
    snapshot_num_rows_per_partition: Whole | None = _fixed("Rows per partition of the snapshot.", ge=1000)
    snapshot_number_of_parallel_tables: Whole | None = _fixed("Tables copied at a time in the snapshot.", ge=1)
    enable_failover_slots: Flag | None = _fixed("Whether failover slots are used.")
    delete_on_merge: Flag | None = _fixed_there(f"Whether deleted rows are {_DELETED}")


class TableMapping(Shared):
    """A source table and its destination table."""

    RULES: ClassVar[tuple[Rule[TableMapping], ...]] = source_rules.TABLE_MAPPING

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
    partition_by_expr: PartitionClause | None = _fixed_there(
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

    RULES: ClassVar[tuple[Rule[PostgresSource], ...]] = source_rules.POSTGRES

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

    RULES: ClassVar[tuple[Rule[MySqlSource], ...]] = source_rules.MY_SQL

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


class BigQuerySource(Shared):
    """Source variant: a data set of BigQuery."""

    RULES: ClassVar[tuple[Rule[BigQuerySource], ...]] = source_rules.BIG_QUERY

    authentication: GoogleAuthentication | None = _fixed_there(
        "Kind of authentication.", unset=GoogleAuthentication.SERVICE_ACCOUNT
    )
    project_id: ProjectId | None = _fixed_there("Project that owns the data set.")
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
