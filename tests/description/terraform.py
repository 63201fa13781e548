"""The validators of the vendor's Terraform provider (v3.25.3, c320db9), each beside the mistake that check finds here.

Facts only: the attribute, the kind of validator, and the property here. provider/schema/test_rows.py plays the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from support.rows import UUID, Row

from .mistakes import row


class Reason(Enum):
    """Why check does not have a validator."""

    TERRAFORM = "it is about write-only attributes, files or plans of Terraform"
    WIDER = "servers accept more, by the description or by what they do"
    CHANGE = "it is about a change: diff refuses it, replaces the object, or makes the change in place"
    REQUEST = "only a request to the server can tell"
    PROGRAM = "it is about several resources of a program"
    DONE = "this provider sends what is missing, does not send it, or does it in two steps"


@dataclass(frozen=True)
class Validator:
    """A validator.

    Attributes:
        attribute: The resource without `clickhouse_`, and the attribute.
        kind: What it validates.
        here: The mistake that check finds, or why none is found.
    """

    attribute: str
    kind: str
    here: Row | Reason


ONE_OF, RANGE, LENGTH, PATTERN = "one of", "range", "length", "pattern"
CONFLICTS, REQUIRES, WHOLE = "conflicts with", "also requires", "whole resource"
ODD = "sideways"

_KAFKA, _FILES, _KINESIS, _PUBSUB = (f"source.{each}" for each in ("kafka", "objectStorage", "kinesis", "pubsub"))
_ENGINE = "destination.tableDefinition"
_REPLACING: Mapping[str, Any] = {
    "engine": {"type": "ReplacingMergeTree", "versionColumnId": "at"},
    "sortingKey": ["id"],
}
_TIMES = ("syncIntervalSeconds", "pullBatchSize")
_LOADS = ("initialLoadParallelism", "snapshotNumRowsPerPartition", "snapshotNumberOfParallelTables")
_DATABASES = {"postgres": (*_TIMES, *_LOADS), "mysql": (*_TIMES, *_LOADS), "mongodb": (*_TIMES, *_LOADS)}


def _snake(name: str) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name)


def _listed(resource: str, base: str, *names: str) -> Iterator[Validator]:
    """Yield validators that list values."""
    for name in names:
        yield Validator(f"{resource} {_snake(name)}", ONE_OF, row(base, {name: ODD}))


def _beyond(resource: str, base: str, **bounds: tuple[Any, ...]) -> Iterator[Validator]:
    """Yield validators of ranges, with values beyond each."""
    for name, values in bounds.items():
        path = name.replace("__", ".")
        yield from (Validator(f"{resource} {_snake(path)}", RANGE, row(base, {path: each})) for each in values)


def _pipe(kind: str, base: str, *names: str) -> Iterator[Validator]:
    yield from _listed("clickpipe", base, *(f"source.{kind}.{name}" for name in names))


def _databases() -> Iterator[Validator]:
    for kind, names in _DATABASES.items():
        for name in names:
            path = f"source.{kind}.settings.{name}"
            yield Validator(f"clickpipe {_snake(path)}", RANGE, row(kind, {path: 0}))
        yield Validator(
            f"clickpipe source.{kind}.settings.replication_mode",
            ONE_OF,
            row(kind, {f"source.{kind}.settings.replicationMode": ODD}),
        )
        mapping = f"source.{kind}.tableMappings"
        yield Validator(f"clickpipe {mapping}.table_engine", ONE_OF, row(kind, {f"{mapping}[0].tableEngine": ODD}))
        yield Validator(f"clickpipe {mapping}", f"{WHOLE}: at least one", row(kind, {mapping: []}))
        yield Validator(f"clickpipe {mapping}", f"{WHOLE}: no change of a mapping", Reason.CHANGE)
        yield Validator(f"clickpipe source.{kind}.credentials.password", CONFLICTS, Reason.TERRAFORM)
        yield Validator(f"clickpipe source.{kind}.credentials.password_wo", REQUIRES, Reason.TERRAFORM)
        yield Validator(f"clickpipe source.{kind}.credentials.password_wo_version", REQUIRES, Reason.TERRAFORM)
    for kind in ("postgres", "mysql"):
        yield from _pipe(kind, kind, "type", "authentication")
        yield from _beyond("clickpipe", kind, **{f"source__{kind}__port": (0, 65536)})
        table = {"sourceSchemaName": "shop", "targetTable": "orders"}
        two = [{**table, "sourceTable": each} for each in ("orders", "items")]
        path = f"source.{kind}.tableMappings"
        yield Validator(f"clickpipe {path}", f"{WHOLE}: each target once", row(kind, {path: two}))


PIPES: tuple[Validator, ...] = (
    Validator("clickpipe scaling.replicas", RANGE, row("kafka", {"scaling": {"replicas": 0}}, at="scaling.replicas")),
    Validator("clickpipe scaling.replicas", RANGE, row("kafka", {"scaling": {"replicas": 41}}, at="scaling.replicas")),
    *(
        Validator(
            f"clickpipe scaling.{_snake(name)}", RANGE, row("kafka", {"scaling": {name: value}}, at=f"scaling.{name}")
        )
        for name, values in {"replicaCpuMillicores": (124, 2001), "replicaMemoryGb": (0.4, 8.5)}.items()
        for value in values
    ),
    *_pipe("kafka", "kafka", "type", "format", "authentication"),
    Validator(
        "clickpipe source.kafka.offset.strategy",
        ONE_OF,
        row("kafka", {f"{_KAFKA}.offset": {"strategy": ODD}}, at=f"{_KAFKA}.offset.strategy"),
    ),
    Validator(
        "clickpipe source.kafka.schema_registry.authentication",
        ONE_OF,
        row(
            "kafka",
            {f"{_KAFKA}.schemaRegistry": {"url": "https://r", "authentication": ODD}},
            at=f"{_KAFKA}.schemaRegistry.authentication",
        ),
    ),
    *(
        Validator(f"clickpipe source.kafka.{each}", kind, Reason.TERRAFORM)
        for each, kind in (
            ("schema_registry.credentials.password", CONFLICTS),
            ("schema_registry.credentials.password_wo", REQUIRES),
            ("schema_registry.credentials.password_wo_version", REQUIRES),
            ("credentials.password", CONFLICTS),
            ("credentials.password_wo", REQUIRES),
            ("credentials.password_wo_version", REQUIRES),
        )
    ),
    Validator(
        "clickpipe source.kafka.schema_registry.credentials.password",
        "at least one of",
        row(
            "kafka",
            {"credentials": {"username": "u", "password": "p", "schemaRegistry": {"username": "u"}}},
            at="credentials.schemaRegistry.password",
        ),
    ),
    Validator(
        "clickpipe source.kafka.credentials.certificate", REQUIRES, row("kafka", {"credentials": {"certificate": "c"}})
    ),
    Validator(
        "clickpipe source.kafka.credentials.private_key", REQUIRES, row("kafka", {"credentials": {"privateKey": "k"}})
    ),
    *_pipe("objectStorage", "files", "type", "format", "authentication"),
    Validator("clickpipe source.object_storage.compression", ONE_OF, row("files", {f"{_FILES}.compression": ODD})),
    Validator("clickpipe source.object_storage.queue_url", PATTERN, row("files", {f"{_FILES}.queueUrl": "files"})),
    *_pipe("kinesis", "kinesis", "format", "iteratorType", "authentication"),
    *_pipe("pubsub", "pubsub", "format", "authentication", "seekType"),
    Validator("clickpipe source.pubsub.project_id", PATTERN, row("pubsub", {f"{_PUBSUB}.projectId": "Shop"})),
    Validator("clickpipe source.pubsub.topic", PATTERN, row("pubsub", {f"{_PUBSUB}.topic": "projects/p/topics/t"})),
    Validator("clickpipe source.pubsub.filter", LENGTH, row("pubsub", {f"{_PUBSUB}.filter": "f" * 257})),
    *_beyond("clickpipe", "pubsub", source__pubsub__ackDeadline=(9, 601)),
    *_databases(),
    Validator(
        "clickpipe source.postgres.table_mappings.partition_by_expr",
        PATTERN,
        row("postgres", {"source.postgres.tableMappings[0].partitionByExpr": " "}),
    ),
    Validator(
        "clickpipe source.mysql.settings.replication_mechanism",
        ONE_OF,
        row("mysql", {"source.mysql.settings.replicationMechanism": ODD}),
    ),
    Validator(
        "clickpipe source.bigquery.settings.replication_mode",
        ONE_OF,
        row("bigquery", {"source.bigquery.settings.replicationMode": ODD}),
    ),
    *(
        Validator(
            f"clickpipe source.bigquery.settings.{_snake(name)}",
            RANGE,
            row("bigquery", {f"source.bigquery.settings.{name}": 0}),
        )
        for name in _LOADS
    ),
    Validator(
        "clickpipe source.bigquery.table_mappings.table_engine",
        ONE_OF,
        row("bigquery", {"source.bigquery.tableMappings[0].tableEngine": ODD}),
    ),
    *_pipe("mongodb", "mongodb", "readPreference"),
    Validator(
        "clickpipe destination.table_definition.engine.type",
        ONE_OF,
        row("kafka", {_ENGINE: {"engine": {"type": ODD}}}, at=f"{_ENGINE}.engine.type"),
    ),
    Validator(
        "clickpipe source.pubsub.seek_timestamp",
        WHOLE,
        row("pubsub", {f"{_PUBSUB}.seekTimestamp": "2026-01-01T00:00:00Z"}),
    ),
    Validator(
        "clickpipe source.pubsub.seek_timestamp",
        WHOLE,
        row("pubsub", {f"{_PUBSUB}.seekType": "timestamp"}, at=f"{_PUBSUB}.seekTimestamp"),
    ),
    *(
        Validator("clickpipe scaling", f"{WHOLE}: not for databases", row(base, {"scaling": {"replicas": 2}}))
        for base in ("postgres", "mysql", "mongodb")
    ),
    Validator("clickpipe stopped", f"{WHOLE}: not on create", Reason.DONE),
    Validator(
        "clickpipe destination.table_definition.engine.version_column_id",
        f"{WHOLE}: required",
        row(
            "kafka",
            {_ENGINE: {"engine": {"type": "ReplacingMergeTree"}, "sortingKey": ["id"]}},
            at=f"{_ENGINE}.engine.versionColumnId",
        ),
    ),
    Validator(
        "clickpipe destination.table_definition.engine.version_column_id",
        f"{WHOLE}: only for one type",
        row(
            "kafka",
            {_ENGINE: {"engine": {"type": "MergeTree", "versionColumnId": "at"}}},
            at=f"{_ENGINE}.engine.versionColumnId",
        ),
    ),
    Validator(
        "clickpipe destination.table_definition.engine.column_ids",
        f"{WHOLE}: only for one type",
        row(
            "kafka", {_ENGINE: {"engine": {"type": "MergeTree", "columnIds": ["id"]}}}, at=f"{_ENGINE}.engine.columnIds"
        ),
    ),
    Validator(
        "clickpipe destination.table_definition.sorting_key",
        f"{WHOLE}: required",
        row("kafka", {_ENGINE: {"engine": _REPLACING["engine"]}}, at=f"{_ENGINE}.sortingKey"),
    ),
    Validator(
        "clickpipe destination.table_definition.engine.version_column_id",
        f"{WHOLE}: a column",
        row(
            "kafka",
            {_ENGINE: {**_REPLACING, "engine": {"type": "ReplacingMergeTree", "versionColumnId": "other"}}},
            at="destination.columns",
        ),
    ),
    Validator(
        "clickpipe destination.table_definition.engine.column_ids",
        f"{WHOLE}: columns",
        row(
            "kafka",
            {_ENGINE: {"engine": {"type": "SummingMergeTree", "columnIds": ["other"]}}},
            at="destination.columns",
        ),
    ),
    Validator(
        "clickpipe source.object_storage.queue_url",
        f"{WHOLE}: continuous",
        row("files", {f"{_FILES}.isContinuous": None}, at=f"{_FILES}.queueUrl"),
    ),
    Validator(
        "clickpipe source.object_storage.queue_url",
        f"{WHOLE}: types of storage",
        row("files", {f"{_FILES}.type": "cloudflarer2"}, at=f"{_FILES}.queueUrl"),
    ),
    Validator(
        "clickpipe source.object_storage.queue_url",
        f"{WHOLE}: authentication",
        row("files", {f"{_FILES}.authentication": None}, at=f"{_FILES}.queueUrl"),
    ),
    Validator(
        "clickpipe source.object_storage.queue_url",
        f"{WHOLE}: authentication of Google",
        row("files", {f"{_FILES}.type": "gcs", f"{_FILES}.authentication": "IAM_ROLE"}, at=f"{_FILES}.authentication"),
    ),
    Validator(
        "clickpipe source.object_storage.skip_initial_load",
        WHOLE,
        row("files", {f"{_FILES}.skipInitialLoad": True, f"{_FILES}.queueUrl": None}),
    ),
    Validator(
        "clickpipe source.object_storage.start_after",
        WHOLE,
        row("files", {f"{_FILES}.startAfter": "a", f"{_FILES}.skipInitialLoad": True}),
    ),
    Validator(
        "clickpipe source.object_storage.authentication",
        f"{WHOLE}: IAM_ROLE",
        row("files", {f"{_FILES}.authentication": "IAM_ROLE", f"{_FILES}.type": "gcs"}),
    ),
    Validator(
        "clickpipe source.object_storage.authentication",
        f"{WHOLE}: SERVICE_ACCOUNT",
        row("files", {f"{_FILES}.authentication": "SERVICE_ACCOUNT"}),
    ),
    Validator(
        "clickpipe source.object_storage.service_account_key",
        f"{WHOLE}: required",
        row("files of Google", {"credentials": None}, at=""),
    ),
    Validator(
        "clickpipe source.object_storage.service_account_key",
        f"{WHOLE}: only for one authentication",
        row("files", {"credentials": {"serviceAccountKey": "e30="}}),
    ),
    Validator(
        "clickpipe source.object_storage.authentication",
        f"{WHOLE}: no change to or from SERVICE_ACCOUNT",
        Reason.CHANGE,
    ),
    Validator(
        "clickpipe source.mysql.settings.replication_mechanism",
        f"{WHOLE}: MariaDB",
        row(
            "mysql",
            {"source.mysql.settings.replicationMechanism": "FILE_POS", "source.mysql.type": "rdsmariadb"},
            at="source.mysql.settings",
        ),
    ),
    Validator(
        "clickpipe destination.table_definition",
        f"{WHOLE}: not for databases",
        row("postgres", {_ENGINE: {"ttl": "at"}}, at="destination"),
    ),
    Validator(
        "clickpipe destination.managed_table",
        f"{WHOLE}: not for databases",
        row("postgres", {"destination.managedTable": True}, at="destination"),
    ),
    *_beyond(
        "clickpipe_cdc_infrastructure",
        "database pipes",
        replicaCpuMillicores=(0, 33000, 1500),
        replicaMemoryGb=(0, 132, 5, 8),
    ),
)
_TARGETS: Mapping[str, Mapping[str, Any]] = {
    "VPC_ENDPOINT_SERVICE": {"vpcEndpointServiceName": None},
    "VPC_RESOURCE": {"type": "VPC_RESOURCE"},
    "MSK_MULTI_VPC": {"type": "MSK_MULTI_VPC"},
}
_DNS = "customPrivateDnsMappings"
ENDPOINTS: tuple[Validator, ...] = (
    *_listed("clickpipes_reverse_private_endpoint", "private DNS", "type", "mskAuthentication"),
    *(
        Validator(
            "clickpipes_reverse_private_endpoint type",
            f"{WHOLE}: properties of {each}",
            row("private DNS", changes, at="type"),
        )
        for each, changes in _TARGETS.items()
    ),
    Validator(
        "clickpipes_reverse_private_endpoint_custom_private_dns custom_private_dns_mapping.private_dns_name",
        LENGTH,
        row("private DNS", {f"{_DNS}[0].privateDnsName": ""}),
    ),
    Validator("service_private_endpoints_attachment private_endpoint_ids", f"{WHOLE}: not empty", Reason.WIDER),
    Validator("service_private_endpoints_attachment service_id", f"{WHOLE}: required", Reason.TERRAFORM),
)

_ENTRY = "scalingSchedule.entries[0]"
_ENTRIES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "order of memory": ("minReplicaMemoryGb", {"minReplicaMemoryGb": 32, "maxReplicaMemoryGb": 16}),
    "order of replicas": ("minReplicas", {"minReplicas": 3, "maxReplicas": 2, "numReplicas": None}),
    "one number if vertical": ("autoscalingMode", {"minReplicas": 2, "maxReplicas": 3, "numReplicas": None}),
}
SERVICES: tuple[Validator, ...] = (
    *(Validator("service warehouse_id", CONFLICTS, Reason.TERRAFORM) for _ in ("password", "password_wo")),
    Validator(
        "service warehouse_id",
        CONFLICTS,
        row("service", {"passwordHash": "0" * 43 + "=", "dataWarehouseId": UUID}, at="dataWarehouseId"),
    ),
    Validator(
        "service warehouse_id",
        CONFLICTS,
        row(
            "service",
            {"backupConfiguration": {"backupPeriodInHours": 24}, "dataWarehouseId": UUID},
            at="dataWarehouseId",
        ),
    ),
    Validator(
        "service backup_configuration",
        f"{WHOLE}: not for secondary services",
        row(
            "service",
            {"backupConfiguration": {"backupStartTime": "08:00"}, "dataWarehouseId": UUID},
            at="dataWarehouseId",
        ),
    ),
    Validator("service readonly", REQUIRES, row("service", {"isReadonly": True})),
    *(
        Validator(f"service {name}", kind, Reason.TERRAFORM)
        for name, kind in (
            ("password", CONFLICTS),
            ("password", "at least one of"),
            ("password_hash", CONFLICTS),
            ("password_wo", CONFLICTS),
            ("password_wo", REQUIRES),
            ("password_wo", "at least one of"),
            ("password_wo_version", REQUIRES),
        )
    ),
    Validator("service password_hash", PATTERN, row("service", {"passwordHash": "secret"})),
    Validator(
        "service double_sha1_password_hash",
        PATTERN,
        row("service", {"passwordDoubleSha1Hash": "secret", "passwordHash": "0" * 43 + "="}),
    ),
    Validator("service double_sha1_password_hash", REQUIRES, row("service", {"passwordDoubleSha1Hash": "0" * 40})),
    *_listed("service", "service", "provider", "tier", "releaseChannel", "autoscalingMode", "complianceType"),
    *_beyond(
        "service", "service", minReplicaMemoryGb=(0,), maxReplicaMemoryGb=(0,), minReplicas=(0,), maxReplicas=(0,)
    ),
    Validator(
        "service num_replicas", CONFLICTS, row("service", {"numReplicas": 3, "minReplicas": 1, "maxReplicas": 3})
    ),
    Validator("service min_replicas", REQUIRES, row("service", {"minReplicas": 1, "numReplicas": None})),
    Validator("service max_replicas", REQUIRES, row("service", {"maxReplicas": 1, "numReplicas": None})),
    Validator("service idle_timeout_minutes", REQUIRES, Reason.WIDER),
    Validator("service idle_timeout_minutes", f"{WHOLE}: required if idle_scaling", Reason.WIDER),
    Validator(
        "service idle_timeout_minutes",
        f"{WHOLE}: only if idle_scaling",
        row("service", {"idleScaling": False, "idleTimeoutMinutes": 15}, at="idleTimeoutMinutes"),
    ),
    Validator("service encryption_key", REQUIRES, row("service", {"encryptionKey": "arn:aws:kms:us-east-1:1:key/k"})),
    Validator(
        "service encryption_assumed_role_identifier",
        REQUIRES,
        row("service", {"encryptionAssumedRoleIdentifier": "arn:aws:iam::1:role/r"}),
    ),
    Validator("service query_api_endpoints.allowed_origins", LENGTH, Reason.WIDER),
    Validator(
        "service backup_configuration.backup_period_in_hours",
        ONE_OF,
        row(
            "service", {"backupConfiguration": {"backupPeriodInHours": 7}}, at="backupConfiguration.backupPeriodInHours"
        ),
    ),
    Validator(
        "service backup_configuration.backup_period_in_hours",
        CONFLICTS,
        row("service", {"backupConfiguration": {"backupPeriodInHours": 12, "backupStartTime": "08:00"}}),
    ),
    Validator(
        "service backup_configuration.backup_start_time",
        CONFLICTS,
        row("service", {"backupConfiguration": {"backupStartTime": "08:00", "backupPeriodInHours": 6}}),
    ),
    Validator(
        "service backup_configuration.backup_retention_period_in_hours",
        ONE_OF,
        row(
            "service",
            {"backupConfiguration": {"backupRetentionPeriodInHours": 25}},
            at="backupConfiguration.backupRetentionPeriodInHours",
        ),
    ),
    Validator(
        "service backup_configuration.backup_start_time",
        PATTERN,
        row("service", {"backupConfiguration": {"backupStartTime": "08:30"}}, at="backupConfiguration.backupStartTime"),
    ),
    Validator("service tags", LENGTH, row("service", {"tags": [{"key": f"k{each}"} for each in range(51)]})),
    Validator("service tags", LENGTH, row("service", {"tags": [{"key": "k" * 129}]}, at="tags[0].key")),
    Validator("service tags", LENGTH, row("service", {"tags": [{"key": "k", "value": "v" * 257}]}, at="tags[0].value")),
    *(
        Validator(f"service {name}", f"{WHOLE}: no change", Reason.CHANGE)
        for name in (
            *("byoc_id", "backup_id", "cloud_provider", "region", "tier", "encryption_key"),
            *("encryption_assumed_role_identifier", "transparent_data_encryption.enabled"),
        )
    ),
    Validator("service num_replicas", f"{WHOLE}: not horizontal", row("service", {"autoscalingMode": "horizontal"})),
    Validator(
        "service min_total_memory_gb",
        f"{WHOLE}: not horizontal",
        row(
            "service of a tier",
            {
                "autoscalingMode": "horizontal",
                "minTotalMemoryGb": 48,
                "maxTotalMemoryGb": 48,
                "minReplicas": 1,
                "maxReplicas": 2,
            },
        ),
    ),
    Validator(
        "service min_replicas",
        f"{WHOLE}: not vertical",
        row("service", {"autoscalingMode": "vertical", "minReplicas": 1, "maxReplicas": 2, "numReplicas": None}),
    ),
    Validator("service num_replicas", f"{WHOLE}: a change of the mode needs it", Reason.CHANGE),
    *(
        Validator(
            f"service {_snake(name)}",
            f"{WHOLE}: not for tier development",
            row("service of a tier", {name: value, "tier": "development"}, at=at),
        )
        for name, value, at in (
            ("byocId", UUID, "tier"),
            ("minTotalMemoryGb", 48, None),
            ("maxTotalMemoryGb", 48, None),
            ("numReplicas", 3, "tier"),
            ("autoscalingMode", "vertical", "tier"),
            ("minReplicaMemoryGb", 16, "tier"),
            ("maxReplicaMemoryGb", 32, "tier"),
            ("encryptionKey", "arn:aws:kms:us-east-1:1:key/k", "tier"),
            ("backupConfiguration", {"backupPeriodInHours": 24}, "tier"),
            ("releaseChannel", "fast", None),
        )
    ),
    Validator(
        "service min_replica_memory_gb",
        f"{WHOLE}: required with byoc_id",
        row("service", {"minReplicaMemoryGb": None, "byocId": UUID}),
    ),
    Validator(
        "service max_replica_memory_gb",
        f"{WHOLE}: required with byoc_id",
        row("service", {"maxReplicaMemoryGb": None, "byocId": UUID}),
    ),
    *(
        Validator(f"service {name}", f"{WHOLE}: required", Reason.WIDER)
        for name in ("min_replica_memory_gb", "max_replica_memory_gb")
    ),
    Validator(
        "service encryption_key",
        f"{WHOLE}: only on aws",
        row(
            "service",
            {"encryptionKey": "k", "encryptionAssumedRoleIdentifier": "r", "provider": "gcp", "region": "us-central1"},
        ),
    ),
    Validator(
        "service min_total_memory_gb", f"{WHOLE}: not with memory of replicas", row("service", {"minTotalMemoryGb": 60})
    ),
    Validator(
        "service max_total_memory_gb", f"{WHOLE}: not with memory of replicas", row("service", {"maxTotalMemoryGb": 60})
    ),
    Validator(
        "service min_replicas",
        f"{WHOLE}: order",
        row("service", {"minReplicas": 3, "maxReplicas": 2, "numReplicas": None}),
    ),
    Validator("service min_replica_memory_gb", f"{WHOLE}: order", row("service", {"minReplicaMemoryGb": 64})),
    Validator("service_scheduled_scaling entries", LENGTH, Reason.WIDER),
    Validator(
        "service_scheduled_scaling entries",
        LENGTH,
        row(
            "scheduled service",
            {
                "scalingSchedule.entries": [
                    {
                        "name": f"d{each}",
                        "weekdays": [1],
                        "startHourUtc": each,
                        "endHourUtc": each + 1,
                        "numReplicas": 3,
                    }
                    for each in range(11)
                ]
            },
        ),
    ),
    *(
        Validator(
            f"service_scheduled_scaling entries.{_snake(name)}",
            kind,
            row("scheduled service", {f"{_ENTRY}.{name}": value}, at=f"{_ENTRY}.{name}{more}"),
        )
        for name, kind, value, more in (
            ("name", LENGTH, "", ""),
            ("weekdays", LENGTH, [], ""),
            ("weekdays", RANGE, [7], "[0]"),
            ("startHourUtc", RANGE, 24, ""),
            ("endHourUtc", RANGE, 0, ""),
            ("endHourUtc", RANGE, 25, ""),
            ("autoscalingMode", ONE_OF, ODD, ""),
            ("minReplicaMemoryGb", RANGE, 0, ""),
            ("maxReplicaMemoryGb", RANGE, 0, ""),
            ("minReplicas", RANGE, 0, ""),
            ("maxReplicas", RANGE, 0, ""),
            ("idleTimeoutMinutes", RANGE, 4, ""),
        )
    ),
    *(
        Validator(
            f"service_scheduled_scaling entries.{_snake(name)}",
            REQUIRES,
            row("scheduled service", {f"{_ENTRY}.{name}": value}, at=f"{_ENTRY}.{name}"),
        )
        for name, value in {
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 16,
            "minReplicas": 3,
            "maxReplicas": 3,
        }.items()
    ),
    Validator(
        "service_scheduled_scaling entries",
        f"{WHOLE}: hours differ",
        row("scheduled service", {f"{_ENTRY}.endHourUtc": 8}, at=f"{_ENTRY}.endHourUtc"),
    ),
    *(
        Validator(
            "service_scheduled_scaling entries",
            f"{WHOLE}: {kind}",
            row(
                "scheduled service",
                {f"{_ENTRY}.{name}": value for name, value in changes.items()},
                at=f"{_ENTRY}.{at}",
            ),
        )
        for kind, (at, changes) in _ENTRIES.items()
    ),
    *(
        Validator(
            f"service_upgrade_window {_snake(name)}",
            kind,
            row(
                "service", {"upgradeWindow": {"weekday": 1, "startHourUtc": 6, name: value}}, at=f"upgradeWindow.{name}"
            ),
        )
        for name, kind, value in (("weekday", RANGE, 7), ("startHourUtc", ONE_OF, 7))
    ),
)

ORGANIZATION: tuple[Validator, ...] = (
    Validator("organization_settings", f"{WHOLE}: only one", Reason.PROGRAM),
    Validator("role policies.effect", ONE_OF, row("role", {"policies[0].allowDeny": ODD})),
    Validator("role policies.permissions", LENGTH, row("role", {"policies[0].permissions": []})),
    Validator("role policies.resources", LENGTH, row("role", {"policies[0].resources": []})),
    Validator(
        "role policies.tags.role",
        ONE_OF,
        row("role", {"policies[0].tags": {"roleV2": ODD}}, at="policies[0].tags.roleV2"),
    ),
)

FUNCTIONS: tuple[Validator, ...] = (
    Validator("udf function_name", PATTERN, row("function", {"name": "1st"})),
    *_listed("udf", "function", "runtime", "type", "sandboxType", "sandboxVersion"),
    Validator("udf arguments.name", PATTERN, row("function", {"arguments[0].name": "1st"})),
    Validator("udf arguments.type", LENGTH, row("function", {"arguments[0].type": ""})),
    Validator("udf return_type", LENGTH, row("function", {"returnType": ""})),
    Validator("udf return_name", PATTERN, row("function", {"returnName": "1st"})),
    Validator("udf format", LENGTH, row("function", {"format": ""})),
    *_beyond(
        "udf",
        "function",
        commandReadTimeout=(0,),
        commandWriteTimeout=(0,),
        maxCommandExecutionTime=(0,),
        poolSize=(0,),
    ),
    *(Validator(f"udf source_archive_{each}", LENGTH, Reason.TERRAFORM) for each in ("path", "hash")),
    Validator("udf source_archive_path", f"{WHOLE}: can be read", Reason.TERRAFORM),
    Validator("udf pool_size", f"{WHOLE}: only in a pool", row("function", {"poolSize": 3})),
    Validator(
        "udf max_command_execution_time", f"{WHOLE}: only in a pool", row("function", {"maxCommandExecutionTime": 3})
    ),
    Validator(
        "udf sandbox_type",
        f"{WHOLE}: basic if native",
        row("function", {"sandboxType": "netenable", "runtime": "native"}),
    ),
    *(Validator("udf sandbox_version", f"{WHOLE}: that of {each}", Reason.DONE) for each in ("native", "python3.11")),
    Validator("udf_attachment function_name", PATTERN, row("attachment", {"functionName": "1st"})),
    Validator("udf_attachment service_id", PATTERN, row("attachment", {"serviceId": "orders"})),
    Validator("udf_attachment version", RANGE, row("attachment", {"version": 0})),
)

STACK: tuple[Validator, ...] = (
    *_listed("clickstack_alert", "alert", "thresholdType", "interval"),
    Validator(
        "clickstack_alert threshold_max",
        f"{WHOLE}: required",
        row("alert", {"thresholdType": "between"}, at="thresholdMax"),
    ),
    Validator(
        "clickstack_alert threshold_max",
        f"{WHOLE}: order",
        row("alert", {"thresholdMax": 4, "thresholdType": "between"}),
    ),
    Validator(
        "clickstack_alert schedule_offset_minutes",
        f"{WHOLE}: or a start",
        row("alert", {"scheduleOffsetMinutes": 1, "scheduleStartAt": "2026-11-01T00:00:00Z"}),
    ),
    *_beyond("clickstack_alert", "alert", scheduleOffsetMinutes=(-1, 1440, 5), numConsecutiveWindows=(0,)),
    *(
        Validator(f"clickstack_alert {name}", LENGTH, row("alert", {name: value}))
        for name, most in {"name": 512, "message": 4096, "note": 4096}.items()
        for value in ("", "n" * (most + 1))
    ),
    Validator("clickstack_alert channel.type", ONE_OF, row("alert", {"channel.type": ODD}, at="channel")),
    Validator(
        "clickstack_alert channel.webhook_id",
        f"{WHOLE}: required",
        row("alert", {"channel.webhookId": None}, at="channel"),
    ),
    *(
        Validator(
            "clickstack_alert channel.webhook_id",
            f"{WHOLE}: not empty",
            row("alert", {"channel.webhookId": ""}, at="channel"),
        )
        for _ in "1"
    ),
    Validator("clickstack_dashboard dashboard_json", f"{WHOLE}: JSON", Reason.TERRAFORM),
    Validator(
        "clickstack_dashboard dashboard_json",
        f"{WHOLE}: the server validates it",
        row("tile", {"tiles[0].config.sourceId": "logs"}),
    ),
    *_listed("clickstack_saved_search", "saved search", "whereLanguage"),
    Validator("clickstack_saved_search filters", f"{WHOLE}: JSON", Reason.TERRAFORM),
    *_listed("clickstack_webhook", "webhook", "service"),
    *(
        Validator(f"clickstack_webhook {_snake(name)}", f"{WHOLE}: not for slack", row("webhook", {name: value}))
        for name, value in (("headers", {"a": "b"}), ("queryParams", {"a": "b"}), ("body", "{}"))
    ),
)

_ORIGIN = "readReplicaOf"
POSTGRES: tuple[Validator, ...] = (
    *(Validator("postgres_service name", LENGTH, row("postgres service", {"name": each})) for each in ("", "n" * 51)),
    *_listed("postgres_service", "postgres service", "provider", "postgresVersion", "haType"),
    Validator("postgres_service size", LENGTH, row("postgres service", {"size": ""})),
    Validator(
        "postgres_service tags", LENGTH, row("postgres service", {"tags": [{"key": f"k{each}"} for each in range(51)]})
    ),
    *(
        Validator("postgres_service tags", LENGTH, row("postgres service", {"tags": [tag]}, at=f"tags[0].{name}"))
        for name, tag in {"key": {"key": ""}, "value": {"key": "k", "value": ""}}.items()
    ),
    *(
        Validator(f"postgres_service {tf}", LENGTH, row("postgres service", {name: setting}, at=at))
        for name, tf, known in (
            ("pgConfig", "pg_config", "work_mem"),
            ("pgBouncerConfig", "pgbouncer_config", "default_pool_size"),
        )
        for setting, at in (({"": "1"}, name), ({known: ""}, name), ({}, name))
    ),
    Validator("postgres_service password", LENGTH, row("postgres service", {"password": "Orders-0123"})),
    *(
        Validator("postgres_service password", PATTERN, row("postgres service", {"password": each}))
        for each in ("ORDERS-01234", "orders-01234", "Orders-abcdef")
    ),
    Validator("postgres_service password", CONFLICTS, Reason.TERRAFORM),
    Validator("postgres_service password_wo", REQUIRES, Reason.TERRAFORM),
    Validator("postgres_service password_wo_version", REQUIRES, Reason.TERRAFORM),
    Validator("postgres_service password", f"{WHOLE}: required", Reason.DONE),
    Validator("postgres_service read_replica_of", LENGTH, row("replica", {_ORIGIN: ""})),
    Validator(
        "postgres_service read_replica_of",
        CONFLICTS,
        row("replica", {"restoreFrom": {"postgresServiceId": UUID, "time": "2026-11-01T00:00:00Z"}}),
    ),
    Validator("postgres_service read_replica_of", CONFLICTS, row("replica", {"password": "Orders-01234"})),
    Validator(
        "postgres_service restore_to_point_in_time.source_id",
        LENGTH,
        row("restored", {"restoreFrom.postgresServiceId": ""}),
    ),
    *(
        Validator(f"postgres_service {_snake(name)}", f"{WHOLE}: required", row("postgres service", {name: None}))
        for name in ("provider", "region", "size")
    ),
    *(
        Validator(f"postgres_service {_snake(name)}", f"{WHOLE}: that of its source", Reason.REQUEST)
        for name in ("provider", "region", "postgresVersion", "size")
    ),
    Validator("postgres_service ha_type", f"{WHOLE}: that of its source", row("replica", {"haType": "none"})),
    *(Validator("postgres_service size", f"{WHOLE}: that of the backup", Reason.WIDER) for _ in "1"),
    *(
        Validator(f"postgres_service {name}", f"{WHOLE}: no change of a replica", Reason.CHANGE)
        for name in ("size", "ha_type", "tags")
    ),
    Validator("postgres_service read_replica_of", f"{WHOLE}: not if promoted", Reason.CHANGE),
    Validator("postgres_service password", f"{WHOLE}: not for a replica", Reason.REQUEST),
)

VALIDATORS: tuple[Validator, ...] = (*PIPES, *ENDPOINTS, *SERVICES, *ORGANIZATION, *FUNCTIONS, *STACK, *POSTGRES)
