"""Rules over several fields of a source, which only check has.

Check refuses what both the vendor's description and its Terraform provider refuse (clickpipe.go, v3.25.3); of what only
one of them refuses, or calls without effect, it warns. tests/description/mistakes.py breaks each rule once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.rules import Rule
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vendor import among, repeated
from pulumi_clouddb.schema.view import raw_of

from .enums import (
    IteratorType,
    KafkaAuthentication,
    KafkaType,
    MySqlType,
    ObjectStorageAuthentication,
    ObjectStorageType,
    OffsetStrategy,
    ReplicationMechanism,
    ReplicationMode,
)

Rules = tuple[Rule[Any], ...]
Test = Callable[[Any], "str | bool | None"]

USER_IN_URI = re.compile(r"([^/]*//)[^/]*@")
"""The user name and the password in the address of a MongoDB database."""


def _refused(field: Callable[[Any], object], test: Test, text: str) -> Rule[Any]:
    return Rule(field, lambda source, _: test(source), text)


def _warned(field: Callable[[Any], object], test: Test, text: str) -> Rule[Any]:
    return Rule(field, lambda source, _: test(source), text, lists=True)


def _needs_timestamp(of: Callable[[Any], object], at_a_time: str) -> Rule[Any]:
    """Return the rule that reading starts at a time only if there is one."""
    return _warned(
        lambda source: source.timestamp,
        lambda source: of(source) == at_a_time and source.timestamp is None,
        f"is required to start `{at_a_time}`",
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


_SQS = re.compile(r"https://sqs\.[a-z0-9.-]+\.amazonaws\.com/[0-9]{12}/[a-zA-Z0-9._-]+")
_SUBSCRIPTION = re.compile(r"projects/.+/subscriptions/.+")


def _unlike_a_queue(source: Any) -> str | None:
    url = source.queue_url
    return f", not {url!r}" if url and not (_SQS.fullmatch(url) or _SUBSCRIPTION.fullmatch(url)) else None


def _queue_elsewhere(source: Any) -> bool:
    return bool(source.queue_url) and source.type not in (ObjectStorageType.S3, ObjectStorageType.GCS)


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


def _of_mapping(attribute: str) -> Rule[Any]:
    """Return the rule that each column is named once."""

    def test(mapping: Any) -> str | None:
        columns = getattr(mapping, attribute) or ()
        return repeated(columns) if len(columns) > 1 else None

    return _warned(lambda mapping: getattr(mapping, attribute), test, "must name each column once")


def _at_least_one(attribute: str) -> Rule[Any]:
    def test(settings: Any) -> str | None:
        value = getattr(settings, attribute)
        return None if value is None or value >= 1 else f", not {value:g}"

    return _warned(lambda settings: getattr(settings, attribute), test, "must be at least 1")


def _role_alone(source: Any) -> str | None:
    given, needed = bool(source.iam_role), source.authentication == KafkaAuthentication.IAM_ROLE
    if given is needed:
        return None
    return ": set authentication to IAM_ROLE, or remove iamRole" if given else ""


_ROLE = _warned(lambda source: source.iam_role, _role_alone, "is needed for authentication IAM_ROLE, and only for it")


def _of_another(database: str, port: int) -> Rule[Any]:
    """Return the rule that a port is not the usual one of another database."""
    return _warned(
        lambda source: source.port, lambda source: source.port == port, f"must not be that of {database}, {port}"
    )


_MAPPINGS: Rules = (
    _refused(lambda source: source.table_mappings, _mappings_fault, "must have one or more mappings, each once"),
    _warned(lambda source: source.table_mappings, _shared_target, "must each have a targetTable of their own"),
)

KAFKA_OFFSET: Rules = (_needs_timestamp(lambda offset: offset.strategy, OffsetStrategy.TIMESTAMP.value),)
KAFKA: Rules = (
    _warned(lambda source: source.authentication, _of_another_type, "must be one that type supports"),
    _ROLE,
)
KINESIS: Rules = (
    _needs_timestamp(lambda source: source.iterator_type, IteratorType.AT_TIMESTAMP.value),
    _ROLE,
)
PUB_SUB: Rules = (
    _warned(
        lambda source: source.project_id,
        lambda source: not re.fullmatch("[a-z][a-z0-9-]{4,28}[a-z0-9]", source.project_id or "project"),
        "must be the id of a project, with 6 to 30 lowercase letters, digits and hyphens",
    ),
    _warned(
        lambda source: source.topic,
        lambda source: source.topic is not None and "/" in source.topic,
        "must be the name of the topic alone, such as `orders`, without `projects/…/topics/`",
    ),
)
OBJECT_STORAGE: Rules = (
    _refused(
        lambda source: source.authentication,
        lambda source: (
            source.authentication == ObjectStorageAuthentication.IAM_ROLE and source.type == ObjectStorageType.GCS
        ),
        "`IAM_ROLE` is not for type gcs: write IAM_USER or SERVICE_ACCOUNT",
    ),
    _refused(
        lambda source: source.authentication,
        lambda source: (
            source.authentication == ObjectStorageAuthentication.SERVICE_ACCOUNT
            and source.type not in (None, ObjectStorageType.GCS)
        ),
        "`SERVICE_ACCOUNT` needs type gcs",
    ),
    _warned(
        lambda source: source.authentication,
        lambda source: (
            source.authentication == ObjectStorageAuthentication.IAM_ROLE
            and source.type not in (None, ObjectStorageType.S3, ObjectStorageType.GCS)
        ),
        "`IAM_ROLE` is for type s3",
    ),
    _warned(
        lambda source: source.azure_container_name,
        lambda source: source.type == ObjectStorageType.AZURE and not source.azure_container_name,
        "is required for type azureblobstorage",
    ),
    _warned(
        lambda source: source.queue_url,
        lambda source: bool(source.queue_url) and not source.is_continuous,
        "needs isContinuous: true",
    ),
    _warned(
        lambda source: source.queue_url,
        lambda source: bool(source.queue_url) and source.authentication is None,
        "needs authentication: queues are not for public files",
    ),
    _warned(lambda source: source.queue_url, _queue_elsewhere, "is for types s3 and gcs"),
    _warned(
        lambda source: source.queue_url,
        _unlike_a_queue,
        "must be a queue `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, or `projects/…/subscriptions/…`",
    ),
    _warned(
        lambda source: source.skip_initial_load,
        lambda source: source.skip_initial_load is True and not source.queue_url,
        "needs queueUrl: without a queue, nothing would be read",
    ),
    _refused(
        lambda source: source.start_after,
        lambda source: source.skip_initial_load is True and bool(source.start_after),
        "must be left out if skipInitialLoad is true",
    ),
    _refused(
        lambda source: source.connection_string,
        lambda source: source.connection_string is not None,
        "must be in `credentials`",
    ),
    _ROLE,
)
POSTGRES_SETTINGS: Rules = (
    _warned(
        lambda settings: settings.replication_slot_name,
        lambda settings: bool(settings.replication_slot_name) and settings.replication_mode != ReplicationMode.CDC_ONLY,
        "is for replicationMode cdc_only",
    ),
    _warned(
        lambda settings: settings.enable_failover_slots,
        lambda settings: (
            ": remove it, or replicationSlotName"
            if settings.enable_failover_slots is True and settings.replication_slot_name
            else None
        ),
        "is for slots that the pipe creates",
    ),
)
BIG_QUERY_SETTINGS: Rules = (
    *(
        _at_least_one(attribute)
        for attribute in (
            "initial_load_parallelism",
            "snapshot_num_rows_per_partition",
            "snapshot_number_of_parallel_tables",
        )
    ),
)
MY_SQL: Rules = (
    _refused(
        lambda source: source.settings,
        lambda source: (
            source.type in (MySqlType.MARIADB, MySqlType.RDS_MARIADB)
            and source.settings is not None
            and source.settings.replication_mechanism not in (None, ReplicationMechanism.GTID)
        ),
        "must have replicationMechanism GTID for MariaDB",
    ),
    _of_another("Postgres", 5432),
    _ROLE,
    *_MAPPINGS,
)
MONGO_DB: Rules = (
    _refused(
        lambda source: source.uri,
        lambda source: source.uri is not None and bool(USER_IN_URI.match(source.uri)),
        "must not contain a user name and a password: these must be in `credentials`",
    ),
    _warned(
        lambda source: source.uri,
        lambda source: not (source.uri or "mongodb://").startswith(("mongodb://", "mongodb+srv://")),
        "must begin with mongodb:// or mongodb+srv://",
    ),
    *_MAPPINGS,
)

POSTGRES: Rules = (_of_another("MySQL", 3306), _ROLE, *_MAPPINGS)
BIG_QUERY = _MAPPINGS
TABLE_MAPPING: Rules = (
    _of_mapping("excluded_columns"),
    _of_mapping("sorting_keys"),
    _warned(
        lambda mapping: mapping.sorting_keys,
        lambda mapping: mapping.use_custom_sorting_key is True and not mapping.sorting_keys,
        "is required if useCustomSortingKey is true",
    ),
    _warned(
        lambda mapping: mapping.sorting_keys,
        lambda mapping: bool(mapping.sorting_keys) and not mapping.use_custom_sorting_key,
        "needs useCustomSortingKey: true",
    ),
)
MY_SQL_TABLE_MAPPING: Rules = (
    *TABLE_MAPPING,
    _warned(
        lambda mapping: mapping.partition_by_expr,
        lambda mapping: mapping.partition_by_expr is not None and not mapping.partition_by_expr.strip(),
        "must not be empty: leave it out for a table without partitions",
    ),
)
