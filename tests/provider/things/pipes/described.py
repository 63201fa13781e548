"""Pipes: requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import Exchange, collection
from description.notation import Moment, Uuid, Words

AtLeastOne = Annotated[int, Field(ge=1)]
AtLeastThousand = Annotated[int, Field(ge=1000)]
Port = Annotated[int, Field(ge=1, le=65535)]
Replication = Literal["cdc", "snapshot", "cdc_only"]
TableEngine = Literal["MergeTree", "ReplacingMergeTree", "Null"]
Authentication = Literal["basic", "IAM_ROLE"]


class ScalingChange(TypedDict, total=False):
    replicas: Annotated[int, Field(ge=1, le=40)] | None
    concurrency: Annotated[int, Field(ge=0, le=34)] | None  # deprecated
    replicaCpuMillicores: Annotated[int, Field(ge=125, le=2000)] | None
    replicaMemoryGb: Annotated[float, Field(ge=0.5, le=8)] | None


class Scaling(TypedDict, total=False):
    replicas: Annotated[int, Field(ge=1, le=40)]
    concurrency: int  # deprecated
    replicaCpuMillicores: Annotated[int, Field(ge=125, le=2000)]
    replicaMemoryGb: Annotated[float, Field(ge=0.5, le=8)]


class KafkaOffset(TypedDict, total=False):
    strategy: Literal["from_beginning", "from_latest", "from_timestamp"]
    timestamp: str | None


class KafkaSchemaRegistry(TypedDict, total=False):
    url: str
    authentication: Literal["PLAIN"]
    caCertificate: str | None


class Kafka(TypedDict, total=False):
    type: Literal["kafka", "redpanda", "msk", "gcmk", "confluent", "warpstream", "azureeventhub", "dokafka"]
    format: Literal["JSONEachRow", "Avro", "AvroConfluent", "Protobuf"]
    brokers: str
    topics: str
    consumerGroup: str | None
    authentication: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "IAM_ROLE", "IAM_USER", "MUTUAL_TLS"]
    iamRole: str | None
    offset: KafkaOffset | None
    schemaRegistry: KafkaSchemaRegistry | None
    caCertificate: str | None
    reversePrivateEndpointIds: list[str]
    exactlyOnce: bool | None


class ObjectStorage(TypedDict, total=False):
    type: Literal["s3", "gcs", "dospaces", "azureblobstorage", "cloudflarer2", "ovhobjectstorage"]
    format: Literal[
        "JSONEachRow", "JSONAsObject", "CSV", "CSVWithNames", "TabSeparated", "TabSeparatedWithNames", "Parquet", "Avro"
    ]
    url: str
    delimiter: str | None
    compression: Literal["none", "gzip", "gz", "brotli", "br", "xz", "LZMA", "zstd", "auto"] | None
    isContinuous: bool | None
    queueUrl: str | None
    skipInitialLoad: bool | None
    startAfter: str | None
    authentication: Literal["IAM_ROLE", "IAM_USER", "CONNECTION_STRING", "SERVICE_ACCOUNT"] | None
    iamRole: str | None
    connectionString: str | None
    path: str | None
    azureContainerName: str | None


class Kinesis(TypedDict, total=False):
    format: Literal["JSONEachRow", "Avro", "AvroConfluent"]
    streamName: str
    region: str
    useEnhancedFanOut: bool | None
    iteratorType: Literal["TRIM_HORIZON", "LATEST", "AT_TIMESTAMP"]
    timestamp: int | None
    authentication: Literal["IAM_ROLE", "IAM_USER"]
    iamRole: str | None


class PubSub(TypedDict, total=False):
    format: Required[Literal["JSONEachRow", "Avro", "Protobuf"]]
    projectId: Required[str]
    topic: Required[str]
    authentication: Required[Literal["SERVICE_ACCOUNT"]]
    seekType: Required[Literal["latest", "earliest", "timestamp"]]
    seekTimestamp: Moment | None
    filter: Annotated[str, Field(max_length=256)] | None
    enableOrdering: bool | None
    ackDeadline: Annotated[int, Field(ge=10, le=600)] | None


class Tls(TypedDict, total=False):
    tlsHost: str
    caCertificate: str
    disableTls: bool
    skipCertVerification: bool


class TlsChange(TypedDict, total=False):
    tlsHost: str | None
    caCertificate: str | None
    disableTls: bool | None
    skipCertVerification: bool | None


class PostgresSettings(TypedDict, total=False):
    syncIntervalSeconds: AtLeastOne
    pullBatchSize: AtLeastOne
    publicationName: str
    replicationMode: Replication
    replicationSlotName: str
    allowNullableColumns: bool
    initialLoadParallelism: AtLeastOne
    snapshotNumRowsPerPartition: AtLeastThousand
    snapshotNumberOfParallelTables: AtLeastOne
    enableFailoverSlots: bool
    deleteOnMerge: bool


class PostgresTable(TypedDict, total=False):
    sourceSchemaName: str
    sourceTable: str
    targetTable: str
    excludedColumns: list[str]
    useCustomSortingKey: bool
    sortingKeys: list[str]
    tableEngine: TableEngine
    partitionKey: str
    partitionByExpr: str


class Postgres(Tls, total=False):
    type: (
        Annotated[
            str,
            Words(
                "postgres supabase neon alloydb planetscale rdspostgres aurorapostgres cloudsqlpostgres "
                "azurepostgres crunchybridge tigerdata"
            ),
        ]
        | None
    )
    host: str
    port: Port
    database: str
    authentication: Authentication
    iamRole: str
    settings: PostgresSettings
    tableMappings: list[PostgresTable]


class MySqlSettings(TypedDict, total=False):
    syncIntervalSeconds: AtLeastOne
    pullBatchSize: AtLeastOne
    replicationMode: Required[Replication]
    replicationMechanism: Literal["GTID", "FILE_POS"]
    useCompression: bool
    allowNullableColumns: bool
    initialLoadParallelism: AtLeastOne
    snapshotNumRowsPerPartition: AtLeastThousand
    snapshotNumberOfParallelTables: AtLeastOne
    deleteOnMerge: bool


class MySqlTable(TypedDict, total=False):
    sourceSchemaName: Required[str]
    sourceTable: Required[str]
    targetTable: Required[str]
    excludedColumns: list[str]
    useCustomSortingKey: bool
    sortingKeys: list[str]
    tableEngine: TableEngine
    partitionKey: str


class MySql(Tls, total=False):
    type: Literal["mysql", "rdsmysql", "auroramysql", "mariadb", "rdsmariadb"] | None
    host: Required[str]
    port: Required[Port]
    authentication: Authentication
    iamRole: str
    serverId: Annotated[int, Field(ge=1, le=4294967295)]
    settings: Required[MySqlSettings]
    tableMappings: Required[list[MySqlTable]]


class BigQuerySettings(TypedDict, total=False):
    replicationMode: Literal["snapshot"]
    allowNullableColumns: bool
    initialLoadParallelism: float
    snapshotNumRowsPerPartition: float
    snapshotNumberOfParallelTables: float


class BigQueryTable(TypedDict, total=False):
    sourceDatasetName: str
    sourceTable: str
    targetTable: str
    excludedColumns: list[str]
    useCustomSortingKey: bool
    sortingKeys: list[str]
    tableEngine: TableEngine


class BigQuery(TypedDict, total=False):
    snapshotStagingPath: str
    settings: BigQuerySettings
    tableMappings: list[BigQueryTable]


class MongoDbSettings(TypedDict, total=False):
    syncIntervalSeconds: AtLeastOne
    pullBatchSize: AtLeastOne
    replicationMode: Required[Replication]
    snapshotNumRowsPerPartition: AtLeastThousand
    snapshotNumberOfParallelTables: AtLeastOne
    deleteOnMerge: bool
    useJsonNativeFormat: bool


class MongoDbCollection(TypedDict, total=False):
    sourceDatabaseName: Required[str]
    sourceCollection: Required[str]
    targetTable: Required[str]
    tableEngine: TableEngine


class MongoDb(Tls, total=False):
    uri: Required[str]
    readPreference: Required[Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"]]
    settings: MongoDbSettings
    tableMappings: list[MongoDbCollection]


class Source(TypedDict, total=False):
    """The source of a pipe; exactly one is set."""

    kafka: Kafka | None
    objectStorage: ObjectStorage | None
    kinesis: Kinesis | None
    pubsub: PubSub | None
    postgres: Postgres | None
    mysql: MySql | None
    bigquery: BigQuery | None
    mongodb: MongoDb | None


class DestinationEngine(TypedDict, total=False):
    type: Literal["MergeTree", "ReplacingMergeTree", "SummingMergeTree", "Null"]
    versionColumnId: str | None
    columnIds: list[str]


class DestinationTable(TypedDict, total=False):
    engine: DestinationEngine
    sortingKey: list[str]
    partitionBy: str
    primaryKey: str


class Column(TypedDict, total=False):
    name: str
    type: str


class Destination(TypedDict, total=False):
    database: str
    table: str
    managedTable: bool
    tableDefinition: DestinationTable
    columns: list[Column]


class FieldMapping(TypedDict, total=False):
    sourceField: str
    destinationField: str


class Settings(TypedDict, total=False):
    streaming_max_insert_wait_ms: Annotated[int, Field(ge=500, le=60000)] | None
    object_storage_concurrency: Annotated[int, Field(ge=1, le=35)] | None
    object_storage_polling_interval_ms: Annotated[int, Field(ge=100, le=3600000)] | None
    object_storage_max_insert_bytes: Annotated[int, Field(ge=10485760, le=53687091200)] | None
    object_storage_max_file_count: Annotated[int, Field(ge=1, le=10000)] | None
    clickhouse_max_threads: Annotated[int, Field(ge=0, le=64)] | None
    clickhouse_max_insert_threads: Annotated[int, Field(ge=0, le=16)] | None
    clickhouse_min_insert_block_size_bytes: Annotated[int, Field(ge=0, le=10737418240)] | None
    clickhouse_max_download_threads: Annotated[int, Field(ge=0, le=32)] | None
    clickhouse_parallel_distributed_insert_select: Annotated[int, Field(ge=0, le=2)] | None
    object_storage_use_cluster_function: bool | None
    clickhouse_parallel_view_processing: bool | None


class Pipe(TypedDict, total=False):
    id: Uuid
    serviceId: Uuid
    name: Annotated[str, Field(min_length=1, max_length=255)]
    state: Annotated[
        str,
        Words(
            "Unknown Provisioning Running Degraded Stopping Stopped Failed Completed InternalError Setup "
            "Snapshot Paused Pausing Modifying Resync"
        ),
    ]
    scaling: Scaling
    source: Source
    destination: Destination
    fieldMappings: list[FieldMapping]
    settings: Settings
    createdAt: Moment
    updatedAt: Moment


class UserCredentials(TypedDict, total=False):
    username: str
    password: str


class AccessKey(TypedDict, total=False):
    accessKeyId: str
    secretKey: str


class EventHubCredentials(TypedDict, total=False):
    connectionString: str


class ClientCertificate(TypedDict, total=False):
    certificate: str
    privateKey: str


class ServiceAccount(TypedDict, total=False):
    serviceAccountFile: str


KafkaCredentials = UserCredentials | AccessKey | EventHubCredentials | ClientCertificate


class NewKafkaSchemaRegistry(KafkaSchemaRegistry, total=False):
    credentials: UserCredentials


class NewKafka(Kafka, total=False):
    schemaRegistry: NewKafkaSchemaRegistry | None  # type: ignore[misc]
    credentials: KafkaCredentials


class NewObjectStorage(ObjectStorage, total=False):
    accessKey: AccessKey | None
    serviceAccountKey: str | None


class NewKinesis(Kinesis, total=False):
    accessKey: AccessKey | None


class NewPubSub(PubSub, total=False):
    serviceAccountKey: Required[ServiceAccount]


class NewPostgres(Postgres, total=False):
    credentials: UserCredentials


class NewMySql(MySql, total=False):
    credentials: UserCredentials


class NewBigQuery(BigQuery, total=False):
    credentials: ServiceAccount


class NewMongoDb(MongoDb, total=False):
    credentials: UserCredentials
    settings: Required[MongoDbSettings]  # type: ignore[misc]
    tableMappings: Required[list[MongoDbCollection]]  # type: ignore[misc]


class NewSource(TypedDict, total=False):
    kafka: NewKafka | None
    objectStorage: NewObjectStorage | None
    kinesis: NewKinesis | None
    pubsub: NewPubSub | None
    postgres: NewPostgres
    mysql: NewMySql | None
    bigquery: NewBigQuery | None
    mongodb: NewMongoDb | None
    validateSamples: bool  # experimental


class NewDestination(Destination, total=False):
    roles: list[str]


class Create(TypedDict, total=False):
    name: str
    source: NewSource
    destination: NewDestination
    fieldMappings: list[FieldMapping]
    scaling: Scaling
    settings: Settings


class KafkaChange(TypedDict, total=False):
    authentication: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "IAM_ROLE", "IAM_USER", "MUTUAL_TLS"] | None
    iamRole: str | None
    caCertificate: str | None
    reversePrivateEndpointIds: list[str]
    credentials: KafkaCredentials


class ObjectStorageChange(TypedDict, total=False):
    skipInitialLoad: bool | None
    startAfter: str | None
    authentication: Literal["IAM_ROLE", "IAM_USER", "CONNECTION_STRING", "SERVICE_ACCOUNT"] | None
    iamRole: str | None
    connectionString: str | None
    path: str | None
    azureContainerName: str | None
    accessKey: AccessKey | None
    serviceAccountKey: str | None


class KinesisChange(TypedDict, total=False):
    authentication: Literal["IAM_ROLE", "IAM_USER"] | None
    iamRole: str | None
    accessKey: AccessKey | None


class PubSubChange(TypedDict, total=False):
    authentication: Required[Literal["SERVICE_ACCOUNT"]]
    ackDeadline: Annotated[int, Field(ge=10, le=600)] | None
    serviceAccountKey: Required[ServiceAccount | None]


class DatabaseSettingsChange(TypedDict, total=False):
    syncIntervalSeconds: AtLeastOne | None
    pullBatchSize: AtLeastOne | None


class MySqlSettingsChange(DatabaseSettingsChange, total=False):
    useCompression: bool | None


class PostgresTableRemoval(TypedDict, total=False):
    sourceSchemaName: str | None
    sourceTable: str | None
    targetTable: str | None
    tableEngine: TableEngine | None
    partitionKey: str | None
    partitionByExpr: str | None


class PostgresChange(TlsChange, total=False):
    credentials: UserCredentials
    host: str | None
    port: Port | None
    database: str | None
    settings: DatabaseSettingsChange
    tableMappingsToAdd: list[PostgresTable]
    tableMappingsToRemove: list[PostgresTableRemoval]


class MySqlTableRemoval(TypedDict, total=False):
    sourceSchemaName: Required[str | None]
    sourceTable: Required[str | None]
    targetTable: Required[str | None]
    tableEngine: TableEngine | None
    partitionKey: str | None


class MySqlChange(TlsChange, total=False):
    credentials: UserCredentials
    host: Required[str | None]
    port: Required[Port | None]
    authentication: Authentication | None
    iamRole: str | None
    serverId: Annotated[int, Field(ge=1, le=4294967295)] | None
    settings: MySqlSettingsChange
    tableMappingsToAdd: list[MySqlTable]
    tableMappingsToRemove: list[MySqlTableRemoval]


class MongoDbCollectionRemoval(TypedDict, total=False):
    sourceDatabaseName: Required[str | None]
    sourceCollection: Required[str | None]
    targetTable: Required[str | None]
    tableEngine: TableEngine | None


class MongoDbChange(TlsChange, total=False):
    credentials: UserCredentials
    uri: Required[str | None]
    readPreference: Required[
        Literal["primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"] | None
    ]
    settings: DatabaseSettingsChange
    tableMappingsToAdd: list[MongoDbCollection]
    tableMappingsToRemove: list[MongoDbCollectionRemoval]


class SourceChange(TypedDict, total=False):
    kafka: KafkaChange | None
    objectStorage: ObjectStorageChange | None
    kinesis: KinesisChange | None
    pubsub: PubSubChange | None
    postgres: PostgresChange
    mysql: MySqlChange | None
    mongodb: MongoDbChange | None
    validateSamples: bool  # experimental


class DestinationChange(TypedDict, total=False):
    columns: list[Column]


class Change(TypedDict, total=False):
    name: str | None
    source: SourceChange | None
    destination: DestinationChange | None
    fieldMappings: list[FieldMapping]
    settings: Settings | None


class Command(TypedDict, total=False):
    command: Literal["start", "stop", "resync"]


class Stream(TypedDict, total=False):
    kafka: NewKafka | None
    kinesis: NewKinesis | None


class Discovery(TypedDict, total=False):
    source: Stream


class SchemaField(TypedDict, total=False):
    name: str
    type: str
    optional: bool | None


class Schema(TypedDict, total=False):
    fields: list[SchemaField]
    meta: dict[str, str] | None


EXCHANGES = {
    **collection("pipe", "pipes", Create, Change, Pipe),
    "discover_pipe_schema": Exchange(Discovery, Schema),
    "command_pipe": Exchange(Command, Pipe),
    "get_pipe_settings": Exchange(response=Settings),
    "set_pipe_settings": Exchange(Settings, Settings),
    "scale_pipe": Exchange(ScalingChange, Pipe),
}
