"""Where an ingestion pipe reads, as the server answers it: one of several variants."""

from __future__ import annotations

from functools import partial

from pulumi_clouddb.schema.base import AnsweredText, Flag, Number, Record, Whole, prop
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

_newer = partial(prop, only=CLICKHOUSE)
"""Declare a property that the interface does not show."""

_AUTHENTICATION = "Kind of authentication, such as `IAM_ROLE`."
_TABLE_ENGINE = "Engine of the destination table, such as `ReplacingMergeTree`."
_MODE = "What is replicated: `cdc`, `snapshot` or `cdc_only`."
_UNVERIFIED = "Whether the certificate of the database is not verified."


class KafkaOffset(Record):
    """Where a Kafka pipe starts reading."""

    strategy: AnsweredText | None = _newer("What it starts with, such as `from_latest`.")
    timestamp: AnsweredText | None = prop("Moment to start from.")


class KafkaSchemaRegistry(Record):
    """Schema registry of a Kafka pipe."""

    url: AnsweredText | None = prop("Address of the registry.")
    authentication: AnsweredText | None = prop("Kind of authentication; `PLAIN` occurs.")
    ca_certificate: AnsweredText | None = prop("Certificate authority of the registry, PEM.")


class KafkaSource(Record):
    """Source variant: a message stream spoken in Kafka's protocol."""

    type: AnsweredText | None = _newer("Kind of stream, such as `kafka` or `msk`.")
    format: AnsweredText | None = _newer("Format of the messages, such as `JSONEachRow`.")
    brokers: AnsweredText | None = prop("Addresses of the brokers.")
    topics: AnsweredText | None = prop("Topics that are read.")
    consumer_group: AnsweredText | None = prop("Consumer group.")
    authentication: AnsweredText | None = _newer(_AUTHENTICATION)
    iam_role: AnsweredText | None = prop("Role used to read the stream.")
    offset: KafkaOffset | None = prop("Where reading starts.")
    schema_registry: KafkaSchemaRegistry | None = prop("Schema registry.")
    ca_certificate: AnsweredText | None = prop("Certificate authority of the brokers, PEM.")
    reverse_private_endpoint_ids: list[AnsweredText] | None = prop("Reverse private endpoints used.")
    exactly_once: Flag | None = _newer("Whether each record is inserted exactly once.")


class ObjectStorageSource(Record):
    """Source variant: files in object storage."""

    type: AnsweredText | None = _newer("Kind of storage, such as `s3` or `gcs`.")
    format: AnsweredText | None = _newer("Format of the files, such as `Parquet`.")
    url: AnsweredText | None = prop("Address of the files; may hold wildcards.")
    delimiter: AnsweredText | None = prop("Delimiter of fields.")
    compression: AnsweredText | None = prop("Compression; `auto` occurs.")
    is_continuous: Flag | None = prop("Whether new files keep being read.")
    queue_url: AnsweredText | None = prop("Queue that announces new files.")
    skip_initial_load: Flag | None = _newer("Whether only files are read that the queue announces.")
    start_after: AnsweredText | None = _newer("File up to which, itself included, none is read at first.")
    authentication: AnsweredText | None = _newer(_AUTHENTICATION)
    iam_role: AnsweredText | None = prop("Role used to read the files.")
    connection_string: AnsweredText | None = prop("Connection string; it holds credentials.", secret=True)
    path: AnsweredText | None = prop("Path of the files.")
    azure_container_name: AnsweredText | None = prop("Container, on Azure.")


class KinesisSource(Record):
    """Source variant: a Kinesis stream."""

    format: AnsweredText | None = _newer("Format of the records, such as `JSONEachRow`.")
    stream_name: AnsweredText | None = prop("Name of the stream.")
    region: AnsweredText | None = prop("Region of the stream.")
    use_enhanced_fan_out: Flag | None = prop("Whether enhanced fan-out is used.")
    iterator_type: AnsweredText | None = _newer("Where reading starts, such as `LATEST`.")
    timestamp: Number | None = prop("Moment to start from, seconds since 1970.")
    authentication: AnsweredText | None = _newer(_AUTHENTICATION)
    iam_role: AnsweredText | None = prop("Role used to read the stream.")


class PubSubSource(Record):
    """Source variant: a topic of Pub/Sub."""

    format: AnsweredText | None = prop("Format of the messages, such as `JSONEachRow`.")
    project_id: AnsweredText | None = prop("Project that owns the topic.")
    topic: AnsweredText | None = prop("Name of the topic.")
    authentication: AnsweredText | None = prop("Kind of authentication; `SERVICE_ACCOUNT` occurs.")
    seek_type: AnsweredText | None = prop("Where reading starts: `latest`, `earliest` or `timestamp`.")
    seek_timestamp: AnsweredText | None = prop("Moment to start from (ISO-8601).")
    filter: AnsweredText | None = prop("Expression that messages have to fulfil.")
    enable_ordering: Flag | None = prop("Whether messages are delivered in order.")
    ack_deadline: Whole | None = prop("Seconds within which a message is acknowledged.")


class PostgresSettings(Record):
    """How a Postgres pipe replicates."""

    sync_interval_seconds: Number | None = prop("Seconds between two syncs.")
    pull_batch_size: Number | None = prop("Rows pulled at a time.")
    publication_name: AnsweredText | None = prop("Publication.")
    replication_mode: AnsweredText | None = _newer(_MODE)
    replication_slot_name: AnsweredText | None = prop("Replication slot.")
    allow_nullable_columns: Flag | None = prop("Whether columns may be nullable.")
    initial_load_parallelism: Number | None = prop("Parallelism of the initial load.")
    snapshot_num_rows_per_partition: Number | None = prop("Rows per partition of the snapshot.")
    snapshot_number_of_parallel_tables: Number | None = prop("Tables copied at a time in the snapshot.")
    enable_failover_slots: Flag | None = prop("Whether failover slots are used.")
    delete_on_merge: Flag | None = _newer("Whether deleted rows are deleted in the destination table, too.")


class DatabaseTableMapping(Record):
    """Which table of a database with schemas goes where."""

    source_schema_name: AnsweredText | None = prop("Schema of the source table.")
    source_table: AnsweredText | None = prop("Source table.")
    target_table: AnsweredText | None = prop("Destination table.")
    excluded_columns: list[AnsweredText] | None = prop("Columns left out.")
    use_custom_sorting_key: Flag | None = prop("Whether sortingKeys apply.")
    sorting_keys: list[AnsweredText] | None = prop("Sorting key of the destination table.")


class PostgresTableMapping(DatabaseTableMapping):
    """Which table goes where."""

    table_engine: AnsweredText | None = _newer(_TABLE_ENGINE)
    partition_key: AnsweredText | None = _newer("Column by which the snapshot is split.")
    partition_by_expr: AnsweredText | None = _newer("Partition expression of the destination table.")


class PostgresSource(Record):
    """Source variant: the change stream of a Postgres database."""

    type: AnsweredText | None = _newer("Kind of database, such as `postgres` or `rdspostgres`.")
    host: AnsweredText | None = prop("Host name.")
    port: Number | None = prop("Port number.")
    database: AnsweredText | None = prop("Database.")
    authentication: AnsweredText | None = _newer(_AUTHENTICATION)
    iam_role: AnsweredText | None = _newer("Role used to read the database.")
    tls_host: AnsweredText | None = _newer("Host name that its certificate is for.")
    ca_certificate: AnsweredText | None = _newer("Certificate authority of the database, PEM.")
    disable_tls: Flag | None = _newer("Whether connections are not encrypted.")
    skip_cert_verification: Flag | None = _newer(_UNVERIFIED)
    settings: PostgresSettings | None = prop("How it replicates.")
    table_mappings: list[PostgresTableMapping] | None = prop("Which table goes where.")


class MySqlSettings(Record):
    """How a MySQL pipe replicates."""

    sync_interval_seconds: Number | None = prop("Seconds between two syncs.")
    pull_batch_size: Number | None = prop("Rows pulled at a time.")
    replication_mode: AnsweredText | None = prop(_MODE)
    replication_mechanism: AnsweredText | None = prop("How changes are followed: `GTID` or `FILE_POS`.")
    use_compression: Flag | None = prop("Whether the connection is compressed.")
    allow_nullable_columns: Flag | None = prop("Whether columns may be nullable.")
    initial_load_parallelism: Number | None = prop("Parallelism of the initial load.")
    snapshot_num_rows_per_partition: Number | None = prop("Rows per partition of the snapshot.")
    snapshot_number_of_parallel_tables: Number | None = prop("Tables copied at a time in the snapshot.")
    delete_on_merge: Flag | None = prop("Whether deleted rows are deleted in the destination table, too.")


class MySqlTableMapping(DatabaseTableMapping):
    """Which table of MySQL goes where."""

    table_engine: AnsweredText | None = prop(_TABLE_ENGINE)
    partition_key: AnsweredText | None = prop("Column by which the snapshot is split.")


class MySqlSource(Record):
    """Source variant: the change stream of a MySQL database."""

    type: AnsweredText | None = prop("Kind of database, such as `mysql` or `mariadb`.")
    host: AnsweredText | None = prop("Host name.")
    port: Number | None = prop("Port number.")
    authentication: AnsweredText | None = prop(_AUTHENTICATION)
    iam_role: AnsweredText | None = prop("Role used to read the database.")
    tls_host: AnsweredText | None = prop("Host name that its certificate is for.")
    ca_certificate: AnsweredText | None = prop("Certificate authority of the database, PEM.")
    disable_tls: Flag | None = prop("Whether connections are not encrypted.")
    skip_cert_verification: Flag | None = prop(_UNVERIFIED)
    server_id: Number | None = prop("Id of the pipe among the replicas of the database.")
    settings: MySqlSettings | None = prop("How it replicates.")
    table_mappings: list[MySqlTableMapping] | None = prop("Which table goes where.")


class BigQuerySettings(Record):
    """How a BigQuery pipe replicates."""

    replication_mode: AnsweredText | None = prop("What is replicated; `snapshot` occurs.")
    allow_nullable_columns: Flag | None = prop("Whether columns may be nullable.")
    initial_load_parallelism: Number | None = prop("Parallelism of the initial load.")
    snapshot_num_rows_per_partition: Number | None = prop("Rows per partition of the snapshot.")
    snapshot_number_of_parallel_tables: Number | None = prop("Tables copied at a time in the snapshot.")


class BigQueryTableMapping(Record):
    """Which table of BigQuery goes where."""

    source_dataset_name: AnsweredText | None = prop("Data set of the source table.")
    source_table: AnsweredText | None = prop("Source table.")
    target_table: AnsweredText | None = prop("Destination table.")
    excluded_columns: list[AnsweredText] | None = prop("Columns left out.")
    use_custom_sorting_key: Flag | None = prop("Whether sortingKeys apply.")
    sorting_keys: list[AnsweredText] | None = prop("Sorting key of the destination table.")
    table_engine: AnsweredText | None = prop(_TABLE_ENGINE)


class BigQuerySource(Record):
    """Source variant: a data set of BigQuery."""

    snapshot_staging_path: AnsweredText | None = prop("Path of a bucket that the snapshot goes through.")
    settings: BigQuerySettings | None = prop("How it replicates.")
    table_mappings: list[BigQueryTableMapping] | None = prop("Which table goes where.")


class MongoDbSettings(Record):
    """How a MongoDB pipe replicates."""

    sync_interval_seconds: Number | None = prop("Seconds between two syncs.")
    pull_batch_size: Number | None = prop("Documents pulled at a time.")
    replication_mode: AnsweredText | None = prop(_MODE)
    snapshot_num_rows_per_partition: Number | None = prop("Documents per partition of the snapshot.")
    snapshot_number_of_parallel_tables: Number | None = prop("Collections copied at a time in the snapshot.")
    delete_on_merge: Flag | None = prop("Whether deleted documents are deleted in the destination table, too.")
    use_json_native_format: Flag | None = prop("Whether documents are stored as JSON and not as text.")


class MongoDbTableMapping(Record):
    """Which collection goes where."""

    source_database_name: AnsweredText | None = prop("Database of the collection.")
    source_collection: AnsweredText | None = prop("Collection.")
    target_table: AnsweredText | None = prop("Destination table.")
    table_engine: AnsweredText | None = prop(_TABLE_ENGINE)


class MongoDbSource(Record):
    """Source variant: the change stream of a MongoDB database."""

    uri: AnsweredText | None = prop("Address of the database; it may hold credentials.", secret=True)
    read_preference: AnsweredText | None = prop("Which members are read, such as `secondaryPreferred`.")
    tls_host: AnsweredText | None = prop("Host name that its certificate is for.")
    ca_certificate: AnsweredText | None = prop("Certificate authority of the database, PEM.")
    disable_tls: Flag | None = prop("Whether connections are not encrypted.")
    skip_cert_verification: Flag | None = prop(_UNVERIFIED)
    settings: MongoDbSettings | None = prop("How it replicates.")
    table_mappings: list[MongoDbTableMapping] | None = prop("Which collection goes where.")


class PipeSource(Record):
    """Where a pipe reads; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream spoken in Kafka's protocol.")
    object_storage: ObjectStorageSource | None = prop("Files in object storage.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    postgres: PostgresSource | None = prop("The change stream of a Postgres database.")
    pubsub: PubSubSource | None = _newer("A topic of Pub/Sub.")
    mysql: MySqlSource | None = _newer("The change stream of a MySQL database.")
    bigquery: BigQuerySource | None = _newer("A data set of BigQuery.")
    mongodb: MongoDbSource | None = _newer("The change stream of a MongoDB database.")
