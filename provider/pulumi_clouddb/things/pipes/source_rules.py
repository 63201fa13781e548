"""Rules over several fields of a source.

Check refuses what both the vendor's description and its Terraform provider refuse (clickpipe.go, v3.25.3); of what only
one of them refuses, or calls without effect, it warns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.check.rules import API, OURS, PAGE, SEEN, TF, Rule, Source, rule, wire_case
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vendor import among, of_server, reachable, repeated
from pulumi_clouddb.schema.view import raw_of

from .enums import (
    WORKLOAD_IDENTITY,
    FileFormat,
    GoogleAuthentication,
    IteratorType,
    KafkaAuthentication,
    KafkaType,
    KinesisFormat,
    ObjectStorageType,
    OffsetStrategy,
    RegistryType,
    ReplicationMode,
    SeekType,
    TombstoneMode,
)

if TYPE_CHECKING:
    from .sources import (
        BigQuerySource,
        KafkaOffset,
        KafkaSchemaRegistry,
        KafkaSource,
        KinesisSource,
        MongoDbSource,
        MySqlSource,
        ObjectStorageSource,
        PostgresSettings,
        PostgresSource,
        PubSubSource,
        TableMapping,
    )

    Database: TypeAlias = PostgresSource | MySqlSource
    WithRole: TypeAlias = KafkaSource | KinesisSource | ObjectStorageSource | Database
    WithTls: TypeAlias = Database | MongoDbSource
    WithTables: TypeAlias = WithTls | BigQuerySource

ArgsT = TypeVar("ArgsT")

IN_TERRAFORM = TF("clickpipe.go")
USER_IN_URI = re.compile(r"([^/]*//)[^/]*@")
"""The user name and the password in the address of a MongoDB database."""


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


# -- roles ------------------------------------------------------------------------------------------------------------


def _lacks_role(source: WithRole) -> bool:
    return source.authentication == KafkaAuthentication.IAM_ROLE and not source.iam_role


def _role_in_vain(schema: str) -> Rule[WithRole]:
    return rule(
        lambda source: source.iam_role,
        "has no effect without authentication IAM_ROLE",
        lambda source: source.authentication is None and bool(source.iam_role),
        warns=True,
        source=API(f"{schema}.iamRole"),
    )


def _roles(schema: str) -> tuple[Rule[WithRole], ...]:
    text = "should be given for authentication IAM_ROLE"
    needed: Rule[WithRole] = rule(
        lambda source: source.iam_role, text, _lacks_role, warns=True, source=API(f"{schema}.iamRole")
    )
    return needed, _role_in_vain(schema)


# -- streams ----------------------------------------------------------------------------------------------------------

KAFKA_OFFSET: tuple[Rule[KafkaOffset], ...] = (
    _needs_timestamp(
        lambda offset: offset.timestamp,
        lambda offset: offset.strategy,
        OffsetStrategy.TIMESTAMP.value,
        API("ClickPipeKafkaOffset.timestamp"),
    ),
)

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


KAFKA_REGISTRY: tuple[Rule[KafkaSchemaRegistry], ...] = (
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

KAFKA: tuple[Rule[KafkaSource], ...] = (
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
    *_roles("ClickPipePostKafkaSource"),
)
KINESIS: tuple[Rule[KinesisSource], ...] = (
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
    *_roles("ClickPipePostKinesisSource"),
)


def _seeks_otherwise(source: PubSubSource) -> bool:
    if source.seek_type not in {*SeekType}:
        return False
    return (source.seek_type == SeekType.TIMESTAMP) is not (source.seek_timestamp is not None)


PUB_SUB: tuple[Rule[PubSubSource], ...] = (
    rule(
        lambda source: source.seek_timestamp,
        "must be given if, and only if, seekType is timestamp",
        _seeks_otherwise,
        source=API("ClickPipePostPubSubSource.seekTimestamp"),
    ),
)

# -- files ------------------------------------------------------------------------------------------------------------

_COMPRESSED = {"gz": ("gzip", "gz"), "br": ("brotli", "br"), "xz": ("xz", "LZMA"), "zst": ("zstd",)}
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("csv", "tsv"), ("CSV", "CSVWithNames", "TabSeparated", "TabSeparatedWithNames")),
    **dict.fromkeys(("json", "jsonl", "ndjson"), ("JSONEachRow", "JSONAsObject")),
    "parquet": ("Parquet",),
    "avro": ("Avro",),
}
_STORES: Mapping[str, str] = {"amazonaws.com/": "s3", "s3://": "s3", ".core.windows.net/": "azureblobstorage"}
"""The compression and the format of a file by the end of its name, and the type of storage by parts of its address."""


def _files_of(source: ObjectStorageSource) -> str:
    return str(source.path or source.url or "")


def _compressed_otherwise(source: ObjectStorageSource) -> str | None:
    known = _COMPRESSED.get(_files_of(source).rpartition(".")[2], ())
    return f": write auto or {known[0]}" if known and source.compression not in (None, "auto", *known) else None


def _written_otherwise(source: ObjectStorageSource) -> str | None:
    *_, last, end = ("", "", *_files_of(source).split("."))
    known = _WRITTEN.get(last if end in _COMPRESSED else end, ())
    return f": write {known[0]}" if known and source.format in {*FileFormat}.difference(known) else None


def _stored_elsewhere(source: ObjectStorageSource) -> str | None:
    if source.type == "azureblobstorage" and source.url:
        return ": for azureblobstorage, write azureContainerName and path instead"
    type_ = next((type_ for part, type_ in _STORES.items() if part in (source.url or "")), source.type)
    return f", not of {source.type}: its type is {type_}" if source.type not in (None, type_) else None


def _single_file(source: ObjectStorageSource) -> bool:
    files = _files_of(source)
    return bool(files and source.is_continuous) and not source.queue_url and not re.search(r"[*?{\[]|/\Z", files)


def _queue_of_others(source: ObjectStorageSource) -> str | None:
    queue, other = source.queue_url or "", {"s3": "projects/", "gcs": "https://"}.get(str(source.type), "-")
    if queue.startswith(other) or queue.endswith(".fifo"):
        return ": for s3 a standard queue of SQS, for gcs a subscription of Pub/Sub"
    regions = [re.findall(r"\b(?:s3|sqs)[.-]([a-z-]+-\d)\.amazonaws", each or "") for each in (queue, source.url)]
    return f", in {regions[1][0]}" if all(regions) and regions[0] != regions[1] else None


_AUTHENTICATION = API("ClickPipePostObjectStorageSource.authentication")

OBJECT_STORAGE: tuple[Rule[ObjectStorageSource], ...] = (
    rule(
        lambda source: source.authentication,
        f"`{WORKLOAD_IDENTITY}` needs type gcs",
        lambda source: source.authentication == WORKLOAD_IDENTITY and source.type != ObjectStorageType.GCS,
        source=_AUTHENTICATION,
    ),
    rule(
        lambda source: source.authentication,
        "`IAM_ROLE` is not for type gcs: write IAM_USER or SERVICE_ACCOUNT",
        lambda source: (source.authentication, source.type) == ("IAM_ROLE", "gcs"),
        source=_AUTHENTICATION,
    ),
    rule(
        lambda source: source.authentication,
        "`SERVICE_ACCOUNT` needs type gcs",
        lambda source: source.authentication == "SERVICE_ACCOUNT" and source.type not in (None, "gcs"),
        source=_AUTHENTICATION,
    ),
    rule(
        lambda source: source.authentication,
        "`IAM_ROLE` is for type s3",
        lambda source: source.authentication == "IAM_ROLE" and source.type not in (None, "s3", "gcs"),
        warns=True,
        source=_AUTHENTICATION,
    ),
    rule(
        lambda source: source.azure_container_name,
        "should be given for type azureblobstorage",
        lambda source: source.type == "azureblobstorage" and not source.azure_container_name,
        warns=True,
        source=API("ClickPipePostObjectStorageSource.azureContainerName"),
    ),
    rule(
        lambda source: source.queue_url,
        "has no effect without isContinuous: true and authentication: queues are not for public files",
        lambda source: not source.is_continuous or source.authentication is None,
        given=lambda source: source.queue_url or None,
        warns=True,
        source=API("ClickPipePostObjectStorageSource.queueUrl"),
    ),
    rule(
        lambda source: source.queue_url,
        "is for types s3 and gcs",
        lambda source: source.type not in ("s3", "gcs"),
        given=lambda source: source.queue_url or None,
        warns=True,
        source=IN_TERRAFORM,
    ),
    rule(
        lambda source: source.queue_url,
        "should be a queue that the bucket can write to",
        _queue_of_others,
        warns=True,
        source=PAGE(
            "https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html"
        ),
    ),
    rule(
        lambda source: source.skip_initial_load,
        "has no effect without queueUrl: nothing would be read",
        lambda source: source.skip_initial_load is True and not source.queue_url,
        warns=True,
        source=API("ClickPipePostObjectStorageSource.skipInitialLoad"),
    ),
    rule(
        lambda source: source.start_after,
        "must be left out if skipInitialLoad is true",
        lambda source: source.skip_initial_load is True and bool(source.start_after),
        source=API("ClickPipePostObjectStorageSource.startAfter"),
    ),
    rule(
        lambda source: source.url,
        "should be an address of its type",
        _stored_elsewhere,
        warns=True,
        source=IN_TERRAFORM,
    ),
    rule(
        lambda source: source.compression,
        "should be that of the files",
        _compressed_otherwise,
        warns=True,
        source=OURS,
    ),
    rule(lambda source: source.format, "should be that of the files", _written_otherwise, warns=True, source=OURS),
    rule(
        lambda source: source.is_continuous,
        "should not be true for one file: write a wildcard such as `*` in its address",
        _single_file,
        warns=True,
        source=OURS,
    ),
    rule(
        lambda source: source.connection_string,
        "must be in `credentials`",
        lambda _: True,
        given=lambda source: source.connection_string,
        source=OURS,
    ),
    *_roles("ClickPipePostObjectStorageSource"),
)

# -- databases --------------------------------------------------------------------------------------------------------


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
_NO_TLS: Rule[WithTls] = rule(
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
        _lacks_role,
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
    return required, primary, known, _NO_TLS, _role_in_vain(schema), *_MAPPINGS


def is_foreign_slot(settings: PostgresSettings) -> bool:
    """Return whether the settings of a source have a replication slot that their mode does not use."""
    return bool(settings.replication_slot_name) and settings.replication_mode != ReplicationMode.CDC_ONLY


POSTGRES_SETTINGS: tuple[Rule[PostgresSettings], ...] = (
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
POSTGRES: tuple[Rule[PostgresSource], ...] = (
    of_server(lambda source: source.port, "Postgres", 5432),
    *_of_database("ClickPipeMutatePostgresSource"),
)
MY_SQL: tuple[Rule[MySqlSource], ...] = (
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
MONGO_DB: tuple[Rule[MongoDbSource], ...] = (
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
    _NO_TLS,
    *_MAPPINGS,
)
BIG_QUERY: tuple[Rule[BigQuerySource], ...] = (
    rule(
        lambda source: source.project_id,
        f"is required with authentication {WORKLOAD_IDENTITY}",
        lambda source: source.authentication == GoogleAuthentication.WORKLOAD_IDENTITY and source.project_id is None,
        source=API("ClickPipeMutateBigQuerySource.projectId"),
    ),
    *_MAPPINGS,
)


def _excluded_key(mapping: TableMapping) -> str | None:
    found = {*(mapping.sorting_keys or ())}.intersection(mapping.excluded_columns or ())
    return f", not {min(found)!r}" if found else None


def _each_once(columns: Callable[[TableMapping], list[str] | None], name: str) -> Rule[TableMapping]:
    source = API(f"ClickPipePostgresPipeTableMapping.{name}")
    text = "should name each column once"
    return rule(columns, text, lambda mapping: repeated(columns(mapping) or ()), warns=True, source=source)


_SORTED = API("ClickPipePostgresPipeTableMapping.useCustomSortingKey")

TABLE_MAPPING: tuple[Rule[TableMapping], ...] = (
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
