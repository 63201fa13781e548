"""What pipes read and write: in the interface's words, and with what the vendor's servers answer beside them."""

from __future__ import annotations

from typing import Any

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
