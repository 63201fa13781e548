"""Rules over several fields of a source, which only check has.

Check refuses what both the vendor's description and its Terraform provider refuse (clickpipe.go, v3.25.3); of what only
one of them refuses, or calls without effect, it warns. tests/description/mistakes.py breaks each rule once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vendor import among, found, of_server, reachable, refused, repeated, rule, warned
from pulumi_clouddb.schema.view import raw_of

from .enums import FileFormat, IteratorType, KafkaAuthentication, KafkaType, OffsetStrategy, ReplicationMode

Rules = tuple[Rule[Any], ...]

USER_IN_URI = re.compile(r"([^/]*//)[^/]*@")
"""The user name and the password in the address of a MongoDB database."""


def _needs_timestamp(start: str, at_a_time: str) -> Rule[Any]:
    """Return the rule that reading starts at a time if, and only if, there is one; without a start, there may be."""

    def test(source: Any) -> bool:
        chosen = getattr(source, start)
        return chosen is not None and (chosen == at_a_time) is (source.timestamp is None)

    return warned("timestamp", test, f"is required to start `{at_a_time}`, and only then")


_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    KafkaType.KAFKA: ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "MUTUAL_TLS"),
    KafkaType.MSK: ("SCRAM-SHA-512", "IAM_ROLE", "IAM_USER", "MUTUAL_TLS"),
    KafkaType.GCMK: ("PLAIN", "MUTUAL_TLS", KafkaAuthentication.WORKLOAD_IDENTITY.value),
    KafkaType.CONFLUENT: ("PLAIN", "MUTUAL_TLS"),
    KafkaType.WARPSTREAM: ("PLAIN",),
    KafkaType.AZURE_EVENT_HUB: ("PLAIN",),
    KafkaType.REDPANDA: ("SCRAM-SHA-256", "SCRAM-SHA-512", "MUTUAL_TLS"),
    KafkaType.DO_KAFKA: ("SCRAM-SHA-256", "MUTUAL_TLS"),
}
"""The authentication methods of each type of stream (OpenAPI: `ClickPipePostKafkaSource.authentication`)."""


def _of_another_type(source: Any) -> str | None:
    known = _OF_TYPE.get(str(source.type))
    if known is None or source.authentication in (None, KafkaAuthentication.WORKLOAD_IDENTITY, *known):
        return None
    return f"; {source.type} has {among(known)}, not {source.authentication!s}"


def _registry_otherwise(source: Any) -> bool:
    needed = {"Avro": False, "AvroConfluent": True}.get(str(source.format))
    return needed is not None and needed is not (source.schema_registry is not None)


_COMPRESSED = {"gz": ("gzip", "gz"), "br": ("brotli", "br"), "xz": ("xz", "LZMA"), "zst": ("zstd",)}
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("csv", "tsv"), ("CSV", "CSVWithNames", "TabSeparated", "TabSeparatedWithNames")),
    **dict.fromkeys(("json", "jsonl", "ndjson"), ("JSONEachRow", "JSONAsObject")),
    "parquet": ("Parquet",),
    "avro": ("Avro",),
}
_STORES: Mapping[str, str] = {"amazonaws.com/": "s3", "s3://": "s3", ".core.windows.net/": "azureblobstorage"}
"""The compression and the format of a file by the end of its name, and the type of storage by parts of its address."""


def _files_of(source: Any) -> str:
    return str(source.path or source.url or "")


def _compressed_otherwise(source: Any) -> str | None:
    known = _COMPRESSED.get(_files_of(source).rpartition(".")[2], ())
    return f": write auto or {known[0]}" if known and source.compression not in (None, "auto", *known) else None


def _written_otherwise(source: Any) -> str | None:
    *_, last, end = ("", "", *_files_of(source).split("."))
    known = _WRITTEN.get(last if end in _COMPRESSED else end, ())
    return f": write {known[0]}" if known and source.format in {*FileFormat}.difference(known) else None


def _stored_elsewhere(source: Any) -> str | None:
    if source.type == "azureblobstorage" and source.url:
        return ": for azureblobstorage, write azureContainerName and path instead"
    type_ = next((type_ for part, type_ in _STORES.items() if part in (source.url or "")), source.type)
    return f", not of {source.type}: its type is {type_}" if source.type not in (None, type_) else None


def _single_file(source: Any) -> bool:
    files = _files_of(source)
    return bool(files and source.is_continuous) and not source.queue_url and not re.search(r"[*?{\[]|/\Z", files)


def _queue_of_others(source: Any) -> str | None:
    queue, other = source.queue_url or "", {"s3": "projects/", "gcs": "https://"}.get(str(source.type), "-")
    if queue.startswith(other) or queue.endswith(".fifo"):
        return ": for s3 a standard queue of SQS, for gcs a subscription of Pub/Sub"
    regions = [re.findall(r"\b(?:s3|sqs)[.-]([a-z-]+-\d)\.amazonaws", each or "") for each in (queue, source.url)]
    return f", in {regions[1][0]}" if all(regions) and regions[0] != regions[1] else None


def _duplicates(mappings: list[Any]) -> str | None:
    known = [identity(each) for each in mappings]
    twice = next((at for at, each in enumerate(known) if each in known[:at] and not contains_unknown(each)), None)
    return None if twice is None else f"; duplicate: [{twice}]"


def _mappings_fault(source: Any) -> str | None:
    mappings = raw_of(source, "table_mappings")
    if mappings is None:
        return None
    return _duplicates(mappings) if mappings else ", not an empty list"


def _shared_target(source: Any) -> str | None:
    targets = [each.target_table for each in source.table_mappings or ()]
    return repeated(targets) if len({*targets}) < len(targets) else None


def _excluded_key(mapping: Any) -> str | None:
    found = {*(mapping.sorting_keys or ())}.intersection(mapping.excluded_columns or ())
    return f", not {min(found)!r}" if found else None


def _lacks_role(source: Any) -> bool:
    return source.authentication == KafkaAuthentication.IAM_ROLE and not source.iam_role


_ROLE: Rules = (
    warned("iam_role", _lacks_role, "is needed for authentication IAM_ROLE"),
    warned(
        "iam_role",
        lambda source: source.authentication is None and bool(source.iam_role),
        "needs authentication IAM_ROLE",
    ),
)
ROLE_OF_DATABASE = refused("iam_role", _lacks_role, "is required for authentication IAM_ROLE")


def is_foreign_slot(settings: Any) -> bool:
    """Return whether the settings of a source have a replication slot that their mode does not use."""
    return bool(settings.replication_slot_name) and settings.replication_mode != ReplicationMode.CDC_ONLY


SLOT: Rule[Any] = rule(
    lambda settings: settings.replication_slot_name,
    is_foreign_slot,
    "is for replicationMode cdc_only",
    lists=True,
)
"""What the description says, and servers refuse (public records of 400); of the role, the Terraform provider, too.

A pipe that exists may have a slot that the server has created, so only that of a new one is refused.
"""

_INDIRECT = re.compile(r"-pooler\.|\.pooler\.|\.proxy-[^.]+\.[^.]+\.rds\.|\.cluster-ro-")


def _indirect(source: Any) -> bool:
    snapshot = source.settings is not None and source.settings.replication_mode == "snapshot"
    return bool(_INDIRECT.search(source.host or "")) and not snapshot


_TUNNEL = "ssh_key_resource_id"
_MAPPINGS: Rules = (
    refused("table_mappings", _mappings_fault, "must have one or more mappings, each once"),
    warned("table_mappings", _shared_target, "must each have a targetTable of their own"),
)
_NO_TLS = warned(
    "disable_tls",
    lambda source: source.disable_tls is True and bool(source.tls_host or source.ca_certificate),
    "must not be true beside tlsHost and caCertificate, which are for TLS: remove it, or these",
)
_DATABASE: Rules = (
    warned("host", _indirect, "must be that of the primary server: no changes pass poolers, proxies and readers"),
    reachable("host", _TUNNEL),
    _NO_TLS,
    _ROLE[1],
    *_MAPPINGS,
)

KAFKA_OFFSET: Rules = (_needs_timestamp("strategy", OffsetStrategy.TIMESTAMP.value),)
KAFKA: Rules = (
    warned("authentication", _of_another_type, "must be one that type supports"),
    found("brokers", r":218[12]\b", "must be addresses of brokers, such as with the port 9092, and not of ZooKeeper"),
    reachable("brokers", _TUNNEL),
    warned("format", _registry_otherwise, "of Avro must be AvroConfluent with schemaRegistry, and Avro without"),
    *_ROLE,
)
KINESIS: Rules = (
    _needs_timestamp("iterator_type", IteratorType.AT_TIMESTAMP.value),
    warned(
        "format",
        lambda source: source.format == "Avro" and source.schema_registry is not None,
        "of Avro must be AvroConfluent with schemaRegistry",
    ),
    *_ROLE,
)
_PROJECT = found(
    "project_id",
    r"\A(?!\Z|[a-z][a-z0-9-]{4,28}[a-z0-9]\Z)",
    "must be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
)
PUB_SUB: Rules = (
    _PROJECT,
    found("topic", "/", "must be the name of the topic alone, such as `orders`, without `projects/…/topics/`"),
    found("filter", "==", "must compare with a single ="),
    found("filter", r"(?s)\A(?!\s*\Z|.*attributes)", "must be about attributes of messages, as `attributes:kind` is"),
)
_SQS = r"https://sqs\.[a-z0-9.-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9._-]+"
_CONSOLE = r"//([^/]+\.)?(console\.aws\.amazon|(console|storage)\.cloud\.google|portal\.azure)\.com/|\.s3-website[.-]"
_SIGNATURE = r"(?i)[?&][\w-]*sig(nature)?="
_FILES_AT = "`https://BUCKET.s3.REGION.amazonaws.com/PATH/*`"
OBJECT_STORAGE: Rules = (
    refused(
        "authentication",
        lambda source: (source.authentication, source.type) == ("IAM_ROLE", "gcs"),
        "`IAM_ROLE` is not for type gcs: write IAM_USER or SERVICE_ACCOUNT",
    ),
    refused(
        "authentication",
        lambda source: source.authentication == "SERVICE_ACCOUNT" and source.type not in (None, "gcs"),
        "`SERVICE_ACCOUNT` needs type gcs",
    ),
    warned(
        "authentication",
        lambda source: source.authentication == "IAM_ROLE" and source.type not in (None, "s3", "gcs"),
        "`IAM_ROLE` is for type s3",
    ),
    warned(
        "azure_container_name",
        lambda source: source.type == "azureblobstorage" and not source.azure_container_name,
        "is required for type azureblobstorage",
    ),
    warned("queue_url", lambda source: bool(source.queue_url) and not source.is_continuous, "needs isContinuous: true"),
    warned(
        "queue_url",
        lambda source: bool(source.queue_url) and source.authentication is None,
        "needs authentication: queues are not for public files",
    ),
    warned(
        "queue_url",
        lambda source: bool(source.queue_url) and source.type not in ("s3", "gcs"),
        "is for types s3 and gcs",
    ),
    found(
        "queue_url",
        rf"\A(?!\Z|({_SQS}|projects/.+/subscriptions/.+)\Z)",
        "must be a queue `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, or `projects/…/subscriptions/…`",
    ),
    warned("queue_url", _queue_of_others, "must be a queue that the bucket can write to"),
    warned(
        "skip_initial_load",
        lambda source: source.skip_initial_load is True and not source.queue_url,
        "needs queueUrl: without a queue, nothing would be read",
    ),
    refused(
        "start_after",
        lambda source: source.skip_initial_load is True and bool(source.start_after),
        "must be left out if skipInitialLoad is true",
    ),
    found("url", r"\A(?!\w+://|\Z)", f"must begin with a protocol, as {_FILES_AT} does"),
    found("url", _CONSOLE, f"must be an address of files, such as {_FILES_AT}, not of a page"),
    found("url", "%[YmHMSj]", "must have no date to be filled in: files are matched by wildcards such as `*`"),
    found("url", _SIGNATURE, "must have no signature, which expires: remove it, and set authentication"),
    *(
        found(each, r"(/|\A\w+://[^/]+)\Z", "must name files, such as all of a folder by `/*` at its end")
        for each in ("url", "path")
    ),
    *(
        found(each, r"\A/|://", "must be a name within the storage, without its address and a `/` before it")
        for each in ("path", "azure_container_name", "start_after")
    ),
    warned("url", _stored_elsewhere, "must be an address of its type"),
    warned("compression", _compressed_otherwise, "must be that of the files"),
    warned("format", _written_otherwise, "must be that of the files"),
    warned("is_continuous", _single_file, "must not be true for one file: write a wildcard such as `*` in its address"),
    found("delimiter", r"(?s)\A[^\\].", "must be one character, such as `;` or a tab"),
    refused("connection_string", lambda source: source.connection_string is not None, "must be in `credentials`"),
    *_ROLE,
)
POSTGRES_SETTINGS: Rules = (
    found("replication_slot_name", "[^a-z0-9_]", "must have lowercase letters, digits and underscores only"),
    warned(
        "enable_failover_slots",
        lambda settings: settings.enable_failover_slots is True and bool(settings.replication_slot_name),
        "is for slots that the pipe creates: remove it, or replicationSlotName",
    ),
)
MY_SQL: Rules = (
    refused(
        "settings",
        lambda source: (
            source.type in ("mariadb", "rdsmariadb")
            and source.settings is not None
            and source.settings.replication_mechanism not in (None, "GTID")
        ),
        "must have replicationMechanism GTID for MariaDB",
    ),
    of_server("MySQL", 3306),
    *_DATABASE,
)


MONGO_DB: Rules = (
    refused(
        "uri",
        lambda source: source.uri is not None and bool(USER_IN_URI.match(source.uri)),
        "must not contain a user name and a password: these must be in `credentials`",
    ),
    found("uri", r"\A(?!mongodb(\+srv)?://|\Z)", "must begin with mongodb:// or mongodb+srv://"),
    found("uri", r"\Amongodb\+srv://[^/?]*[:,]", "must have one host, and no port, after mongodb+srv://"),
    reachable("uri", _TUNNEL),
    _NO_TLS,
    *_MAPPINGS,
)

POSTGRES: Rules = (of_server("Postgres", 5432), *_DATABASE)
BIG_QUERY: Rules = (_PROJECT, *_MAPPINGS)
TABLE_MAPPING: Rules = (
    found("source_table", "[*%]", "must be one table: patterns are not supported"),
    warned("excluded_columns", lambda mapping: repeated(mapping.excluded_columns or ()), "must name each column once"),
    warned("sorting_keys", lambda mapping: repeated(mapping.sorting_keys or ()), "must name each column once"),
    warned(
        "sorting_keys",
        lambda mapping: mapping.use_custom_sorting_key is True and not mapping.sorting_keys,
        "is required if useCustomSortingKey is true",
    ),
    warned(
        "sorting_keys",
        lambda mapping: bool(mapping.sorting_keys) and not mapping.use_custom_sorting_key,
        "needs useCustomSortingKey: true",
    ),
    warned("sorting_keys", _excluded_key, "must not name a column of excludedColumns"),
)
MY_SQL_TABLE_MAPPING: Rules = (
    *TABLE_MAPPING,
    warned(
        "partition_by_expr",
        lambda mapping: mapping.partition_by_expr is not None and not mapping.partition_by_expr.strip(),
        "must not be empty: leave it out for a table without partitions",
    ),
)
