"""What is asked of a service before a pipe exists: the fields of a stream, and what its pipes are for others."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Flag, JsonObject, Model, Record, Text, Uuid, prop
from pulumi_clouddb.schema.check.rules import API, Rule, rule
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.thing import Thing, asked, inputs_of

from .credentials import PipeCredentials
from .rules import lacks_registry_credentials, set_in
from .sources import StreamSource


class DiscoverPipeSchema(Thing):
    """Arguments of discoverPipeSchema (OpenAPI: `ClickPipeSchemaDiscoveryRequest`)."""

    RULES: ClassVar[tuple[Rule[DiscoverPipeSchema], ...]] = (
        rule(
            lambda stream: stream.source,
            "must have exactly one of kafka, kinesis, pubsub, objectStorage",
            lambda stream: stream.source is not None and len(set_in(StreamSource, stream.source)) != 1,
            source=API("ClickPipeSchemaDiscoverySource"),
        ),
        rule(
            lambda stream: stream.credentials,
            "must have schemaRegistry for one of type `confluent`",
            lambda stream: lacks_registry_credentials(stream.source, stream.credentials),
            source=API("ClickPipeMutateKafkaSchemaRegistry"),
        ),
    )

    service_id: Uuid | None = prop("Id of the service that a pipe would write into.", required=True, provider_only=True)
    source: StreamSource | None = prop("The stream, in the form of a pipe's source.", required=True)
    credentials: PipeCredentials | None = asked("Credentials for the stream.", secret=True)


class PipeSchemaField(Record):
    """A field of a stream."""

    name: Text | None = prop("Name of the field.")
    type: Text | None = prop("Type of a column for the field.")
    optional: Flag | None = prop("Whether messages may lack it.")


class PipeSchema(Record):
    """Answer of discoverPipeSchema."""

    fields_: list[PipeSchemaField] | None = prop("The fields.")
    meta: JsonObject | None = prop("Other properties of the stream.")


DISCOVER_PIPE_SCHEMA = FunctionType(
    "discoverPipeSchema",
    "Infers the fields of a stream or of files and their types, without a pipe; the server reads some of the data.",
    inputs_of(DiscoverPipeSchema),
    PipeSchema,
)


class GcpWorkloadIdentity(Record):
    """The identity of the pipes of a service at Google Cloud."""

    supported: Flag | None = prop("Whether the service can have one.")
    ready: Flag | None = prop("Whether it exists; soon after the create of a service it may not exist yet.")
    principal: Text | None = prop("Service account to which the source grants access before a pipe is created.")


class GetPipeServiceContextArgs(Model):
    """Arguments of getPipeServiceContext."""

    service_id: Uuid = prop("Id of the service.", required=True)
    wait_for_identity: Flag | None = prop(
        "Whether to wait up to 30 seconds for an identity that is supported and does not exist yet, which is so just "
        "after the create of a service.",
        unset=True,
    )


class PipeServiceContext(Record):
    """Answer of getPipeServiceContext."""

    gcp_workload_identity: GcpWorkloadIdentity | None = prop("Identity of the pipes at Google Cloud.")


GET_PIPE_SERVICE_CONTEXT = FunctionType(
    "getPipeServiceContext",
    "Reads what the pipes of a service are for others, such as the account to which a source grants access.",
    GetPipeServiceContextArgs,
    PipeServiceContext,
)
