"""Inputs that break one rule each: of the vendor's descriptions, and of its Terraform provider.

A row takes valid inputs and changes them; check must then name the property, in a failure or in a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.ids import CALM, CONNECTION, LOGS
from support.rows import THERE, UUID, Row, Values

TEXT = "n"
LEVEL = 0.95


def row(base: str, changes: Mapping[str, Any], *breaks: str, at: str | None = None, **config: Any) -> Row:
    """Return a row; by default, check must name the first path."""
    name, inputs = VALID[base]
    at = next(iter(changes)) if at is None else at
    return Row(name, inputs, changes, at=at, config={**THERE, **config}, breaks=breaks)


_PLACE: Values = {"provider": "aws", "region": "us-east-1"}
_KAFKA: Values = {
    "type": "kafka",
    "format": "JSONEachRow",
    "brokers": "b:9092",
    "topics": "t",
    "authentication": "PLAIN",
}
_USER: Values = {"username": "u", "password": "p"}
_INTO: Values = {
    "database": "default",
    "table": "clicks",
    "managedTable": True,
    "columns": [{"name": "id", "type": "String"}, {"name": "at", "type": "DateTime"}],
}
_TABLE: Values = {"sourceSchemaName": "shop", "sourceTable": "orders", "targetTable": "orders"}
_DATABASE: Values = {"host": "db.example.com", "port": 5432, "tableMappings": [_TABLE]}
_FILES: Values = {"type": "s3", "format": "CSV", "url": "https://b.s3.us-east-1.amazonaws.com/*"}
_ROW: Values = {"aggFn": "count"}
_SUM: Values = {"aggFn": "sum", "valueExpression": "ms"}
_TILE: Values = {"name": "a", "x": 0, "y": 0, "w": 6, "h": 3}
_LINE: Values = {"displayType": "line", "sourceId": LOGS, "select": [_SUM]}
_ALERT: Values = {
    "dashboardId": "6" * 24,
    "tileId": "t",
    "source": "tile",
    "threshold": 5,
    "interval": "5m",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": CALM},
}
_SOURCE: Values = {
    "connection": CONNECTION,
    "name": "Logs",
    "timestampValueExpression": "Timestamp",
    "from": {"databaseName": "shop", "tableName": "logs"},
}
_LOGS: Values = {**_SOURCE, "kind": "log", "defaultTableSelectExpression": "Timestamp, Body"}
_BAND: Values = {"minReplicas": 1, "maxReplicas": 4}
_ENTRY: Values = {"weekdays": [1, 2], "startHourUtc": 8, "endHourUtc": 18}


def _pipe(source: Values, credentials: Values | None = None, destination: Values | None = None) -> tuple[str, Values]:
    """Return a pipe."""
    inputs = {"serviceId": UUID, "name": "Clicks", "source": source, "destination": destination or _INTO}
    return "Pipe", inputs | ({"credentials": credentials} if credentials else {})


def _board(config: Values, **more: Any) -> tuple[str, Values]:
    """Return a dashboard with one tile."""
    return "Dashboard", {"name": "Board", "tiles": [{**_TILE, "config": config}], **more}


_ENTRY_AT = "scalingSchedule.entries[0]"
VALID: Mapping[str, tuple[str, Values]] = {
    "service": (
        "Service",
        {**_PLACE, "name": "Orders", "minReplicaMemoryGb": 16, "maxReplicaMemoryGb": 32, "numReplicas": 3},
    ),
    "service of a tier": ("Service", {**_PLACE, "name": "Orders", "tier": "production"}),
    "cost": ("getUsageCost", {"fromDate": "2026-01-01", "toDate": "2026-01-31", "filters": ["tag:team=shop"]}),
    "scheduled service": (
        "Service",
        {**_PLACE, "name": "Orders", "scalingSchedule": {"entries": [{**_ENTRY, "name": "day", "numReplicas": 3}]}},
    ),
    "key": ("ApiKey", {"name": "ci", "roles": ["developer"]}),
    "kafka": _pipe({"kafka": _KAFKA}, _USER),
    "kafka by role": _pipe(
        {"kafka": {**_KAFKA, "type": "msk", "authentication": "IAM_ROLE", "iamRole": "arn:aws:iam::1:role/r"}}
    ),
    "kinesis": _pipe(
        {
            "kinesis": {
                "format": "JSONEachRow",
                "streamName": "s",
                "region": "us-east-1",
                "iteratorType": "TRIM_HORIZON",
                "authentication": "IAM_ROLE",
                "iamRole": "arn:aws:iam::1:role/r",
            }
        }
    ),
    "pubsub": _pipe(
        {
            "pubsub": {
                "format": "JSONEachRow",
                "projectId": "shop-1234",
                "topic": "t",
                "authentication": "SERVICE_ACCOUNT",
                "seekType": "latest",
            }
        },
        {"serviceAccountKey": "e30="},
    ),
    "public files": _pipe({"objectStorage": _FILES}),
    "files": _pipe(
        {
            "objectStorage": {
                **_FILES,
                "authentication": "IAM_USER",
                "isContinuous": True,
                "queueUrl": "https://sqs.us-east-1.amazonaws.com/123456789012/files",
            }
        },
        {"accessKeyId": "k", "secretKey": "s"},
    ),
    "files of Google": _pipe(
        {"objectStorage": {**_FILES, "type": "gcs", "url": "gs://b/*", "authentication": "SERVICE_ACCOUNT"}},
        {"serviceAccountKey": "e30="},
    ),
    "files of Azure": _pipe(
        {
            "objectStorage": {
                "type": "azureblobstorage",
                "format": "CSV",
                "path": "clicks/*",
                "azureContainerName": "c",
                "authentication": "CONNECTION_STRING",
            }
        },
        {"connectionString": "c"},
    ),
    "postgres": _pipe(
        {"postgres": {**_DATABASE, "database": "shop", "settings": {"replicationMode": "cdc"}}},
        _USER,
        {"database": "default"},
    ),
    "mysql": _pipe(
        {"mysql": {**_DATABASE, "port": 3306, "settings": {"replicationMode": "cdc"}}}, _USER, {"database": "default"}
    ),
    "mongodb": _pipe(
        {
            "mongodb": {
                "uri": "mongodb://db.example.com",
                "readPreference": "primary",
                "settings": {"replicationMode": "cdc"},
                "tableMappings": [{"sourceDatabaseName": "d", "sourceCollection": "c", "targetTable": "c"}],
            }
        },
        _USER,
        {"database": "default"},
    ),
    "bigquery": _pipe(
        {
            "bigquery": {
                "snapshotStagingPath": "gs://staging/",
                "settings": {"replicationMode": "snapshot"},
                "tableMappings": [{"sourceDatasetName": "d", "sourceTable": "t", "targetTable": "t"}],
            }
        },
        {"serviceAccountKey": "e30="},
        {"database": "default"},
    ),
    "database pipes": ("PipeCdcScaling", {"serviceId": UUID, "replicaCpuMillicores": 1000, "replicaMemoryGb": 4}),
    "postgres service": (
        "PostgresService",
        {**_PLACE, "name": "orders", "size": "m6gd.large", "pgConfig": {"max_worker_processes": "8"}},
    ),
    "replica": ("PostgresService", {"name": "orders", "readReplicaOf": UUID}),
    "restored": (
        "PostgresService",
        {"name": "orders", "restoreFrom": {"postgresServiceId": UUID, "time": "2026-11-01T00:00:00Z"}},
    ),
    "role": (
        "Role",
        {
            "name": "Reader",
            "policies": [
                {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": [f"instance/{UUID}"]}
            ],
        },
    ),
    "attachment": ("UdfAttachment", {"functionName": "twice", "serviceId": UUID}),
    "private DNS": (
        "ReversePrivateEndpoint",
        {
            "serviceId": UUID,
            "description": "Kafka",
            "type": "VPC_ENDPOINT_SERVICE",
            "vpcEndpointServiceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1",
            "customPrivateDnsMappings": [{"privateDnsName": "*.kafka.example.com"}],
        },
    ),
    "function": (
        "UserDefinedFunction",
        {
            "name": "twice",
            "runtime": "python3.11",
            "type": "executable",
            "arguments": [{"name": "x", "type": "UInt8"}],
            "returnType": "UInt8",
            "files": {"main.py": "for line in open(0): print(line)"},
        },
    ),
    "tile": _board(_LINE),
    "two values": _board({**_LINE, "select": [_ROW, _SUM]}),
    "table": _board({**_LINE, "displayType": "table"}),
    "number": _board({**_LINE, "displayType": "number"}),
    "SQL": _board(
        {"displayType": "number", "configType": "sql", "connectionId": CONNECTION, "sqlTemplate": "SELECT 1"}
    ),
    "filter": _board(
        _LINE,
        filters=[{"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": LOGS}],
        containers=[{"id": "c", "title": "Group", "collapsed": False}],
        savedFilterValues=[{"type": "sql", "condition": "a = 1"}],
    ),
    "series": (
        "Dashboard",
        {
            "name": "Board",
            "tiles": [
                {**_TILE, "series": [{"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}]}
            ],
        },
    ),
    "alert": ("Alert", _ALERT),
    "connection": (
        "Connection",
        {"name": "Shop", "host": "https://shop.example.com", "username": "u", "password": "p"},
    ),
    "saved search": ("SavedSearch", {"name": "Errors", "sourceId": LOGS, "filters": [{"condition": "a IN ('b')"}]}),
    "log source": ("Source", _LOGS),
    "metric source": (
        "Source",
        {**_SOURCE, "kind": "metric", "resourceAttributesExpression": "R", "metricTables": {"gauge": "g"}},
    ),
    "promql source": ("Source", {**_SOURCE, "kind": "promql"}),
    "webhook": ("Webhook", {"name": "Chat", "service": "slack", "url": "https://hooks.slack.com/services/a/b/c"}),
}
"""Valid inputs by name, with their resource."""

_FIRST = "tiles[0].config.select[0]"

ROWS: tuple[Row, ...] = (
    # services
    row("service", {"minReplicas": 1, "numReplicas": None}, "fed7e090871b"),
    row("service", {"maxReplicas": 4, "numReplicas": None}, "4979f9791867"),
    row("service", _BAND, "6bd301ccd101", "2a6db5d1e989", at="numReplicas"),
    row("service", {"minReplicaMemoryGb": 18}, "e2d72805ab50", "c86faba3a11f"),
    row("service", {"minReplicaMemoryGb": 4}, "e2d72805ab50"),
    row("service", {"maxReplicaMemoryGb": 360}, "41fa866b5ac3", "c8d1b4e96f80"),
    row("service", {"maxReplicaMemoryGb": 124}, "41fa866b5ac3", "c8d1b4e96f80", paid=False),
    row(
        "service",
        {"minReplicaMemoryGb": None, "maxReplicaMemoryGb": None, "byocId": UUID},
        "f450e56f0998",
        at="minReplicaMemoryGb",
    ),
    row("service", {"minReplicaMemoryGb": 16, "byocId": UUID}, "f450e56f0998"),
    row("service of a tier", {"minTotalMemoryGb": 30}, "05a98dc7ffda", "ce41783ad80f"),
    row("service of a tier", {"minTotalMemoryGb": 12}, "05a98dc7ffda"),
    row("service of a tier", {"maxTotalMemoryGb": 1080}, "0a1108be4f08"),
    row("service of a tier", {"maxTotalMemoryGb": 372}, "0a1108be4f08", paid=False),
    row("service of a tier", {"minTotalMemoryGb": 48, "tier": "development"}, "5e73534499be", "ce41783ad80f"),
    row("service of a tier", {"releaseChannel": "fast", "tier": "development"}, "af6e1c872ce7"),
    row("service", {"tier": "development", "numReplicas": None}, "c86faba3a11f", "5e73534499be"),
    row("service", {"idleTimeoutMinutes": 4}, "26ab3c167ffd"),
    row("service", {"isReadonly": True}, "2f380ac2362c"),
    row("service", {"hasTransparentDataEncryption": True}, "dde4a29ffe58", organizationTier="SCALE"),
    row("service", {"profile": "v1-highmem-xl"}, "7d778a501ab6", organizationTier="SCALE"),
    row("service", {"name": "n" * 51}),
    row("service", {"tags": [{"key": "a b", "value": "c"}]}, "cc98f29f0b3e", at="tags[0].key"),
    row("service", {"passwordDoubleSha1Hash": "0" * 40}, "e5600d8a3455"),
    row(
        "service",
        {"backupConfiguration": {"backupRetentionPeriodInHours": 25}},
        "f2e2f6c984f1",
        at="backupConfiguration.backupRetentionPeriodInHours",
    ),
    row(
        "service",
        {"backupConfiguration": {"backupRetentionPeriodInHours": 1104}},
        "f2e2f6c984f1",
        at="backupConfiguration.backupRetentionPeriodInHours",
    ),
    row(
        "service",
        {"backupBucket": {"bucketProvider": "GCP", "bucketPath": "gs://b"}},
        "3dff51600457",
        at="backupBucket.accessKeyId",
    ),
    row(
        "service", {"upgradeWindow": {"weekday": 1, "startHourUtc": 5}}, "4816c944d255", at="upgradeWindow.startHourUtc"
    ),
    row(
        "service",
        {"upgradeWindow": {"weekday": 1, "startHourUtc": 6}, "dataWarehouseId": UUID},
        "9d513603f24b",
        at="dataWarehouseId",
    ),
    row(
        "scheduled service",
        {"scalingSchedule.entries[0].endHourUtc": 8},
        "eb50d9cbc388",
        at="scalingSchedule.entries[0].endHourUtc",
    ),
    row(
        "scheduled service",
        {"scalingSchedule.entries[0].minReplicas": 3},
        "fed7e090871b",
        at="scalingSchedule.entries[0].minReplicas",
    ),
    row(
        "scheduled service",
        {"scalingSchedule.entries[0].maxReplicas": 3},
        "4979f9791867",
        at="scalingSchedule.entries[0].maxReplicas",
    ),
    row(
        "scheduled service",
        {f"{_ENTRY_AT}.maxReplicas": 3, f"{_ENTRY_AT}.minReplicas": 3},
        "6bd301ccd101",
        at=f"{_ENTRY_AT}.numReplicas",
    ),
    row(
        "scheduled service",
        {_ENTRY_AT: {**_ENTRY, **_BAND, "name": "d", "autoscalingMode": "horizontal"}},
        "8b0bf03a30e6",
        "2ebb074d4683",
        at=f"{_ENTRY_AT}.minReplicaMemoryGb",
    ),
    # the organization
    row("cost", {"toDate": "2026-02-01"}, "29f97e72cb3f", "493983920a08"),
    row("cost", {"filters": ["team=shop"]}, "333db8f45000"),
    # keys
    row("key", {"roles": []}, "04329db97fff"),
    # pipes
    row(
        "kafka",
        {"source.kafka.offset": {"strategy": "from_timestamp"}},
        "5622642c04d7",
        at="source.kafka.offset.timestamp",
    ),
    row("kafka", {"source.kafka.authentication": "IAM_USER"}, "1b0fb7ac121d"),
    row(
        "kafka",
        {"source.kafka.schemaRegistry": {"url": "http://r", "authentication": "PLAIN"}},
        "79b532d3051f",
        at="source.kafka.schemaRegistry.url",
    ),
    row("kafka", {"credentials": {"serviceAccountKey": "e30="}}, "e7bd1231a586"),
    row("kafka", {"credentials": {"accessKeyId": "k", "secretKey": "s"}}, "e7bd1231a586"),
    row("kafka", {"fieldMappings": [{"sourceField": "a", "destinationField": "id"}]}, "bbf10f6b3553"),
    row("kafka", {"destination.table": None}, "9832d3f58281", at="destination"),
    row("kafka", {"destination.managedTable": None}, "9832d3f58281", at="destination"),
    row("kafka", {"destination.columns": None}, "9832d3f58281", at="destination"),
    row("kafka", {"scaling": {"concurrency": 3}}, "56254aeb628d"),
    row("files", {"scaling": {"replicaCpuMillicores": 250}}, "d04ebb1acc94"),
    row("files", {"scaling": {"replicaMemoryGb": 1}}, "d04ebb1acc94"),
    row("postgres", {"scaling": {"replicas": 2}}, "53dcce948ad2", at="scaling"),
    row(
        "kinesis",
        {"source.kinesis.iteratorType": "AT_TIMESTAMP"},
        "f6d6501a60d2",
        "ecbac826cc03",
        at="source.kinesis.timestamp",
    ),
    row("kinesis", {"source.kinesis.iamRole": None}, "50c05132d825"),
    row("kafka by role", {"source.kafka.iamRole": None}),
    row("pubsub", {"source.pubsub.seekType": "timestamp"}, "ecc4a70f9c0c", at="source.pubsub.seekTimestamp"),
    row("pubsub", {"source.pubsub.seekTimestamp": "2026-01-01T00:00:00Z"}, "ecc4a70f9c0c", "2084cebd8bd4"),
    row("pubsub", {"source.pubsub.filter": "f" * 257}, "5c77bc55897b"),
    row("pubsub", {"source.pubsub.ackDeadline": 9}, "eec6d7ea552e"),
    row("pubsub", {"source.pubsub.ackDeadline": 601}, "eec6d7ea552e"),
    row("pubsub", {"source.pubsub.authentication": "IAM_ROLE"}, "b906bc5bf914"),
    row(
        "files",
        {"source.objectStorage.type": "gcs", "source.objectStorage.authentication": "IAM_ROLE"},
        "f7847274358f",
        at="source.objectStorage.authentication",
    ),
    row(
        "files of Google", {"source.objectStorage.type": "s3"}, "4ebcc3c7c552", at="source.objectStorage.authentication"
    ),
    row("files of Google", {"credentials": None}, "ccc451cee3f9", at=""),
    row("files of Azure", {"credentials": None}, "49b7b0922629", at=""),
    row("files of Azure", {"source.objectStorage.azureContainerName": None}, "bdc6ab41b535"),
    row("files", {"source.objectStorage.isContinuous": False}, "2e042af749e4", at="source.objectStorage.queueUrl"),
    row(
        "files",
        {"source.objectStorage.authentication": None, "credentials": None},
        "2e042af749e4",
        at="source.objectStorage.queueUrl",
    ),
    row("files", {"source.objectStorage.skipInitialLoad": True, "source.objectStorage.queueUrl": None}, "1ef3f7bbc524"),
    row(
        "files",
        {"source.objectStorage.skipInitialLoad": True, "source.objectStorage.startAfter": "a"},
        "5601941d35fd",
        at="source.objectStorage.startAfter",
    ),
    row("postgres", {"source.postgres.authentication": "IAM_ROLE"}, "e8656371bc1a", at="source.postgres.iamRole"),
    row("mysql", {"source.mysql.authentication": "IAM_ROLE"}, "e8656371bc1a", at="source.mysql.iamRole"),
    row("postgres", {"source.postgres.settings.replicationSlotName": "s"}, "0ab3184b7408"),
    row(
        "postgres",
        {
            "source.postgres.settings": {
                "replicationMode": "cdc_only",
                "replicationSlotName": "s",
                "enableFailoverSlots": True,
            }
        },
        "3756c91228bd",
        at="source.postgres.settings.enableFailoverSlots",
    ),
    row("postgres", {"source.postgres.tableMappings[0].excludedColumns": ["a", "a"]}, "12198b046b83"),
    row(
        "mysql",
        {
            "source.mysql.tableMappings[0].sortingKeys": ["a", "a"],
            "source.mysql.tableMappings[0].useCustomSortingKey": True,
        },
        "12198b046b83",
    ),
    row("postgres", {"source.postgres.tableMappings[0].sortingKeys": ["a"]}, "295bcc0e1469"),
    row(
        "mysql",
        {"source.mysql.tableMappings[0].useCustomSortingKey": True},
        "9fc3a878babe",
        at="source.mysql.tableMappings[0].sortingKeys",
    ),
    row(
        "mysql",
        {"source.mysql.type": "mariadb", "source.mysql.settings.replicationMechanism": "FILE_POS"},
        "77ec7ca15ae5",
        at="source.mysql.settings",
    ),
    row("mongodb", {"source.mongodb.uri": "db.example.com:27017"}, "ad9155517c7d"),
    row("bigquery", {"source.bigquery.settings.replicationMode": "cdc"}, "949acc6a794f"),
    row("database pipes", {"replicaMemoryGb": 8}, "397bd7a391dd"),
    # Postgres services
    row("postgres service", {"name": "n" * 51}),
    row("postgres service", {"tags": [{"key": "a b", "value": "c"}]}, "cc98f29f0b3e", at="tags[0].key"),
    row("postgres service", {"tags": [{"key": "chc_a", "value": "c"}]}, "d5764ef4c7b3"),
    row("postgres service", {"password": "ORDERS-01234"}, "5ed5a54198e8", "c86117eb7413"),
    row("postgres service", {"password": "orders-01234"}, "5ed5a54198e8", "5f823283ae4f"),
    row("postgres service", {"password": "Orders-abcdef"}, "5ed5a54198e8", "3cf7531804a7"),
    # reverse private endpoints
    row("private DNS", {"description": "d" * 256}, "975165b6c932"),
    row("private DNS", {"type": "GCP_PSC_SERVICE_ATTACHMENT"}, "4fe2e1398212"),
    row("private DNS", {"type": "MSK_MULTI_VPC"}, "e2a7fffb3b23"),
    row("private DNS", {"type": "VPC_RESOURCE"}, "cc830f1bbe88"),
    row(
        "private DNS",
        {
            "type": "MSK_MULTI_VPC",
            "mskClusterArn": "arn:aws:kafka:us-east-1:1:cluster/c",
            "mskAuthentication": "SASL_IAM",
        },
        "897f3c871cf6",
        at="customPrivateDnsMappings",
    ),
    row(
        "private DNS",
        {"customPrivateDnsMappings": [{"privateDnsName": "a.example.com"}, {"privateDnsName": "a.example.com"}]},
        "02ccb5c5cc3a",
    ),
    row("private DNS", {"customPrivateDnsMappings[0].privateDnsName": "kafka.*.com"}, "2883a0cf90d1"),
    row("private DNS", {"customPrivateDnsMappings[0].privateDnsName": "kafka.example.com."}),
    # functions
    row("function", {"arguments[0].name": None, "format": "JSONEachRow"}, "0f10775a25c3"),
    # alerts
    row("alert", {"channel": None, "channels": []}, "88b17558b7d2", at="channels"),
    row(
        "alert",
        {"channel": None, "channels": [{"type": "webhook", "webhookId": CALM}] * 2},
        "88b17558b7d2",
        at="channels",
    ),
    row("alert", {"channel.type": "pager"}, "0c742ca79a0b", "23001ec216ff", at="channel"),
    row("alert", {"thresholdType": "between"}, "6b3a1d8b2848", at="thresholdMax"),
    row("alert", {"thresholdType": "between", "thresholdMax": 4}, "6b3a1d8b2848", at="thresholdMax"),
    row("alert", {"channel": None}, "2c2d184ed709"),
    row("alert", {"channels": [{"type": "webhook", "webhookId": "1" * 24}]}, "07fdb696ba3b", at="channel"),
    # dashboards: tiles of a source or of SQL
    row(
        "tile",
        {"tiles[0].config.displayType": "sideways"},
        "1f7ee2a629f5",
        "d03deff7c889",
        "d647a70de6cf",
        "7138380294ca",
        "5c55bf9496c6",
        "8052fc1ecfc4",
        "c651dd41c3bd",
        "43e1442059f8",
        "f2be3ad76591",
        "32fdfc02877a",
    ),
    row("SQL", {"tiles[0].config.configType": "builder"}, "4f19e4a64e86"),
    row("SQL", {"tiles[0].config.displayType": "heatmap"}, "677e622c8ed8", at="tiles[0].config.configType"),
    row("SQL", {"tiles[0].config.sqlTemplate": None}, "24a9c0a1ea8f"),
    row("tile", {"tiles[0].config.sourceId": None}, "ef08566db917"),
    row("tile", {"tiles[0].config.select": None}, "ef08566db917"),
    row("SQL", {"tiles[0].config.colorRules": [{"operator": "gt", "value": 1, "color": "chart-red"}]}, "539f5caa129d"),
    row("SQL", {"tiles[0].config.backgroundChart": {"type": "area"}}, "a05f090cb72d"),
    row("two values", {"tiles[0].config.displayType": "bar"}, "6b63c01038f8", at="tiles[0].config.select"),
    row("two values", {"tiles[0].config.displayType": "pie"}, "09564d844b0c", at="tiles[0].config.select"),
    row(
        "two values",
        {"tiles[0].config.displayType": "number"},
        "aabca2f6bcad",
        "0c8ecf1926c9",
        at="tiles[0].config.select",
    ),
    row(
        "tile",
        {"tiles[0].config": {"displayType": "heatmap", "sourceId": LOGS, "select": [{"valueExpression": "d"}] * 2}},
        "d7b3e03fd8e4",
        at="tiles[0].config.select",
    ),
    row(
        "tile",
        {"tiles[0].config": {"displayType": "heatmap", "sourceId": LOGS, "select": [{"valueExpression": ""}]}},
        "6e2ca54b7a4e",
        at="tiles[0].config.select",
    ),
    row("tile", {"tiles[0].config.asRatio": True}, "367115438cf4", "bd99d2e3bba4"),
    row(
        "two values",
        {"tiles[0].config.asRatio": True, "tiles[0].config.formulas": [{"expression": "A / B"}]},
        "4d91c509763f",
        at="tiles[0].config.formulas",
    ),
    row("tile", {"tiles[0].config.showOperandSeries": False}, "e8bc230100c0"),
    row("tile", {f"{_FIRST}.aggFn": "quantile"}, "797c60399cb6", at=f"{_FIRST}.level"),
    row("tile", {f"{_FIRST}.level": LEVEL}, "555455d76206", "9c614e7e8348"),
    row(
        "tile",
        {f"{_FIRST}.aggFn": "count"},
        "e2d9cf1542a3",
        "0b31989d0c18",
        "976ff6b9a448",
        at=f"{_FIRST}.valueExpression",
    ),
    row("tile", {f"{_FIRST}.valueExpression": None}, "e2d9cf1542a3", "0b31989d0c18", "976ff6b9a448"),
    row(
        "number",
        {"tiles[0].config.colorRules": [{"operator": "gt", "value": "1", "color": "chart-red"}]},
        "032c9d0361d1",
        at="tiles[0].config.colorRules[0].value",
    ),
    row(
        "number",
        {"tiles[0].config.colorRules": [{"operator": "between", "value": [1.5, "2"], "color": "chart-red"}]},
        "e1194b2e1138",
        at="tiles[0].config.colorRules[0].value",
    ),
    row(
        "number",
        {"tiles[0].config.colorRules": [{"operator": "eq", "value": "v" * 201, "color": "chart-red"}]},
        "475be3c5f53b",
        at="tiles[0].config.colorRules[0].value",
    ),
    row(
        "tile",
        {"tiles[0].config.onClick": {"type": "external", "urlTemplate": "https://e.example.com"}},
        "952d849953c8",
    ),
    row(
        "table",
        {"tiles[0].config.onClick": {"type": "mail"}},
        "33ab9538bf4f",
        "7d5b95c5a10f",
        "8d82dcab559a",
        at="tiles[0].config.onClick.type",
    ),
    row(
        "table",
        {"tiles[0].config.onClick": {"type": "external", "urlTemplate": "ftp://e.example.com"}},
        "302c6e9e2b20",
        "18e08a25be03",
        at="tiles[0].config.onClick.urlTemplate",
    ),
    row(
        "table",
        {
            "tiles[0].config.onClick": {
                "type": "search",
                "target": {"mode": "id", "id": LOGS},
                "filters": [{"kind": "sql", "expression": "a", "template": "b"}],
            }
        },
        "69e31a800977",
        at="tiles[0].config.onClick.filters[0].kind",
    ),
    row("tile", {"tiles[0].tabId": "t"}, "41d1aa0484de"),
    row("filter", {"tiles[0].containerId": "c", "tiles[0].tabId": "t"}, "41d1aa0484de", at="tiles"),
    row("tile", {"tiles[0].asRatio": True}, "6ccc026b67e8"),
    # dashboards: series
    row(
        "series",
        {"tiles[0].series[0].type": "sideways"},
        "c73de8685b44",
        "67eed38642a4",
        "24fb000576f1",
        "8471db652f28",
        "32fdfc02877a",
    ),
    row(
        "series",
        {
            "tiles[0].series": [
                {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []},
                {"type": "markdown", "content": "m"},
            ]
        },
        "3f3fbefb15d0",
    ),
    row("series", {"tiles[0].series[0].aggFn": "sum"}, "a4deddbe9e4b", at="tiles[0].series[0].field"),
    # dashboards: filters
    row("filter", {"filters[0].type": "OTHER"}, "f859c3b689bb"),
    row(
        "filter",
        {
            "filters[0].isBroadcastEnabled": False,
            "filters[0].isVariableEnabled": True,
            "filters[0].appliesToSourceIds": [LOGS],
        },
        "163e64e60b76",
        at="filters[0].appliesToSourceIds",
    ),
    row(
        "filter",
        {"filters[0].isVariableEnabled": True, "filters[0].variableName": "1a"},
        "b5dbed7b88cf",
        at="filters[0].variableName",
    ),
    row(
        "filter",
        {"filters[0].isVariableEnabled": True, "filters[0].name": "-"},
        "3663d9260d31",
        at="filters[0].variableName",
    ),
    row(
        "filter",
        {
            "filters": [
                {
                    "type": "QUERY_EXPRESSION",
                    "name": "S",
                    "expression": each,
                    "sourceId": LOGS,
                    "isVariableEnabled": True,
                }
                for each in "ab"
            ]
        },
        "70f6160cb02d",
    ),
    row("filter", {"filters[0].variableName": "a"}, "9df73b3bc21e"),
    row("filter", {"savedFilterValues[0].type": "lucene"}, "b59064147910"),
    # the rest of the observability server
    row("connection", {"hyperdxSettingPrefix": "team-"}, "05708f80ef1d"),
    row("saved search", {"filters[0].condition": "rand() < 1"}, "50e6252a9cbd", "522a5cc0f9e7", "777bccdc62c9"),
    row(
        "log source", {"kind": "sound"}, "97c7bfac2e24", "2dc78736d47b", "f20c7f6122cd", "e17fcb0c605a", "84e730643cd4"
    ),
    row("log source", {"id": "1" * 24}, "1aebf14c5fed", "c00341d8cb37", "c6df0a48eaed"),
    row(
        "log source",
        {"filterSettings": {"databaseName": "d", "tableName": "t", "columns": ["c"] * 11}},
        "e2f7ec1b87ad",
        at="filterSettings.columns",
    ),
    row(
        "log source",
        {
            "materializedViews": [
                {
                    "databaseName": "d",
                    "tableName": "t",
                    "dimensionColumns": "a",
                    "minGranularity": "1 minute",
                    "timestampColumn": "t",
                    "aggregatedColumns": [],
                }
            ]
        },
        "a7cfe3464e0c",
        at="materializedViews[0].minGranularity",
    ),
    row("metric source", {"metricTables": {}}, "18990513e757"),
    row("promql source", {"timestampValueExpression": None}, "ac42c2354110"),
    row("promql source", {"from": None}, "c6a901aba694"),
    row("promql source", {"from": {"databaseName": "", "tableName": ""}}, "c6a901aba694"),
    row("webhook", {"body": "{}"}, "d759960c7287", "63254fc5537f", "786bc8439ed9"),
    row("webhook", {"headers": {"a": "b"}}, "d759960c7287", "63254fc5537f", "786bc8439ed9"),
    row("webhook", {"queryParams": {"a": "b"}}, "d759960c7287", "63254fc5537f", "786bc8439ed9"),
)
