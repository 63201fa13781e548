"""Rules over several fields of a source, which only check has.

Check refuses what both the vendor's description and its Terraform provider refuse (clickpipe.go, v3.25.3); of what only
one of them refuses, or calls without effect, it warns. tests/description/mistakes.py breaks each rule once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vendor import among, of_server, reachable, repeated
from pulumi_clouddb.schema.view import raw_of

from .enums import FileFormat, IteratorType, KafkaAuthentication, KafkaType, OffsetStrategy, ReplicationMode

Rules = tuple[Rule[Any], ...]

USER_IN_URI = re.compile(r"([^/]*//)[^/]*@")
"""The user name and the password in the address of a MongoDB database."""


def _needs_timestamp(start: Callable[[Any], str | None], at_a_time: str) -> Rule[Any]:
    """Return the rule that reading starts at a time if, and only if, there is one; without a start, there may be."""
    return rule(
        lambda source: source.timestamp,
        f"is required to start `{at_a_time}`, and only then",
        lambda source: (start(source) == at_a_time) is (source.timestamp is None),
        given=start,
        warns=True,
    )


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


def _without(read: Callable[[Any], str | None], fault: str, text: str) -> Rule[Any]:
    """Return the rule that a text has no match of a pattern."""
    return rule(read, text, lambda source: re.search(fault, read(source) or ""), warns=True)


def _lacks_role(source: Any) -> bool:
    return source.authentication == KafkaAuthentication.IAM_ROLE and not source.iam_role


_ROLE: Rules = (
    rule(lambda source: source.iam_role, "is needed for authentication IAM_ROLE", _lacks_role, warns=True),
    rule(
        lambda source: source.iam_role,
        "needs authentication IAM_ROLE",
        lambda source: source.authentication is None and bool(source.iam_role),
        warns=True,
    ),
)
ROLE_OF_DATABASE = rule(lambda source: source.iam_role, "is required for authentication IAM_ROLE", _lacks_role)


def is_foreign_slot(settings: Any) -> bool:
    """Return whether the settings of a source have a replication slot that their mode does not use."""
    return bool(settings.replication_slot_name) and settings.replication_mode != ReplicationMode.CDC_ONLY


SLOT: Rule[Any] = rule(
    lambda settings: settings.replication_slot_name,
    "is for replicationMode cdc_only",
    is_foreign_slot,
    warns=True,
)
"""What the description says, and servers refuse (public records of 400); of the role, the Terraform provider, too.

A pipe that exists may have a slot that the server has created, so only that of a new one is refused.
"""

_INDIRECT = re.compile(r"-pooler\.|\.pooler\.|\.proxy-[^.]+\.[^.]+\.rds\.|\.cluster-ro-")


def _indirect(source: Any) -> bool:
    snapshot = source.settings is not None and source.settings.replication_mode == "snapshot"
    return bool(_INDIRECT.search(source.host or "")) and not snapshot


def _tunnel(source: Any) -> object:
    return source.ssh_key_resource_id


_MAPPINGS: Rules = (
    rule(lambda source: source.table_mappings, "must have one or more mappings, each once", _mappings_fault),
    rule(
        lambda source: source.table_mappings, "should each have a targetTable of their own", _shared_target, warns=True
    ),
)
_NO_TLS: Rule[Any] = rule(
    lambda source: source.disable_tls,
    "should not be true beside tlsHost and caCertificate, which are for TLS: remove it, or these",
    lambda source: source.disable_tls is True and bool(source.tls_host or source.ca_certificate),
    warns=True,
)
_DATABASE: Rules = (
    rule(
        lambda source: source.host,
        "should be that of the primary server: no changes pass poolers, proxies and readers",
        _indirect,
        warns=True,
    ),
    reachable(lambda source: source.host, _tunnel),
    _NO_TLS,
    _ROLE[1],
    *_MAPPINGS,
)

KAFKA_OFFSET: Rules = (_needs_timestamp(lambda offset: offset.strategy, OffsetStrategy.TIMESTAMP.value),)
KAFKA: Rules = (
    rule(lambda source: source.authentication, "should be one that type supports", _of_another_type, warns=True),
    _without(
        lambda source: source.brokers,
        r":218[12]\b",
        "should be addresses of brokers, such as with the port 9092, and not of ZooKeeper",
    ),
    reachable(lambda source: source.brokers, _tunnel),
    rule(
        lambda source: source.format,
        "of Avro must be AvroConfluent with schemaRegistry, and Avro without",
        _registry_otherwise,
        warns=True,
    ),
    *_ROLE,
)
KINESIS: Rules = (
    _needs_timestamp(lambda source: source.iterator_type, IteratorType.AT_TIMESTAMP.value),
    rule(
        lambda source: source.format,
        "of Avro must be AvroConfluent with schemaRegistry",
        lambda source: source.format == "Avro" and source.schema_registry is not None,
        warns=True,
    ),
    *_ROLE,
)
_PROJECT: Rule[Any] = rule(
    lambda source: source.project_id,
    "should be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
    lambda source: re.search(r"\A(?!\Z|[a-z][a-z0-9-]{4,28}[a-z0-9]\Z)", source.project_id or ""),
    warns=True,
)
PUB_SUB: Rules = (
    _PROJECT,
    _without(
        lambda source: source.topic,
        "/",
        "should be the name of the topic alone, such as `orders`, without `projects/…/topics/`",
    ),
    _without(lambda source: source.filter, "==", "should compare with a single ="),
    _without(
        lambda source: source.filter,
        r"(?s)\A(?!\s*\Z|.*attributes)",
        "should be about attributes of messages, as `attributes:kind` is",
    ),
)
_SQS = r"https://sqs\.[a-z0-9.-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9._-]+"
_CONSOLE = r"//([^/]+\.)?(console\.aws\.amazon|(console|storage)\.cloud\.google|portal\.azure)\.com/|\.s3-website[.-]"
_SIGNATURE = r"(?i)[?&][\w-]*sig(nature)?="
_FILES_AT = "`https://BUCKET.s3.REGION.amazonaws.com/PATH/*`"
_A_FOLDER = r"(/|\A\w+://[^/]+)\Z"
_WITHIN = "should be a name within the storage, without its address and a `/` before it"
OBJECT_STORAGE: Rules = (
    rule(
        lambda source: source.authentication,
        "`IAM_ROLE` is not for type gcs: write IAM_USER or SERVICE_ACCOUNT",
        lambda source: (source.authentication, source.type) == ("IAM_ROLE", "gcs"),
    ),
    rule(
        lambda source: source.authentication,
        "`SERVICE_ACCOUNT` needs type gcs",
        lambda source: source.authentication == "SERVICE_ACCOUNT" and source.type not in (None, "gcs"),
    ),
    rule(
        lambda source: source.authentication,
        "`IAM_ROLE` is for type s3",
        lambda source: source.authentication == "IAM_ROLE" and source.type not in (None, "s3", "gcs"),
        warns=True,
    ),
    rule(
        lambda source: source.azure_container_name,
        "is required for type azureblobstorage",
        lambda source: source.type == "azureblobstorage" and not source.azure_container_name,
        warns=True,
    ),
    rule(
        lambda source: source.queue_url,
        "needs isContinuous: true",
        lambda source: bool(source.queue_url) and not source.is_continuous,
        warns=True,
    ),
    rule(
        lambda source: source.queue_url,
        "needs authentication: queues are not for public files",
        lambda source: bool(source.queue_url) and source.authentication is None,
        warns=True,
    ),
    rule(
        lambda source: source.queue_url,
        "is for types s3 and gcs",
        lambda source: bool(source.queue_url) and source.type not in ("s3", "gcs"),
        warns=True,
    ),
    _without(
        lambda source: source.queue_url,
        rf"\A(?!\Z|({_SQS}|projects/.+/subscriptions/.+)\Z)",
        "should be a queue `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, or `projects/…/subscriptions/…`",
    ),
    rule(
        lambda source: source.queue_url, "should be a queue that the bucket can write to", _queue_of_others, warns=True
    ),
    rule(
        lambda source: source.skip_initial_load,
        "needs queueUrl: without a queue, nothing would be read",
        lambda source: source.skip_initial_load is True and not source.queue_url,
        warns=True,
    ),
    rule(
        lambda source: source.start_after,
        "must be left out if skipInitialLoad is true",
        lambda source: source.skip_initial_load is True and bool(source.start_after),
    ),
    _without(lambda source: source.url, r"\A(?!\w+://|\Z)", f"should begin with a protocol, as {_FILES_AT} does"),
    _without(lambda source: source.url, _CONSOLE, f"should be an address of files, such as {_FILES_AT}, not of a page"),
    _without(
        lambda source: source.url,
        "%[YmHMSj]",
        "should have no date to be filled in: files are matched by wildcards such as `*`",
    ),
    _without(
        lambda source: source.url,
        _SIGNATURE,
        "should have no signature, which expires: remove it, and set authentication",
    ),
    _without(lambda source: source.url, _A_FOLDER, "should name files, such as all of a folder by `/*` at its end"),
    _without(lambda source: source.path, _A_FOLDER, "should name files, such as all of a folder by `/*` at its end"),
    _without(lambda source: source.path, r"\A/|://", _WITHIN),
    _without(lambda source: source.azure_container_name, r"\A/|://", _WITHIN),
    _without(lambda source: source.start_after, r"\A/|://", _WITHIN),
    rule(lambda source: source.url, "should be an address of its type", _stored_elsewhere, warns=True),
    rule(lambda source: source.compression, "should be that of the files", _compressed_otherwise, warns=True),
    rule(lambda source: source.format, "should be that of the files", _written_otherwise, warns=True),
    rule(
        lambda source: source.is_continuous,
        "should not be true for one file: write a wildcard such as `*` in its address",
        _single_file,
        warns=True,
    ),
    _without(lambda source: source.delimiter, r"(?s)\A[^\\].", "should be one character, such as `;` or a tab"),
    rule(
        lambda source: source.connection_string,
        "must be in `credentials`",
        lambda source: source.connection_string is not None,
        source=OURS,
    ),
    *_ROLE,
)
POSTGRES_SETTINGS: Rules = (
    _without(
        lambda source: source.replication_slot_name,
        "[^a-z0-9_]",
        "should have lowercase letters, digits and underscores only",
    ),
    rule(
        lambda settings: settings.enable_failover_slots,
        "is for slots that the pipe creates: remove it, or replicationSlotName",
        lambda settings: settings.enable_failover_slots is True and bool(settings.replication_slot_name),
        warns=True,
    ),
)
MY_SQL: Rules = (
    rule(
        lambda source: source.settings,
        "must have replicationMechanism GTID for MariaDB",
        lambda source: (
            source.type in ("mariadb", "rdsmariadb")
            and source.settings is not None
            and source.settings.replication_mechanism not in (None, "GTID")
        ),
    ),
    of_server(lambda source: source.port, "MySQL", 3306),
    *_DATABASE,
)


MONGO_DB: Rules = (
    rule(
        lambda source: source.uri,
        "must not contain a user name and a password: these must be in `credentials`",
        lambda source: USER_IN_URI.match(source.uri or ""),
        source=OURS,
    ),
    _without(
        lambda source: source.uri, r"\A(?!mongodb(\+srv)?://|\Z)", "should begin with mongodb:// or mongodb+srv://"
    ),
    _without(
        lambda source: source.uri,
        r"\Amongodb\+srv://[^/?]*[:,]",
        "should have one host, and no port, after mongodb+srv://",
    ),
    reachable(lambda source: source.uri, _tunnel),
    _NO_TLS,
    *_MAPPINGS,
)

POSTGRES: Rules = (of_server(lambda source: source.port, "Postgres", 5432), *_DATABASE)
BIG_QUERY: Rules = (_PROJECT, *_MAPPINGS)
TABLE_MAPPING: Rules = (
    _without(lambda source: source.source_table, "[*%]", "should be one table: patterns are not supported"),
    rule(
        lambda mapping: mapping.excluded_columns,
        "should name each column once",
        lambda mapping: repeated(mapping.excluded_columns or ()),
        warns=True,
    ),
    rule(
        lambda mapping: mapping.sorting_keys,
        "should name each column once",
        lambda mapping: repeated(mapping.sorting_keys or ()),
        warns=True,
    ),
    rule(
        lambda mapping: mapping.sorting_keys,
        "is required if useCustomSortingKey is true",
        lambda mapping: mapping.use_custom_sorting_key is True and not mapping.sorting_keys,
        warns=True,
    ),
    rule(
        lambda mapping: mapping.sorting_keys,
        "needs useCustomSortingKey: true",
        lambda mapping: bool(mapping.sorting_keys) and not mapping.use_custom_sorting_key,
        warns=True,
    ),
    rule(lambda source: source.sorting_keys, "should not name a column of excludedColumns", _excluded_key, warns=True),
)
MY_SQL_TABLE_MAPPING: Rules = (
    *TABLE_MAPPING,
    rule(
        lambda mapping: mapping.partition_by_expr,
        "should not be empty: leave it out for a table without partitions",
        lambda mapping: mapping.partition_by_expr is not None and not mapping.partition_by_expr.strip(),
        warns=True,
    ),
)
