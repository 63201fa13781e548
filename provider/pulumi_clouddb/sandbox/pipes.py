"""Pipes: how they scale, and the pipes there are to work on."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.pipes.api import Pipes
from pulumi_clouddb.pipes.pipe import PipeSettings, Scaling
from pulumi_clouddb.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.schema.base import Model, wire_names

from .bodies import checked, part_of
from .lifecycle import SERVICES
from .responses import bad_request, not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document

STREAM = ("replicas", "replicaCpuMillicores", "replicaMemoryGb")
SCALED_BY: Mapping[str, tuple[str, ...]] = {
    "kafka": STREAM,
    "kinesis": STREAM,
    "pubsub": STREAM,
    "objectStorage": ("concurrency",),
}
"""Which fields scale which kind of pipe; those of databases, which are not here, do not scale one by one."""


class ServedPipes(Served):
    """The pipes of a service."""

    def scale(self, state: SandboxState, call: Call) -> Document:
        """Change the scaling; what is null or left out stays."""
        document = self.get(state, call)
        names = wire_names(Scaling)
        body = checked(_scaling_body(PIPE_SCALING.inputs_in(state.settings.vocabulary)), call.body, nullable=names)
        given = {name: value for name, value in body.items() if value is not None}
        kind = next(iter(document["source"]))
        for name in given:
            if name not in SCALED_BY.get(kind, ()):
                raise bad_request(f"request body.{name}: does not scale a pipe from {kind}")
        changed = {**document, "scaling": {**document["scaling"], **given}, "updatedAt": state.clock.stamp()}
        state.store.put(self.kind, document["id"], changed)
        return changed

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Give a service a pipe of some `kind`; the other fields are of the record, where it differs from the usual."""
        sources = state.settings.of_dialect(SOURCES, VENDOR_SOURCES)
        kind = fields.pop("kind", "kafka")
        if kind not in sources:
            raise bad_request(f"kind must be one of {', '.join(sources)}, not {kind!r}")
        if state.store.get(SERVICES, parent) is None:
            raise not_found("Service")
        usual = {
            "serviceId": parent,
            "name": kind,
            "state": "Running",
            "scaling": {"replicas": 1, "concurrency": 1, "replicaCpuMillicores": 250, "replicaMemoryGb": 1},
            "source": {kind: sources[kind]},
            "destination": state.settings.of_dialect(DESTINATION, VENDOR_DESTINATION),
            "fieldMappings": [{"sourceField": "id", "destinationField": "id"}],
            "settings": _settings(),
        }
        return super().add(state, parent, {**usual, **fields})

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record; some servers answer the size of replicas as quantities."""
        if not state.settings.quantities:
            return document
        scaling = document["scaling"]
        cpu, memory = f"{scaling['replicaCpuMillicores']}m", f"{scaling['replicaMemoryGb'] * 1024:g}Mi"
        return {**document, "scaling": {**scaling, "replicaCpuMillicores": cpu, "replicaMemoryGb": memory}}


SERVED = ServedPipes(Pipes)


@functools.cache
def _scaling_body(model: type[Model]) -> type[Model]:
    return part_of(model, wire_names(Scaling))


def _settings() -> dict[str, Any]:
    usual: dict[str, Any] = {
        "streaming_max_insert_wait_ms": 5000,
        "object_storage_concurrency": 1,
        "object_storage_polling_interval_ms": 30000,
        "object_storage_max_insert_bytes": 10737418240,
        "object_storage_max_file_count": 100,
        "engine_max_threads": 8,
        "engine_max_insert_threads": 1,
        "engine_min_insert_block_size_bytes": 1073741824,
        "engine_max_download_threads": 4,
        "engine_parallel_distributed_insert_select": 2,
    }
    return {name: usual.get(name, False) for name in PipeSettings.model_fields}


# -- what pipes read and write: in the interface's words, and with what the vendor's servers answer beside them --------

SOURCES: dict[str, dict[str, Any]] = {
    "kafka": {
        "brokers": "broker-1.example.com:9092,broker-2.example.com:9092",
        "topics": "events",
        "consumerGroup": "clouddb-events",
        "iamRole": "arn:aws:iam::123456789012:role/stream-reader",
        "offset": {"timestamp": "2026-01-01T00:00:00"},
        "schemaRegistry": {"url": "https://registry.example.com", "authentication": "PLAIN", "caCertificate": ""},
        "caCertificate": "",
        "reversePrivateEndpointIds": [],
    },
    "objectStorage": {
        "url": "https://archive.s3.us-east-1.amazonaws.com/events/*.json",
        "delimiter": "",
        "compression": "auto",
        "isContinuous": True,
        "queueUrl": "https://sqs.us-east-1.amazonaws.com/123456789012/archive",
        "iamRole": "arn:aws:iam::123456789012:role/archive-reader",
        "connectionString": "DefaultEndpointsProtocol=https;AccountName=archive;AccountKey=c2FuZGJveA==",
        "path": "events/*.json",
        "azureContainerName": "archive",
    },
    "kinesis": {
        "streamName": "events",
        "region": "us-east-1",
        "useEnhancedFanOut": False,
        "timestamp": 1767225600,
        "iamRole": "arn:aws:iam::123456789012:role/stream-reader",
    },
    "postgres": {
        "host": "postgres.example.com",
        "port": 5432,
        "database": "shop",
        "settings": {
            "syncIntervalSeconds": 60,
            "pullBatchSize": 100000,
            "publicationName": "clouddb_publication",
            "replicationSlotName": "clouddb_slot",
            "allowNullableColumns": False,
            "initialLoadParallelism": 4,
            "snapshotNumRowsPerPartition": 100000,
            "snapshotNumberOfParallelTables": 1,
            "enableFailoverSlots": False,
        },
        "tableMappings": [
            {
                "sourceSchemaName": "public",
                "sourceTable": "orders",
                "targetTable": "orders",
                "excludedColumns": [],
                "useCustomSortingKey": False,
                "sortingKeys": [],
            }
        ],
    },
}
"""The source of each kind of pipe."""

DESTINATION: dict[str, Any] = {
    "database": "default",
    "table": "events",
    "managedTable": True,
    "tableDefinition": {
        "engine": {"versionColumnId": "", "columnIds": []},
        "sortingKey": ["id"],
        "partitionBy": "",
        "primaryKey": "id",
    },
    "columns": [{"name": "id", "type": "String"}],
}

_ROLE = "IAM_ROLE"
_CERTIFIED = {"tlsHost": "", "caCertificate": "", "disableTls": False, "skipCertVerification": False}
_SNAPSHOT = {
    "allowNullableColumns": False,
    "initialLoadParallelism": 4,
    "snapshotNumRowsPerPartition": 100000,
    "snapshotNumberOfParallelTables": 1,
}
_CHANGES = {"syncIntervalSeconds": 60, "pullBatchSize": 100000, "replicationMode": "cdc", "deleteOnMerge": False}
_MAPPED = {
    "targetTable": "orders",
    "excludedColumns": [],
    "useCustomSortingKey": False,
    "sortingKeys": [],
    "tableEngine": "ReplacingMergeTree",
}

_KAFKA, _POSTGRES = SOURCES["kafka"], SOURCES["postgres"]

VENDOR_SOURCES: dict[str, dict[str, Any]] = {
    "kafka": {
        **_KAFKA,
        "type": "msk",
        "format": "JSONEachRow",
        "authentication": _ROLE,
        "offset": {"strategy": "from_timestamp", **_KAFKA["offset"]},
        "exactlyOnce": False,
    },
    "objectStorage": {
        **SOURCES["objectStorage"],
        "type": "s3",
        "format": "JSONEachRow",
        "skipInitialLoad": False,
        "startAfter": None,
        "authentication": _ROLE,
    },
    "kinesis": {
        **SOURCES["kinesis"],
        "format": "JSONEachRow",
        "iteratorType": "AT_TIMESTAMP",
        "authentication": _ROLE,
    },
    "pubsub": {
        "format": "JSONEachRow",
        "projectId": "shop",
        "topic": "events",
        "authentication": "SERVICE_ACCOUNT",
        "seekType": "timestamp",
        "seekTimestamp": "2026-01-01T00:00:00Z",
        "filter": None,
        "enableOrdering": False,
        "ackDeadline": 60,
    },
    "postgres": {
        **_POSTGRES,
        **_CERTIFIED,
        "type": "postgres",
        "authentication": "basic",
        "iamRole": "",
        "settings": {**_POSTGRES["settings"], "replicationMode": "cdc", "deleteOnMerge": False},
        "tableMappings": [
            {**each, "tableEngine": "ReplacingMergeTree", "partitionKey": "", "partitionByExpr": ""}
            for each in _POSTGRES["tableMappings"]
        ],
    },
    "mysql": {
        **_CERTIFIED,
        "type": "mysql",
        "host": "mysql.example.com",
        "port": 3306,
        "authentication": "basic",
        "iamRole": "",
        "serverId": 4711,
        "settings": {**_CHANGES, **_SNAPSHOT, "replicationMechanism": "GTID", "useCompression": False},
        "tableMappings": [{**_MAPPED, "sourceSchemaName": "shop", "sourceTable": "orders", "partitionKey": ""}],
    },
    "bigquery": {
        "snapshotStagingPath": "gs://clouddb-staging/orders/",
        "settings": {**_SNAPSHOT, "replicationMode": "snapshot"},
        "tableMappings": [{**_MAPPED, "sourceDatasetName": "shop", "sourceTable": "orders"}],
    },
    "mongodb": {
        **_CERTIFIED,
        "uri": "mongodb+srv://mongodb.example.com",
        "readPreference": "secondaryPreferred",
        "settings": {
            **_CHANGES,
            "snapshotNumRowsPerPartition": 100000,
            "snapshotNumberOfParallelTables": 1,
            "useJsonNativeFormat": False,
        },
        "tableMappings": [
            {
                "sourceDatabaseName": "shop",
                "sourceCollection": "orders",
                "targetTable": "orders",
                "tableEngine": "ReplacingMergeTree",
            }
        ],
    },
}
"""The source of each kind of pipe of the vendor's servers."""

VENDOR_DESTINATION: dict[str, Any] = {
    **DESTINATION,
    "tableDefinition": {
        **DESTINATION["tableDefinition"],
        "engine": {"type": "MergeTree", **DESTINATION["tableDefinition"]["engine"]},
    },
}
