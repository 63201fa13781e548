"""The schema of a stream, as the server infers it before there is a pipe."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Flag, JsonObject, Record, Text, Uuid, prop
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.rules import Rule, RuleContext
from pulumi_clouddb.schema.thing import Part, Thing, asked, inputs_of

from .credentials import PipeCredentials
from .sources import KafkaSource, KinesisSource


class StreamSource(Part):
    """A stream; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream spoken in Kafka's protocol.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")


def _not_one(stream: DiscoverPipeSchema, _: RuleContext) -> bool:
    return stream.source is not None and (stream.source.kafka is None) is (stream.source.kinesis is None)


class DiscoverPipeSchema(Thing):
    """Arguments of discoverPipeSchema (openapi: `ClickPipeSchemaDiscoveryRequest`)."""

    RULES = (Rule(lambda stream: stream.source, _not_one, "must have exactly one of kafka, kinesis"),)

    service_id: Uuid | None = prop("Id of the service that a pipe would write into.", required=True, provider_only=True)
    source: StreamSource | None = prop("The stream, as a pipe has it.", required=True)
    credentials: PipeCredentials | None = asked("How the server proves who it is.", secret=True)


class PipeSchemaField(Record):
    """A field of a stream."""

    name: Text | None = prop("Name of the field.")
    type: Text | None = prop("Type of a column for it.")
    optional: Flag | None = prop("Whether messages may lack it.")


class PipeSchema(Record):
    """Answer of discoverPipeSchema."""

    fields_: list[PipeSchemaField] | None = prop("The fields.")
    meta: JsonObject | None = prop("What the server says of the stream beside them.")


DISCOVER_PIPE_SCHEMA = FunctionType(
    "discoverPipeSchema",
    "Infers the fields of a Kafka or Kinesis stream and their types, without a pipe; the server reads some messages.",
    inputs_of(DiscoverPipeSchema),
    PipeSchema,
)
