"""Sources of pipes that are streams: Kafka, Kinesis and Pub/Sub."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, TypeVar

from pulumi_clouddb.schema.base import Answer, FilledText, Flag, Number, Text, Timestamp, Whole, prop
from pulumi_clouddb.schema.check.rules import API, PAGE, Rule, Source, rule, wire_case
from pulumi_clouddb.schema.check.wording import doubted, matching
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
from pulumi_clouddb.schema.vendor import among, only_there, reachable, without

from .enums import (
    WORKLOAD_IDENTITY,
    AwsAuthentication,
    GoogleAuthentication,
    IteratorType,
    KafkaAuthentication,
    KafkaFormat,
    KafkaType,
    KinesisFormat,
    KinesisRegistryType,
    OffsetStrategy,
    PubSubFormat,
    RegistryAuthentication,
    RegistryType,
    SeekType,
    TombstoneMode,
)
from .shared import ProjectId, Shared, fixed, fixed_there, role_in_vain, role_missing, ssh_key

ArgsT = TypeVar("ArgsT")

_NO_ENDPOINT = matching(r"(?!vpce-|rcfg-|arn:)[^.]*")
EndpointId = Annotated[Text, doubted("should be the output id of a ReversePrivateEndpoint", _NO_ENDPOINT)]
_ZOOKEEPER = "should be addresses of brokers, such as with the port 9092, and not of ZooKeeper"
KafkaBrokers = Annotated[Brokers, doubted(_ZOOKEEPER, without(r":218[12]\b"))]  # as in dpkp/kafka-python#1431
_NO_PATH = "should be the name of the topic alone, such as `orders`, without `projects/…/topics/`"
Topic = Annotated[FilledText, doubted(_NO_PATH, partial(re.sub, r"\A.*/", ""))]
MessageFilter = Annotated[  # its grammar: https://cloud.google.com/pubsub/docs/subscription-message-filter
    Text,
    doubted("should compare with a single =", partial(re.sub, r"==", "=")),
    doubted(
        "should be about attributes of messages, as `attributes:kind` is", without(r"(?s)\A(?!\s*\Z|.*attributes)")
    ),
]


def _needs_timestamp(
    timestamp: Callable[[ArgsT], object], start: Callable[[ArgsT], str | None], at_a_time: str, source: Source
) -> Rule[ArgsT]:
    """Return the rule that reading starts at a time if, and only if, there is one; without a start, there may be."""
    return rule(
        timestamp,
        f"should be given to start `{at_a_time}`, and only then",
        lambda args: (start(args) == at_a_time) is (timestamp(args) is None),
        given=start,
        warns=True,
        source=source,
    )


class KafkaOffset(Shared):
    """Start of reading of a Kafka pipe."""

    RULES: ClassVar[tuple[Rule[KafkaOffset], ...]] = (
        _needs_timestamp(
            lambda offset: offset.timestamp,
            lambda offset: offset.strategy,
            OffsetStrategy.TIMESTAMP.value,
            API("ClickPipeKafkaOffset.timestamp"),
        ),
    )

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
            lambda registry: registry.type,
            "`confluent` needs url and authentication, `glue` needs glueRegion and glueRegistryName, and neither has "
            "properties of the other",
            _registry_fault,
            source=API("ClickPipeMutateKafkaSchemaRegistry"),
        ),
        rule(
            lambda registry: registry.url,
            "must begin with https://",
            lambda registry: not (registry.url or "").startswith("https://"),
            given=lambda registry: registry.url,
            source=API("ClickPipeMutateKafkaSchemaRegistry.url"),
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


_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    KafkaType.KAFKA: ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "MUTUAL_TLS"),
    KafkaType.MSK: ("SCRAM-SHA-512", "IAM_ROLE", "IAM_USER", "MUTUAL_TLS"),
    KafkaType.GCMK: ("PLAIN", "MUTUAL_TLS", WORKLOAD_IDENTITY),
    KafkaType.CONFLUENT: ("PLAIN", "MUTUAL_TLS"),
    KafkaType.WARPSTREAM: ("PLAIN",),
    KafkaType.AZURE_EVENT_HUB: ("PLAIN",),
    KafkaType.REDPANDA: ("SCRAM-SHA-256", "SCRAM-SHA-512", "MUTUAL_TLS"),
    KafkaType.DO_KAFKA: ("SCRAM-SHA-256", "MUTUAL_TLS"),
}
"""The authentication methods of each type of stream."""


def _of_another_type(source: KafkaSource) -> str | None:
    known = _OF_TYPE.get(str(source.type))
    if known is None or source.authentication in (None, WORKLOAD_IDENTITY, *known):
        return None
    return f"; {source.type} has {among(known)}, not {source.authentication!s}"


def _lacks_role_of_glue(source: KafkaSource) -> bool:
    registry = source.schema_registry
    if registry is None or registry.type != RegistryType.GLUE or registry.glue_role_arn is not None:
        return False
    return source.authentication not in (KafkaAuthentication.IAM_ROLE, KafkaAuthentication.IAM_USER)


def _registry_otherwise(source: KafkaSource) -> bool:
    needed = {"Avro": False, "AvroConfluent": True}.get(str(source.format))
    return needed is not None and needed is not (source.schema_registry is not None)


_OF_REGISTRIES = PAGE("https://clickhouse.com/docs/integrations/clickpipes/kafka/schema-registries")


class KafkaSource(Shared):
    """Source variant: a message stream with Kafka's protocol."""

    RULES: ClassVar[tuple[Rule[KafkaSource], ...]] = (
        rule(
            lambda source: source.tombstone_mode,
            "`delete` needs exactlyOnce",
            lambda source: source.tombstone_mode == TombstoneMode.DELETE and source.exactly_once is not True,
            source=API("ClickPipePostKafkaSource.tombstoneMode"),
        ),
        rule(
            lambda source: source.schema_registry,
            "of type `glue` needs glueRoleArn, unless authentication is IAM_ROLE or IAM_USER",
            _lacks_role_of_glue,
            source=API("ClickPipeMutateKafkaSchemaRegistry.glueRoleArn"),
        ),
        rule(
            lambda source: source.authentication,
            f"`{WORKLOAD_IDENTITY}` needs type gcmk",
            lambda source: source.authentication == WORKLOAD_IDENTITY and source.type != KafkaType.GCMK,
            source=API("ClickPipePostKafkaSource.authentication"),
        ),
        rule(
            lambda source: source.authentication,
            "should be one that type supports",
            _of_another_type,
            warns=True,
            source=API("ClickPipePostKafkaSource.authentication"),
        ),
        reachable(lambda source: source.brokers, lambda source: source.ssh_key_resource_id),
        rule(
            lambda source: source.format,
            "of Avro should be AvroConfluent with schemaRegistry, and Avro without",
            _registry_otherwise,
            warns=True,
            source=_OF_REGISTRIES,
        ),
        role_missing("ClickPipePostKafkaSource"),
        role_in_vain("ClickPipePostKafkaSource"),
    )

    type: KafkaType | None = fixed_there("Kind of stream.", required=True)
    format: KafkaFormat | None = fixed_there("Format of the messages.", required=True)
    brokers: KafkaBrokers | None = fixed("Addresses of the brokers, separated by commas.", required=True)
    topics: Topics | None = fixed("Topics to read, separated by commas.", required=True)
    consumer_group: Text | None = fixed("Consumer group. By default one of the pipe's own.")
    authentication: KafkaAuthentication | None = only_there("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the stream.")
    offset: KafkaOffset | None = fixed("Where reading starts.")
    schema_registry: KafkaSchemaRegistry | None = fixed("Schema registry.")
    ca_certificate: Certificates | None = prop("Certificate authority of the brokers, PEM.")
    reverse_private_endpoint_ids: list[EndpointId] | None = prop("Reverse private endpoints used.")
    exactly_once: Flag | None = fixed_there("Whether each record is inserted exactly once.")
    tombstone_mode: TombstoneMode | None = fixed_there("What is done with messages without a value.")
    ssh_key_resource_id: FilledText | None = ssh_key()


class KinesisSource(Shared):
    """Source variant: a Kinesis stream."""

    RULES: ClassVar[tuple[Rule[KinesisSource], ...]] = (
        rule(
            lambda source: source.format,
            "`AvroConfluent` needs schemaRegistry",
            lambda source: source.format == KinesisFormat.AVRO_CONFLUENT and source.schema_registry is None,
            source=API("ClickPipePostKinesisSource.schemaRegistry"),
        ),
        _needs_timestamp(
            lambda source: source.timestamp,
            lambda source: source.iterator_type,
            IteratorType.AT_TIMESTAMP.value,
            API("ClickPipePostKinesisSource.timestamp"),
        ),
        rule(
            lambda source: source.format,
            "of Avro should be AvroConfluent with schemaRegistry",
            lambda source: source.format == "Avro" and source.schema_registry is not None,
            warns=True,
            source=_OF_REGISTRIES,
        ),
        role_missing("ClickPipePostKinesisSource"),
        role_in_vain("ClickPipePostKinesisSource"),
    )

    format: KinesisFormat | None = fixed_there("Format of the records.", required=True)
    stream_name: NameAlone | None = fixed("Name of the stream.", required=True)
    region: AwsRegion | None = fixed("Region of the stream.", required=True)
    use_enhanced_fan_out: Flag | None = fixed("Whether enhanced fan-out is used.")
    iterator_type: IteratorType | None = fixed_there("Where reading starts.")
    timestamp: Whole | None = fixed("Time to start from, in seconds since 1970.", answer=Answer(type=Number))
    authentication: AwsAuthentication | None = only_there("Kind of authentication.")
    iam_role: RoleArn | None = prop("Role used to read the stream.")
    schema_registry: KinesisSchemaRegistry | None = fixed_there("Schema registry.")


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
            source=API("ClickPipePostPubSubSource.seekTimestamp"),
        ),
    )

    format: PubSubFormat | None = fixed("Format of the messages.", required=True)
    project_id: ProjectId | None = fixed("Project that owns the topic.", required=True)
    topic: Topic | None = fixed("Name of the topic.", required=True)
    authentication: GoogleAuthentication | None = prop("Kind of authentication.", required=True)
    seek_type: SeekType | None = fixed("Where reading starts.", required=True)
    seek_timestamp: Timestamp | None = fixed("Time to start from.")
    filter: MessageFilter | None = fixed("Expression that messages must match.", max_length=256)
    enable_ordering: Flag | None = fixed("Whether messages are delivered in order.")
    ack_deadline: Whole | None = prop("Seconds within which a message is acknowledged.", ge=10, le=600)
