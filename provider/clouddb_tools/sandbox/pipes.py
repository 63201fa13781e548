"""Pipes: their states, changes and scaling, and sample sources of each kind."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel

from pulumi_clouddb.schema.base import Model, extras_of, names_with, prop, wire_names
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.things.pipes.api import Pipes
from pulumi_clouddb.things.pipes.changes import START_PAUSED, keys_of
from pulumi_clouddb.things.pipes.credentials import SERVICE_ACCOUNT, missing_of
from pulumi_clouddb.things.pipes.databases import USER_IN_URI
from pulumi_clouddb.things.pipes.discovery import DISCOVER_PIPE_SCHEMA
from pulumi_clouddb.things.pipes.enums import WORKLOAD_IDENTITY, KafkaFormat
from pulumi_clouddb.things.pipes.parts import PipeSettings, ScalingFields
from pulumi_clouddb.things.pipes.pipe import FAILED, Pipe, Status
from pulumi_clouddb.things.pipes.scaling import PIPE_SCALING
from pulumi_clouddb.things.pipes.sources import DATABASES, KINDS, MAPPINGS, SCHEMA_REGISTRY, URI, same_registry
from pulumi_clouddb.things.services.enums import Status as ServiceStatus

from . import pipe_cdc_scalings
from .bodies import checked, part_of
from .faults import FaultKind
from .lifecycle import SERVICES, begin
from .responses import HTTPError, bad_request, not_found
from .served import Served
from .state import Call, SandboxState
from .store import Document

_MONGODB = {
    "syncIntervalSeconds": 60,
    "pullBatchSize": 100_000,
    "snapshotNumRowsPerPartition": 100_000,
    "snapshotNumberOfParallelTables": 1,
}
"""Defaults of the settings that every record of a MongoDB pipe has, with the description's examples as values.

The vendor's Terraform provider expects them from the server (clickpipe.go: `Computed`), and fails without them.
"""

_SIZE = {"replicas": 1, "concurrency": 1, "replicaCpuMillicores": 250, "replicaMemoryGb": 1}

STREAM = ("replicas", "replicaCpuMillicores", "replicaMemoryGb")
SCALED_BY: Mapping[str, tuple[str, ...]] = {
    "kafka": STREAM,
    "kinesis": STREAM,
    "pubsub": STREAM,
    "objectStorage": ("concurrency",),
}
"""The fields that scale each kind of pipe. Database pipes share one scaling, `pipe_cdc_scalings`."""


IN_KEYS = {"pubsub": "serviceAccountKey", "bigquery": "credentials"}
"""The property with the key of a service account, which workload identity excludes, and other creates need."""

IN_CREATES = {kind: (*wire_names(KINDS[kind][1]), name) for kind, name in IN_KEYS.items() if KINDS[kind][1]}
IN_UPDATES = {"pubsub": ("authentication", "ackDeadline", "serviceAccountKey")}
"""The properties of the sources that refuse others."""

OF_ONE_KIND = names_with(PipeSettings, "only")
"""Settings that a pipe of another kind refuses."""

RESYNCED = ("postgres", "mysql")
"""The kinds of pipes that support `resync`."""

NOT_RUNNING = (
    ServiceStatus.IDLE,
    ServiceStatus.STOPPED,
    ServiceStatus.STOPPING,
    ServiceStatus.PROVISIONING,
    ServiceStatus.STARTING,
    ServiceStatus.AWAKING,
)
"""States of a service in which it accepts no pipe operations."""


class Command(str, Enum):
    """Command that changes the state of a pipe."""

    START = "start"
    STOP = "stop"
    RESYNC = "resync"


class StateCommand(Model):
    """Body of the command operation."""

    command: Command = prop("`start`, `stop` or `resync`.", required=True)


class ServedPipes(Served):
    """The pipes of a service."""

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create a pipe; its credentials are not stored, so responses never contain them."""
        parent = self.parent(state, call)
        body = _without_nulls(self._neutral_body(state, call))
        fields = self.checked(state, self.body or Model, body)
        ((kind, source),) = fields["source"].items()
        _refuse_foreign(kind, body["source"][kind], IN_CREATES)
        _refuse_without_credentials(kind, body["source"][kind])
        _refuse_slot(body["source"][kind].get("settings") or {})
        _refuse_schema(kind, body["source"][kind])
        _refuse_registry(body["source"][kind].get(SCHEMA_REGISTRY) or {})
        require_running(state, parent, "creation")
        fields["destination"].pop("roles", None)
        paused = fields.pop(START_PAUSED, False)
        _store_as_shown(source)
        document = self.add(state, parent, {"fieldMappings": [], **fields, "kind": kind})
        if kind == "kafka":
            source.setdefault("consumerGroup", f"clickpipes-{document['id']}")
        if kind == "mongodb":
            source["settings"] = {**_MONGODB, **source["settings"]}
        document |= {"settings": fields.get("settings", {}), "scaling": {**_SIZE, **fields.get("scaling", {})}}
        fails = state.faults.consume("create_pipe", (FaultKind.FAILED,), state.clock.now(), fields)
        outcome = Status.FAILED if fails else Status.RUNNING
        outcome = Status.STOPPED if paused and not fails else outcome
        begin(
            state, document, Status.STOPPED if paused else Status.PROVISIONING, outcome, state.latency.start, self.kind
        )
        return document

    def update(self, state: SandboxState, call: Call) -> Document:
        """Change the fields that an update accepts; all others are ignored."""
        document = self.get(state, call)
        body = self._neutral_body(state, call)
        merged: Document = {
            name: document[name] if body.get(name) is None else body[name] for name in ("name", "fieldMappings")
        }
        columns = (body.get("destination") or {}).get("columns") or document["destination"].get("columns")
        merged["destination"] = {**document["destination"], **({"columns": columns} if columns else {})}
        merged["settings"] = _with_settings(document["settings"], body.get("settings") or {})
        ((kind, source),) = document["source"].items()
        if change := (body.get("source") or {}).get(kind):
            _refuse_foreign(kind, change, IN_UPDATES)
            if kind in DATABASES and document["state"] not in (Status.STOPPED, Status.PAUSED, *FAILED):
                raise bad_request(f"{kind.capitalize()} ClickPipe must be paused to edit")
            source = _changed(KINDS[kind][1], source, change)
            _store_as_shown(source)
        merged["source"] = {kind: source}
        require_running(state, document["serviceId"], "change")
        self.checked(state, self.body or Model, _without_nulls(merged))
        changed = {**document, **merged, "updatedAt": state.clock.stamp()}
        state.store.put(self.kind, document["id"], changed)
        return changed

    def get_context(self, state: SandboxState, call: Call) -> Document:
        """Read the identity of the pipes at Google Cloud, which services in that cloud have."""
        service = state.store.get(SERVICES, self.parent(state, call)) or {}
        supported = service.get("provider") == "gcp"
        created = parse_timestamp(service["createdAt"]).timestamp() if supported else 0.0
        ready = supported and state.clock.now() >= created + state.latency.identity
        principal = f"pipes-{str(service.get('id'))[:8]}@sandbox.iam.gserviceaccount.com" if ready else None
        return {"gcpWorkloadIdentity": {"supported": supported, "ready": ready, "principal": principal}}

    def discover(self, state: SandboxState, call: Call) -> Document:
        """Infer the schema of a stream; the sandbox returns the same fields for all."""
        self.parent(state, call)
        self.checked(state, part_of(DISCOVER_PIPE_SCHEMA.inputs, ("source",)), _without_nulls(call.body))
        fields = [("id", "String", False), ("at", "DateTime64(3)", True)]
        return {"fields": [dict(zip(("name", "type", "optional"), each, strict=True)) for each in fields], "meta": None}

    def _neutral_body(self, state: SandboxState, call: Call, record: str = "Pipe") -> Document:
        """Return the body of a request in the neutral dialect."""
        body = state.dialect.from_server(record, call.body)
        return body if isinstance(body, dict) else {}

    def command(self, state: SandboxState, call: Call) -> Document:
        """Start, stop or resync a pipe."""
        document = self.get(state, call)
        command = Command(checked(StateCommand, call.body)["command"])
        if command is Command.STOP:
            begin(state, document, Status.STOPPING, Status.STOPPED, state.latency.stop, self.kind)
            return document
        if command is Command.RESYNC:
            if not {*document["source"]} & {*RESYNCED}:
                raise bad_request(f"only pipes of {' and '.join(RESYNCED)} can be resynced")
        elif document["state"] not in (Status.STOPPED, Status.PAUSED, Status.STOPPING, *FAILED):
            raise bad_request(f"{document['id']} ClickPipe is already running")
        require_running(state, document["serviceId"], "start")
        through = "Resync" if command is Command.RESYNC else Status.PROVISIONING
        begin(state, document, through, Status.RUNNING, state.latency.start, self.kind)
        return document

    def get_settings(self, state: SandboxState, call: Call) -> Document:
        """Read the settings, for which other clients use this operation."""
        return self._settings_of(state, self.get(state, call))

    def set_settings(self, state: SandboxState, call: Call) -> Document:
        """Change settings; null restores the server's default."""
        document, body = self.get(state, call), self._neutral_body(state, call, "Settings")
        checked(part_of(self.body or Model, ("settings",)), {"settings": _without_nulls(body)}, context=state.context)
        changed = {**document, "settings": _with_settings(document["settings"], body)}
        state.store.put(self.kind, document["id"], changed)
        return self._settings_of(state, changed)

    def _settings_of(self, state: SandboxState, document: Document) -> Document:
        settings: Document = state.dialect.to_server("Settings", document["settings"])
        return settings

    def scale(self, state: SandboxState, call: Call) -> Document:
        """Change the scaling; null and omitted fields stay unchanged."""
        document = self.get(state, call)
        names = wire_names(ScalingFields)
        model = _scaling_body(PIPE_SCALING.inputs_in(state.settings.vocabulary))
        body = checked(model, call.body, nullable=names, context=state.context)
        given = {name: value for name, value in body.items() if value is not None}
        kind = next(iter(document["source"]))
        for name in given:
            if name not in SCALED_BY.get(kind, ()):
                raise bad_request(f"request body.{name}: does not scale a pipe from {kind}")
        changed = {**document, "scaling": {**document["scaling"], **given}, "updatedAt": state.clock.stamp()}
        state.store.put(self.kind, document["id"], changed)
        return changed

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a pipe of the kind `kind` to a service; the other fields override the defaults of the record."""
        sources = state.settings.of_dialect(SOURCES, VENDOR_SOURCES)
        kind = fields.pop("kind", "kafka")
        if kind not in sources:
            raise bad_request(f"kind must be one of {', '.join(sources)}, not {kind!r}")
        if state.store.get(SERVICES, parent) is None:
            raise not_found("Service")
        if kind in DATABASES and state.settings.is_clickhouse:
            pipe_cdc_scalings.SERVED.add(state, parent, {})
        usual = {
            "serviceId": parent,
            "name": kind,
            "state": "Running",
            "scaling": _SIZE,
            "source": {kind: sources[kind]},
            "destination": state.settings.of_dialect(DESTINATION, VENDOR_DESTINATION),
            "fieldMappings": [{"sourceField": "id", "destinationField": "id"}],
            "settings": _all_settings(),
        }
        return super().add(state, parent, {**usual, **fields})

    def remove(self, state: SandboxState, id_: str) -> None:
        """Remove a pipe, and with the last database pipe of a service their shared scaling."""
        document = state.store.get(self.kind, id_) or {}
        super().remove(state, id_)
        service = document.get("serviceId", "")
        if not any({*each["source"]} & {*DATABASES} for each in state.store.all(self.kind, service)):
            pipe_cdc_scalings.SERVED.remove(state, service)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the record; with the setting `quantities`, replica sizes are texts such as `250m`."""
        if not state.settings.quantities:
            return document
        scaling = document["scaling"]
        cpu, memory = f"{scaling['replicaCpuMillicores']}m", f"{scaling['replicaMemoryGb'] * 1024:g}Mi"
        return {**document, "scaling": {**scaling, "replicaCpuMillicores": cpu, "replicaMemoryGb": memory}}


SERVED = ServedPipes(Pipes, body_of(Pipe))


def require_running(state: SandboxState, service_id: str, what: str) -> None:
    """Refuse a pipe operation unless the service is running."""
    now = (state.store.get(SERVICES, service_id) or {}).get("state")
    if now in NOT_RUNNING:
        text = f"ClickPipe {what} is allowed only when the ClickHouse service is running. "
        raise HTTPError(424, f"{text}Current state: {now}")


def _refuse_foreign(kind: str, part: Document, accepted: Mapping[str, Collection[str]]) -> None:
    """Refuse properties that a strict source does not have, and credentials that do not fit its authentication."""
    if foreign := [name for name in part if name not in accepted.get(kind, part)]:
        names = ", ".join(map(repr, foreign))
        raise bad_request(f"request body.source.{kind}: Unrecognized key(s) in object: {names}")
    keys = IN_KEYS.get(kind, "")
    if part.get("authentication") == WORKLOAD_IDENTITY and keys in part:
        raise bad_request(f"request body.source.{kind}.{keys}: must not be provided with {WORKLOAD_IDENTITY}")


def _refuse_without_credentials(kind: str, part: Document) -> None:
    """Refuse the source of a new pipe without the credentials of its authentication."""
    given = {*part, *(part.get("credentials") or {}), *(part.get("accessKey") or {})}
    if IN_KEYS.get(kind) in part:
        given.update(SERVICE_ACCOUNT)
    if missing := missing_of(kind, part.get("authentication"), given):
        raise bad_request(f"request body.source.{kind}: authentication requires {missing}")


def _refuse_slot(settings: Document) -> None:
    """Refuse a replication slot of a new pipe whose mode does not use it."""
    if settings.get("replicationSlotName") and settings.get("replicationMode") != "cdc_only":
        raise bad_request("request body.source.postgres.settings.replicationSlotName: is for replicationMode cdc_only")


def _store_as_shown(source: Document) -> None:
    """Mask the address of MongoDB, and leave out the default type of a registry."""
    if isinstance(source.get(URI), str):
        source[URI] = USER_IN_URI.sub(r"\1[REDACTED]:[REDACTED]@", source[URI])
    if registry := source.get(SCHEMA_REGISTRY):
        source[SCHEMA_REGISTRY] = same_registry(registry)


def _refuse_schema(kind: str, part: Document) -> None:
    """Refuse a Protobuf source without a schema, a second schema, and one for another format."""
    given = "protobufSchema" in part
    if kind not in ("kafka", "kinesis") or not (given or part["format"] == KafkaFormat.PROTOBUF):
        return
    if part["format"] != KafkaFormat.PROTOBUF or given is bool(part.get(SCHEMA_REGISTRY)):
        raise bad_request(f"request body.source.{kind}: format Protobuf needs protobufSchema or schemaRegistry")


def _refuse_registry(registry: Document) -> None:
    """Refuse a schema registry of type `confluent` without its credentials."""
    if "url" in registry and "credentials" not in registry:
        raise bad_request("request body.source.kafka.schemaRegistry.credentials: Required")


def _with_settings(settings: Document, change: Document) -> Document:
    """Return settings after a change; null restores the server's default.

    Records omit defaults: the official Terraform provider considers every setting in a record as set by someone, and
    its next plan would remove it.
    """
    changed: Document = _without_nulls({**settings, **change})
    return changed


def _without_nulls(value: Any) -> Any:
    """Return a body without nulls, which count as omitted."""
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _changed(model: type[BaseModel] | None, source: Document, change: Document) -> Document:
    """Return a source after an update, which can change some properties, and adds and removes table mappings."""
    changed = dict(source)
    for wire, attribute, nested in fields_of(model) if model else ():
        if wire == MAPPINGS and nested:
            names = keys_of(nested)
            gone = [[each.get(name) for name in names] for each in change.get(f"{MAPPINGS}ToRemove") or ()]
            kept = [each for each in source.get(wire, ()) if [each.get(name) for name in names] not in gone]
            changed[wire] = kept + (change.get(f"{MAPPINGS}ToAdd") or [])
        elif wire in change and not extras_of(model, attribute).get("replaces"):  # type: ignore[arg-type]
            inner = isinstance(change[wire], dict)
            changed[wire] = _changed(nested, source.get(wire, {}), change[wire]) if inner else change[wire]
    cleaned: Document = _without_nulls(changed)
    return cleaned


@functools.cache
def _scaling_body(model: type[Model]) -> type[Model]:
    return part_of(model, wire_names(ScalingFields))


def _all_settings() -> dict[str, Any]:
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
    return {name: usual.get(name, False) for name in wire_names(PipeSettings) if name not in OF_ONE_KIND}


# -- sample sources and destinations, in the neutral dialect and with the vendor's additional fields -------------------

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
        "tombstoneMode": None,
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
        "schemaRegistry": None,
    },
    "pubsub": {
        "format": "JSONEachRow",
        "projectId": "shop-events",
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
        "tableMappings": [
            {**_MAPPED, "sourceSchemaName": "shop", "sourceTable": "orders", "partitionKey": "", "partitionByExpr": ""}
        ],
    },
    "bigquery": {
        "authentication": "SERVICE_ACCOUNT",
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
            "initialLoadParallelism": 4,
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
