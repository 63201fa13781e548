"""The source of a pipe: an object for each kind, of which one is set.

No update accepts a field that is marked as replacing; an update sends all others that the program sets.
"""

from __future__ import annotations

from pulumi_clouddb.schema.base import prop
from pulumi_clouddb.schema.vendor import only_there

from .databases import BigQuerySource, MongoDbSource, MySqlSource, PostgresSource
from .files import ObjectStorageSource
from .shared import Shared
from .streams import KafkaSource, KinesisSource, PubSubSource


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
