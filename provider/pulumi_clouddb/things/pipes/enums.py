"""The values of a pipe's properties on the vendor's servers."""

from __future__ import annotations

from pulumi_clouddb.schema.choice import OpenChoice

WORKLOAD_IDENTITY = "SERVICE_ACCOUNT_WORKLOAD_IDENTITY"
"""Authentication with the account that getPipeServiceContext returns, to which the source grants access."""


class KafkaType(OpenChoice):
    """Kinds of streams with Kafka's protocol."""

    KAFKA = "kafka", "Apache Kafka"
    REDPANDA = "redpanda", "Redpanda"
    MSK = "msk", "Amazon MSK"
    GCMK = "gcmk", "Google Cloud Managed Kafka"
    CONFLUENT = "confluent", "Confluent Cloud"
    WARPSTREAM = "warpstream", "WarpStream"
    AZURE_EVENT_HUB = "azureeventhub", "Azure Event Hubs"
    DO_KAFKA = "dokafka", "DigitalOcean Kafka"


class KafkaFormat(OpenChoice):
    """Formats of messages in Kafka."""

    JSON = "JSONEachRow", "a JSON object in each message"
    AVRO = "Avro", "Avro, with the schema in each message"
    AVRO_CONFLUENT = "AvroConfluent", "Avro, with the schemas of a registry"
    PROTOBUF = "Protobuf", "Protocol Buffers, with `protobufSchema` of `credentials` or the schemas of a registry"


class TombstoneMode(OpenChoice):
    """What a Kafka pipe does with tombstones, which are messages without a value."""

    DELETE = "delete", "the row of the key is deleted; needs `exactlyOnce`"
    SOFT_DELETE = "soft_delete", "a row with `_is_deleted = true` is added"


class KafkaAuthentication(OpenChoice):
    """Authentication methods of a Kafka stream."""

    PLAIN = "PLAIN", "user name and password"
    SCRAM_SHA_256 = "SCRAM-SHA-256", "user name and password, never sent"
    SCRAM_SHA_512 = "SCRAM-SHA-512", "user name and password, never sent"
    IAM_ROLE = "IAM_ROLE", "a role of AWS"
    IAM_USER = "IAM_USER", "an access key of AWS"
    MUTUAL_TLS = "MUTUAL_TLS", "a client certificate"
    WORKLOAD_IDENTITY = WORKLOAD_IDENTITY, "the identity of the service, for type `gcmk`, in preview"


class OffsetStrategy(OpenChoice):
    """Start of a Kafka pipe."""

    BEGINNING = "from_beginning", "at the oldest message"
    LATEST = "from_latest", "at new messages"
    TIMESTAMP = "from_timestamp", "at a time"


class RegistryType(OpenChoice):
    """Kinds of schema registries."""

    CONFLUENT = "confluent", "a registry with the API of Confluent's"
    GLUE = "glue", "AWS Glue"


class KinesisRegistryType(OpenChoice):
    """Kinds of schema registries of a Kinesis pipe."""

    GLUE = "glue", "AWS Glue"


class RegistryAuthentication(OpenChoice):
    """Authentication methods of a schema registry."""

    PLAIN = "PLAIN", "user name and password"


class ObjectStorageType(OpenChoice):
    """Kinds of object storage."""

    S3 = "s3", "Amazon S3"
    GCS = "gcs", "Google Cloud Storage"
    SPACES = "dospaces", "DigitalOcean Spaces"
    AZURE = "azureblobstorage", "Azure Blob Storage"
    R2 = "cloudflarer2", "Cloudflare R2"
    OVH = "ovhobjectstorage", "OVH Object Storage"


class FileFormat(OpenChoice):
    """Formats of files."""

    JSON = "JSONEachRow", "an object of JSON in each line"
    JSON_OBJECT = "JSONAsObject", "each object of JSON in one column"
    CSV = "CSV", "CSV"
    CSV_NAMES = "CSVWithNames", "CSV, with names in the first line"
    TSV = "TabSeparated", "values separated by tabs"
    TSV_NAMES = "TabSeparatedWithNames", "values separated by tabs, with names in the first line"
    PARQUET = "Parquet", "Parquet"
    AVRO = "Avro", "Avro"


class Compression(OpenChoice):
    """Compressions of files."""

    NONE = "none", "not compressed"
    GZIP = "gzip", "gzip"
    GZ = "gz", "gzip"
    BROTLI = "brotli", "Brotli"
    BR = "br", "Brotli"
    XZ = "xz", "xz"
    LZMA = "LZMA", "xz"
    ZSTD = "zstd", "Zstandard"
    AUTO = "auto", "by the name of the file"


class ObjectStorageAuthentication(OpenChoice):
    """Authentication methods of object storage."""

    IAM_ROLE = "IAM_ROLE", "a role of AWS"
    IAM_USER = "IAM_USER", "an access key"
    CONNECTION_STRING = "CONNECTION_STRING", "a connection string of Azure"
    SERVICE_ACCOUNT = "SERVICE_ACCOUNT", "a service account of Google Cloud"
    WORKLOAD_IDENTITY = WORKLOAD_IDENTITY, "the identity of the service, for type `gcs`, in preview"


class KinesisFormat(OpenChoice):
    """Formats of records in Kinesis."""

    JSON = "JSONEachRow", "an object of JSON in each record"
    AVRO = "Avro", "Avro, with the schema in each record"
    AVRO_CONFLUENT = "AvroConfluent", "Avro, with the schemas of a registry"
    PROTOBUF = "Protobuf", "Protocol Buffers, with `protobufSchema` of `credentials` or the schemas of a registry"


class IteratorType(OpenChoice):
    """Where a Kinesis pipe starts."""

    TRIM_HORIZON = "TRIM_HORIZON", "at the oldest record"
    LATEST = "LATEST", "at records that come later"
    AT_TIMESTAMP = "AT_TIMESTAMP", "at a time"


class AwsAuthentication(OpenChoice):
    """Authentication methods of AWS."""

    IAM_ROLE = "IAM_ROLE", "a role"
    IAM_USER = "IAM_USER", "an access key"


class PubSubFormat(OpenChoice):
    """Formats of messages in Pub/Sub."""

    JSON = "JSONEachRow", "a JSON object in each message"
    AVRO = "Avro", "Avro"
    PROTOBUF = "Protobuf", "Protocol Buffers"


class GoogleAuthentication(OpenChoice):
    """Authentication methods of Google Cloud."""

    SERVICE_ACCOUNT = "SERVICE_ACCOUNT", "a service account, whose key is in `credentials`"
    WORKLOAD_IDENTITY = WORKLOAD_IDENTITY, "the identity of the service, in preview"


class SeekType(OpenChoice):
    """Where a Pub/Sub pipe starts."""

    LATEST = "latest", "at new messages"
    EARLIEST = "earliest", "at the oldest message"
    TIMESTAMP = "timestamp", "at a time"


class PostgresType(OpenChoice):
    """Kinds of Postgres databases."""

    POSTGRES = "postgres", "any server"
    SUPABASE = "supabase", "Supabase"
    NEON = "neon", "Neon"
    ALLOYDB = "alloydb", "AlloyDB"
    PLANETSCALE = "planetscale", "PlanetScale"
    RDS = "rdspostgres", "Amazon RDS"
    AURORA = "aurorapostgres", "Amazon Aurora"
    CLOUD_SQL = "cloudsqlpostgres", "Google Cloud SQL"
    AZURE = "azurepostgres", "Azure"
    CRUNCHY_BRIDGE = "crunchybridge", "Crunchy Bridge"
    TIGER_DATA = "tigerdata", "Tiger Data"


class MySqlType(OpenChoice):
    """Kinds of MySQL databases."""

    MYSQL = "mysql", "any server"
    RDS_MYSQL = "rdsmysql", "Amazon RDS"
    AURORA_MYSQL = "auroramysql", "Amazon Aurora"
    MARIADB = "mariadb", "MariaDB"
    RDS_MARIADB = "rdsmariadb", "MariaDB of Amazon RDS"


class DatabaseAuthentication(OpenChoice):
    """Authentication methods of a database."""

    BASIC = "basic", "user name and password"
    IAM_ROLE = "IAM_ROLE", "a role of AWS"


class ReplicationMode(OpenChoice):
    """Replication of a database."""

    CDC = "cdc", "existing data, then every change"
    SNAPSHOT = "snapshot", "existing data, once"
    CDC_ONLY = "cdc_only", "every change from now on"


class SnapshotMode(OpenChoice):
    """Replication of a BigQuery data set."""

    SNAPSHOT = "snapshot", "existing data, once"


class ReplicationMechanism(OpenChoice):
    """How the changes of MySQL are followed."""

    GTID = "GTID", "by global transaction ids"
    FILE_POS = "FILE_POS", "by file and position of the binary log"


class ReadPreference(OpenChoice):
    """Which members of a replica set are read."""

    PRIMARY = "primary", "the primary one"
    PRIMARY_PREFERRED = "primaryPreferred", "the primary one if it is there"
    SECONDARY = "secondary", "a secondary one"
    SECONDARY_PREFERRED = "secondaryPreferred", "a secondary one if one is there"
    NEAREST = "nearest", "the nearest"


class MappedTableEngine(OpenChoice):
    """Engines of a table that receives replicated data."""

    MERGE_TREE = "MergeTree", "rows are added only"
    REPLACING_MERGE_TREE = "ReplacingMergeTree", "updates and deletions are applied"
    NULL = "Null", "rows go on to materialized views and are not stored"


class DestinationEngine(OpenChoice):
    """Engines of a table that a pipe creates."""

    MERGE_TREE = "MergeTree", "rows are added only"
    REPLACING_MERGE_TREE = "ReplacingMergeTree", "the newest row of a sorting key is kept"
    SUMMING_MERGE_TREE = "SummingMergeTree", "rows of one sorting key are summed up"
    NULL = "Null", "rows go on to materialized views and are not stored"
