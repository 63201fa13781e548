"""What the servers' interface says of every field, written down apart from the models so that a lost one is noticed.

Each table belongs to a place in schema.json: `Service.in` are the inputs of a resource, `Service.out` its outputs,
`getPipe.out` the answer of a function; what follows leads into objects, and `[]` into the items of a list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Field:
    """One field.

    Attributes:
        kind: Its type: `uuid` and `timestamp` are texts, `[]` marks a list.
        limits: The numbers that bound it, each of which its description must name.
        says: Words that its description must hold.
        words: The values of an enum.
        deprecated: Whether it is accepted but not to be used.
        secret: Whether it holds a credential.
    """

    kind: str
    limits: tuple[float, ...] = ()
    says: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    deprecated: bool = False
    secret: bool = False


Fields = dict[str, Field]

TEXT, TEXTS = Field("string"), Field("string[]")
NUMBER, INTEGER, FLAG = Field("number"), Field("integer"), Field("boolean")
UUID, TIMESTAMP = Field("uuid"), Field("timestamp")
OBJECT, OBJECTS = Field("object"), Field("object[]")


def number(*limits: float, says: str = "", deprecated: bool = False) -> Field:
    """Return a number with limits."""
    return Field("number", limits, tuple(says.split()), deprecated=deprecated)


def enum(words: str, says: str = "", deprecated: bool = False) -> Field:
    """Return an enum whose values stand in one text."""
    return Field("enum", says=tuple(says.split()), words=tuple(words.split()), deprecated=deprecated)


def each(kind: str, names: str) -> Fields:
    """Return fields of one type whose names stand in one text."""
    return {name: Field(kind) for name in names.split()}


ROLES = ("admin", "developer", "query_endpoints")

REGIONS = (
    "ap-northeast-1 ap-south-1 ap-southeast-1 ap-southeast-2 eu-central-1 eu-west-1 eu-west-2 me-central-1 us-east-1 "
    "us-east-2 us-west-2 us-east1 us-central1 europe-west4 asia-southeast1 eastus eastus2 westus3 germanywestcentral"
)
TIERS = (
    "development production dedicated_high_mem dedicated_high_cpu dedicated_standard "
    "dedicated_standard_n2d_standard_4 dedicated_standard_n2d_standard_8 dedicated_standard_n2d_standard_32 "
    "dedicated_standard_n2d_standard_128 dedicated_standard_n2d_standard_32_16SSD "
    "dedicated_standard_n2d_standard_64_24SSD"
)
PROFILES = (
    "v1-default v1-highmem-xs v1-highmem-s v1-highmem-m v1-highmem-l v1-highmem-xl "
    "v1-highcpu-s v1-highcpu-m v1-highcpu-l v1-highcpu-xl"
)

SERVICE_REQUEST: Fields = {
    "name": Field("string", (50,), ("letters", "digits", "spaces")),
    "provider": enum("aws gcp azure"),
    "region": enum(REGIONS),
    "tier": enum(TIERS, says="production development azure", deprecated=True),
    "ipAccessList": OBJECTS,
    "minTotalMemoryGb": number(24, 1068, 12, says="GB three production", deprecated=True),
    "maxTotalMemoryGb": number(24, 1068, 12, 360, says="GB three production", deprecated=True),
    "minReplicaMemoryGb": number(8, 356, 4, says="GB"),
    "maxReplicaMemoryGb": number(8, 356, 4, 120, says="GB hardware region"),
    "numReplicas": number(1, 20, 2, 3, says="first warehouse BASIC SCALE ENTERPRISE"),
    "idleScaling": Field("boolean", says=("true",)),
    "idleTimeoutMinutes": number(5, says="minutes"),
    "isReadonly": Field("boolean", says=("dataWarehouseId",)),
    "dataWarehouseId": TEXT,
    "backupId": Field("uuid", says=("region", "tier")),
    "encryptionKey": Field("string", secret=True),
    "encryptionAssumedRoleIdentifier": TEXT,
    "privateEndpointIds": Field("string[]", deprecated=True),
    "privatePreviewTermsChecked": Field("boolean", says=("first", "preview")),
    "releaseChannel": enum("slow default fast", says="production"),
    "byocId": Field("string", (48, 116, 172, 232), ("minReplicaMemoryGb", "maxReplicaMemoryGb")),
    "hasTransparentDataEncryption": Field("boolean", says=("ENTERPRISE", "creation")),
    "endpoints": OBJECTS,
    "profile": enum(PROFILES, says="ENTERPRISE"),
    "complianceType": enum("hipaa pci"),
}

SERVICE_RECORD: Fields = {
    "id": UUID,
    "createdAt": TIMESTAMP,
    "encryptionKey": Field("string", secret=True),
    "endpoints": OBJECTS,
    "ipAccessList": OBJECTS,
    **each("string", "name engineVersion encryptionAssumedRoleIdentifier iamRole dataWarehouseId byocId"),
    **each("string", "transparentDataEncryptionKeyId encryptionRoleId"),
    **each("number", "minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb"),
    **each("number", "numReplicas idleTimeoutMinutes"),
    **each("boolean", "idleScaling isPrimary isReadonly hasTransparentDataEncryption"),
    **each("string[]", "privateEndpointIds availablePrivateEndpointIds"),
}

DEPRECATED_OUTPUTS: Fields = {
    name: replace(SERVICE_RECORD[name], deprecated=True)
    for name in ("minTotalMemoryGb", "maxTotalMemoryGb", "privateEndpointIds")
}
"""The outputs of a resource that are inputs as well are marked as those are."""

ADDRESS: Fields = each("string", "source description")
ENDPOINT: Fields = {**each("string", "protocol host username"), "port": NUMBER}

PIPE: Fields = {
    "id": UUID,
    "serviceId": UUID,
    **each("string", "name state createdAt updatedAt"),
    **each("object", "scaling source destination settings"),
    "fieldMappings": OBJECTS,
}

PIPE_PARTS: dict[str, Fields] = {
    "scaling": {**each("integer", "replicas concurrency replicaCpuMillicores"), "replicaMemoryGb": NUMBER},
    "source": each("object", "kafka objectStorage kinesis postgres"),
    "source.kafka": {
        **each("string", "brokers topics consumerGroup iamRole caCertificate"),
        **each("object", "offset schemaRegistry"),
        "reversePrivateEndpointIds": TEXTS,
    },
    "source.kafka.offset": {"timestamp": TEXT},
    "source.kafka.schemaRegistry": {
        "authentication": Field("string", says=("PLAIN",)),
        **each("string", "url caCertificate"),
    },
    "source.objectStorage": {
        "url": Field("string", says=("wildcards",)),
        "compression": Field("string", says=("auto",)),
        "isContinuous": FLAG,
        "connectionString": Field("string", secret=True),
        **each("string", "delimiter queueUrl iamRole path azureContainerName"),
    },
    "source.kinesis": {
        **each("string", "streamName region iamRole"),
        "useEnhancedFanOut": FLAG,
        "timestamp": number(1970, says="seconds"),
    },
    "source.postgres": {
        **each("string", "host database"),
        "port": NUMBER,
        "settings": OBJECT,
        "tableMappings": OBJECTS,
    },
    "source.postgres.settings": {
        **each("number", "syncIntervalSeconds pullBatchSize initialLoadParallelism"),
        **each("number", "snapshotNumRowsPerPartition snapshotNumberOfParallelTables"),
        **each("string", "publicationName replicationSlotName"),
        **each("boolean", "allowNullableColumns enableFailoverSlots"),
    },
    "source.postgres.tableMappings[]": {
        **each("string", "sourceSchemaName sourceTable targetTable"),
        **each("string[]", "excludedColumns sortingKeys"),
        "useCustomSortingKey": FLAG,
    },
    "destination": {
        **each("string", "database table"),
        "managedTable": FLAG,
        "tableDefinition": OBJECT,
        "columns": OBJECTS,
    },
    "destination.tableDefinition": {
        "engine": OBJECT,
        "sortingKey": TEXTS,
        **each("string", "partitionBy primaryKey"),
    },
    "destination.tableDefinition.engine": {"versionColumnId": TEXT, "columnIds": TEXTS},
    "destination.columns[]": each("string", "name type"),
    "fieldMappings[]": each("string", "sourceField destinationField"),
    "settings": {
        **each("number", "streaming_max_insert_wait_ms object_storage_concurrency object_storage_polling_interval_ms"),
        **each("number", "object_storage_max_insert_bytes object_storage_max_file_count engine_max_threads"),
        **each("number", "engine_max_insert_threads engine_min_insert_block_size_bytes engine_max_download_threads"),
        **each("number", "engine_parallel_distributed_insert_select"),
        **each("boolean", "object_storage_use_cluster_function engine_parallel_view_processing"),
    },
}

SCALING_REQUEST: Fields = {
    "serviceId": UUID,
    "pipeId": UUID,
    "replicas": Field("integer", (1, 10), ("stream",)),
    "concurrency": Field("integer", (0, 34), ("object-storage",)),
    "replicaCpuMillicores": Field("integer", (125, 2000), ("millicores", "stream")),
    "replicaMemoryGb": number(0.5, 8, says="GB stream"),
}

KEY_REQUEST: Fields = {
    "keyId": UUID,
    "name": TEXT,
    "expireAt": Field("timestamp", says=("empty", "never")),
    "ipAccessList": OBJECTS,
    "roles": Field("enum[]", (1,), words=ROLES),
    "state": enum("enabled disabled"),
}

KEY_RECORD: Fields = {
    "id": UUID,
    **each("string", "name keySuffix"),
    **each("timestamp", "createdAt expireAt usedAt"),
    "ipAccessList": OBJECTS,
    "roles": Field("enum[]", words=ROLES),
}

ALERT_REQUEST: Fields = {
    "interval": Field("string", says=("unit", "`5m`", "`1h`")),
    "source": Field("string", says=("tile",)),
    "thresholdType": Field("string", says=("above",)),
    **each("string", "dashboardId tileId name message"),
    "threshold": NUMBER,
    "channel": OBJECT,
}

ALERT_RECORD: Fields = {
    "state": Field("string", says=("active", "inactive")),
    "threshold": NUMBER,
    "channel": OBJECT,
    **each("string", "id name message interval thresholdType source team tileId dashboard"),
    **each("timestamp", "createdAt updatedAt"),
}

CHANNEL: Fields = {"type": Field("string", says=("webhook",)), "webhookId": TEXT}

DASHBOARD: Fields = {**each("string", "id name"), "tags": TEXTS, "tiles": OBJECTS}
TILE: Fields = {**each("string", "id name"), "asRatio": FLAG, **each("number", "x y w h"), "series": OBJECTS}
SERIES: Fields = {
    **each("string", "aggFn sourceId where dataSource field metricDataType metricName type whereLanguage"),
    "groupBy": TEXTS,
}

INTERFACE: dict[str, Fields] = {
    "config": {"organizationId": UUID},
    "Service.in": SERVICE_REQUEST,
    "Service.in.ipAccessList[]": ADDRESS,
    "Service.in.endpoints[]": {"protocol": Field("string", says=("mysql",)), "enabled": FLAG},
    "Service.out": {**SERVICE_RECORD, **DEPRECATED_OUTPUTS, "password": Field("string", secret=True)},
    "Service.out.ipAccessList[]": ADDRESS,
    "Service.out.endpoints[]": ENDPOINT,
    "getService.out": SERVICE_RECORD,
    "getService.out.ipAccessList[]": ADDRESS,
    "getService.out.endpoints[]": ENDPOINT,
    "listServices.out.services[]": SERVICE_RECORD,
    "getPipe.in": {"serviceId": UUID, "pipeId": UUID},
    "getPipe.out": PIPE,
    **{f"getPipe.out.{place}": fields for place, fields in PIPE_PARTS.items()},
    "listPipes.out.pipes[]": PIPE,
    "PipeScaling.in": SCALING_REQUEST,
    "PipeScaling.out.effectiveScaling": PIPE_PARTS["scaling"],
    "ApiKey.in": KEY_REQUEST,
    "ApiKey.in.ipAccessList[]": ADDRESS,
    "ApiKey.out": KEY_RECORD,
    "ApiKey.out.ipAccessList[]": ADDRESS,
    "Alert.in": {"serviceId": UUID, **ALERT_REQUEST},
    "Alert.in.channel": CHANNEL,
    "Alert.out": ALERT_RECORD,
    "Alert.out.channel": CHANNEL,
    "getAlert.in": {"serviceId": UUID},
    "getAlert.out": ALERT_RECORD,
    "getAlert.out.channel": CHANNEL,
    "listAlerts.out.alerts[]": ALERT_RECORD,
    "Dashboard.in": {"serviceId": UUID, **DASHBOARD},
    "Dashboard.in.tiles[]": TILE,
    "Dashboard.in.tiles[].series[]": SERIES,
    "getDashboard.out": DASHBOARD,
    "getDashboard.out.tiles[]": TILE,
    "getDashboard.out.tiles[].series[]": SERIES,
    "listDashboards.out.dashboards[]": DASHBOARD,
    "listDashboards.out.dashboards[].tiles[]": TILE,
    "listSources.in": {"serviceId": UUID},
}
"""Every request and every record of the interface, by its place in schema.json."""

ELSEWHERE: dict[tuple[str, str], str] = {
    ("Service.out", "id"): "Pulumi itself gives a resource its id",
    ("ApiKey.out", "id"): "Pulumi itself gives a resource its id",
    ("Alert.out", "id"): "alertId, since the alert outlives its id when its tile is made anew",
    ("Dashboard.in", "id"): "the server gives it, and Pulumi keeps it as the resource's id",
    ("Dashboard.in.tiles[]", "id"): "the server gives it; the output tileIds has it by the tile's key",
}
"""Fields that are not at their place, and where they are instead."""

BEYOND: dict[str, str] = {
    "state": "servers report it of services and keys, where the interface shows none",
    "enabled": "an endpoint that is off is told beside those that are served",
    "config": "the form of a tile that newer servers speak",
    "accessKeyId": "answered when a key is made, which the interface does not show",
    "keySecret": "answered when a key is made, which the interface does not show",
    "alertId": "the id of an alert, see above",
}
"""Fields of the servers' that the interface does not list, and why they are here."""

WHOLE = {"minTotalMemoryGb", "maxTotalMemoryGb", "minReplicaMemoryGb", "maxReplicaMemoryGb", "numReplicas", "port"}
"""Numbers that are integers here: multiples, counts and ports cannot be anything else."""
