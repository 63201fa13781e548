"""An ingestion pipe: its source, destination, scaling and state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Final

from pulumi_clouddb.schema.base import (
    Answer,
    Compare,
    FilledText,
    Flag,
    JsonObject,
    Model,
    Record,
    Text,
    Uuid,
    prop,
    wire_name,
    wire_names,
)
from pulumi_clouddb.schema.check.rules import API, OURS, TF, Rule, rule
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.thing import Part, Thing, answered, asked, body_of, hidden, inputs_of, option
from pulumi_clouddb.schema.values import UNKNOWN, UnknownValueError, WireDict, WireValues
from pulumi_clouddb.schema.vendor import repeated
from pulumi_clouddb.schema.view import is_complete, raw_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .credentials import BESIDE, PipeCredentials, accepted_by, groups_of, missing_of, rest_of_groups
from .databases import USER_IN_URI, MongoDbSource, PostgresSource, is_foreign_slot
from .enums import WORKLOAD_IDENTITY, KafkaFormat, RegistryType
from .files import ObjectStorageSource
from .parts import CONCURRENCY, FieldMapping, PipeDestination, PipeSettings, PipeSize
from .sources import PipeSource
from .streams import KafkaSchemaRegistry, KafkaSource, KinesisSource, PubSubSource


class Status:
    """The states that begin or end something; servers may report others."""

    PROVISIONING: Final = "Provisioning"
    RUNNING: Final = "Running"
    STOPPING: Final = "Stopping"
    STOPPED: Final = "Stopped"
    PAUSED: Final = "Paused"
    FAILED: Final = "Failed"
    COMPLETED: Final = "Completed"


FAILED: Final = frozenset({Status.FAILED, "InternalError"})
STOPS: Final = frozenset({Status.STOPPING, "Pausing"})
STOPPED: Final = frozenset({Status.STOPPED, Status.PAUSED}) | STOPS
RUNNING: Final = frozenset({Status.RUNNING, "Degraded", "Snapshot", "Resync", Status.COMPLETED})
PENDING: Final = frozenset({Status.PROVISIONING, "Setup", "Modifying"})
STILL: Final = frozenset({Status.STOPPED, Status.PAUSED, Status.COMPLETED}) | FAILED
"""The final states of a pipe that is being stopped."""

KINDS = {wire: (attribute, model) for wire, attribute, model in fields_of(PipeSource) if model}
"""The attribute and the model of each kind of source, by its wire name."""

MAPPINGS = property_name(PostgresSource, lambda source: source.table_mappings)
DATABASES = tuple(kind for kind, (_, model) in KINDS.items() if MAPPINGS in wire_names(model))
"""The kinds that read tables of a database: these name their destinations, and scale together."""

CONNECTION_STRING = property_name(ObjectStorageSource, lambda source: source.connection_string)
URI = property_name(MongoDbSource, lambda source: source.uri)
"""The properties of a source in which a server may return credentials."""

SCHEMA_REGISTRY = property_name(KafkaSource, lambda source: source.schema_registry)
REGISTRY_TYPE = property_name(KafkaSchemaRegistry, lambda registry: registry.type)

DATABASE = property_name(PipeDestination, lambda place: place.database)
NEEDED = property_names(PipeDestination, lambda place: (place.table, place.managed_table, place.columns))
"""The properties that a destination needs unless the source is a database."""

OF_ONE_TABLE = property_names(PipeDestination, lambda place: (place.managed_table, place.table_definition))
"""The properties that a destination does not have if the source is a database."""

OF_STREAMS = property_names(PipeSize, lambda scaling: (scaling.replica_cpu_millicores, scaling.replica_memory_gb))
"""The scaling of a pipe that reads no files."""


def kind_of(source: object) -> str:
    """Return the kind of a source, by wire name; empty if there is none, or more than one."""
    given = [kind for kind in KINDS if source.get(kind) is not None] if isinstance(source, Mapping) else []
    return given[0] if len(given) == 1 else ""


def without_credentials(source: WireValues) -> WireDict:
    """Return a source as a server reports it, without credentials and empty properties."""
    kind = kind_of(source)
    part = {name: value for name, value in without_empty(source.get(kind) or {}).items() if name != CONNECTION_STRING}
    if URI in part:
        part[URI] = without_user(part[URI])
    return {kind: part} if kind else {}


def without_user(uri: object) -> object:
    """Return an address without user name and password, or their mask."""
    return USER_IN_URI.sub(r"\1", uri) if isinstance(uri, str) else uri


def _kinds_of(pipe: Pipe) -> list[str]:
    source = raw_of(pipe, "source") or {}
    kinds = [kind for kind in KINDS if source.get(kind) is not None]
    if any(source[kind] is UNKNOWN for kind in kinds):
        raise UnknownValueError(("source",))
    return kinds


def _kind_of(pipe: Pipe) -> str:
    """Return the kind of the source; empty if there is none, or more than one."""
    kinds = _kinds_of(pipe)
    return kinds[0] if len(kinds) == 1 else ""


def _of_no_database(pipe: Pipe) -> str:
    """Return the kind of the source; empty if it is a database, or not one kind."""
    kind = _kind_of(pipe)
    return "" if kind in DATABASES else kind


def _is_of_database(pipe: Pipe) -> bool:
    return _kind_of(pipe) in DATABASES


def _set_in(model: type[Part], part: Part | None) -> WireDict:
    found = {wire: getattr(part, attribute) for wire, attribute, _ in fields_of(model)} if part is not None else {}
    return {name: value for name, value in found.items() if value is not None}


def _given(pipe: Pipe) -> WireDict:
    return _set_in(PipeCredentials, pipe.credentials)


def _authentication(pipe: Pipe, kind: str) -> object:
    return getattr(getattr(pipe.source, KINDS[kind][0]), "authentication", None)


def _one_source(pipe: Pipe) -> str | None:
    kinds = _kinds_of(pipe)
    return None if len(kinds) == 1 else f", not {' and '.join(kinds) or 'none'}"


def _place(pipe: Pipe) -> str | None:
    given = _set_in(PipeDestination, pipe.destination)
    missing = [name for name in NEEDED if name not in given]
    return f"; missing: {', '.join(missing)}" if missing and _of_no_database(pipe) else None


def _table_of_database(pipe: Pipe) -> str | None:
    set_ = _set_in(PipeDestination, pipe.destination)
    given = [name for name in OF_ONE_TABLE if set_.get(name) not in (None, False)]
    return f": remove {', '.join(given)}" if given and _is_of_database(pipe) else None


def _read_committed(pipe: Pipe) -> bool:
    is_set = pipe.settings is not None and pipe.settings.kafka_read_committed is not None
    return is_set and _kinds_of(pipe) not in ([], ["kafka"])


def _credentials(pipe: Pipe) -> str | None:
    if not (kind := _kind_of(pipe)):
        return None
    takes = accepted_by(kind)
    others = [name for name in _given(pipe) if name not in takes]
    return f"; {kind} accepts {', '.join(takes)}, not {', '.join(others)}" if others else None


def _halves(pipe: Pipe) -> str | None:
    if not (kind := _kind_of(pipe)):
        return None
    missing = rest_of_groups(kind, _authentication(pipe, kind), _given(pipe))
    return f"; missing: {', '.join(missing)}" if missing else None


def _foreign_credentials(pipe: Pipe) -> str | None:
    if not (kind := _kind_of(pipe)):
        return None
    authentication = _authentication(pipe, kind)
    groups = groups_of(kind, authentication)
    takes = [*dict.fromkeys(name for group in groups or () for name in group)]
    foreign = [name for name in _given(pipe) if name not in (*takes, *BESIDE.get(kind, ()))]
    if groups is None or not foreign:
        return None
    if authentication is None:
        return f": set source.{kind}.authentication"
    return f"; {authentication} accepts {', '.join(takes) or 'none'}, not {', '.join(foreign)}"


def _needless(pipe: Pipe) -> str | None:
    if not (kind := _kind_of(pipe)) or _authentication(pipe, kind) != WORKLOAD_IDENTITY:
        return None
    given = [name for name in _given(pipe) if name not in BESIDE.get(kind, ())]
    return f"; not {', '.join(given)}" if given else None


def lacking_credentials(pipe: Pipe) -> str:
    """Return in words the credentials of the source that a new pipe lacks; empty if it has them."""
    kind = _kind_of(pipe)
    return missing_of(kind, _authentication(pipe, kind), _given(pipe)) if kind else ""


def _registry_of(pipe: Pipe | DiscoverPipeSchema) -> KafkaSchemaRegistry | None:
    kafka = pipe.source.kafka if pipe.source is not None else None
    return kafka.schema_registry if kafka is not None else None


def _credentials_of_glue(pipe: Pipe) -> bool:
    if pipe.credentials is None or pipe.credentials.schema_registry is None:
        return False
    registry = _registry_of(pipe)
    return registry is not None and registry.type == RegistryType.GLUE


def lacks_registry_credentials(pipe: Pipe | DiscoverPipeSchema) -> bool:
    """Return whether a source has a schema registry without its credentials, which it needs unless a role reads it."""
    registry = _registry_of(pipe)
    if registry is None or registry.type not in (None, RegistryType.CONFLUENT):
        return False
    return pipe.credentials is None or pipe.credentials.schema_registry is None


def _needs_schema(pipe: Pipe) -> bool | None:
    """Return whether a stream needs a schema beside it; None for another source."""
    stream = (pipe.source.kafka or pipe.source.kinesis) if pipe.source is not None else None
    return None if stream is None else stream.format == KafkaFormat.PROTOBUF and stream.schema_registry is None


def _has_schema(pipe: Pipe) -> bool:
    return pipe.credentials is not None and pipe.credentials.protobuf_schema is not None


def _unmapped_names(pipe: Pipe) -> tuple[set[str | None], set[str | None]]:
    """Return the mapped fields that are no columns of the destination, and the columns that no field is mapped to."""
    columns = (pipe.destination.columns if pipe.destination is not None else None) or []
    if not columns or not pipe.field_mappings or not is_complete(columns):
        return set(), set()
    names, mapped = {each.name for each in columns}, {each.destination_field for each in pipe.field_mappings}
    return mapped - names, names - mapped


def _mapped_elsewhere(pipe: Pipe) -> str | None:
    others, _ = _unmapped_names(pipe)
    return f", not {', '.join(sorted(map(repr, others)))}" if others else None


def _unmapped(pipe: Pipe) -> str | None:
    others, missing = _unmapped_names(pipe)
    if others or not missing or not is_complete(pipe.field_mappings):  # of others, there is a warning already
        return None
    return f"; missing: {', '.join(sorted(map(str, missing)))}"


def has_foreign_slot(pipe: Pipe) -> bool:
    """Return whether a source has a replication slot that its mode does not use."""
    postgres = pipe.source.postgres if pipe.source is not None else None
    return postgres is not None and postgres.settings is not None and is_foreign_slot(postgres.settings)


def foreign_sizes(kind: str) -> tuple[str, ...]:
    """Return what does not scale a pipe of a kind, although servers return it; a database does not scale by itself."""
    return OF_STREAMS if kind == "objectStorage" else (CONCURRENCY,)


def _scaled_otherwise(pipe: Pipe) -> str | None:
    kind, given = _of_no_database(pipe), _set_in(PipeSize, pipe.scaling)
    others = [name for name in foreign_sizes(kind) if name in given]
    return f"; {kind} has no {', '.join(others)}" if kind and others else None


def same_source(source: object) -> object:
    """Return a source without empty properties, and with sorted table mappings."""
    kind = kind_of(source)
    if not kind or not isinstance(source, Mapping) or not isinstance(source[kind], Mapping):
        return source
    part = without_empty(source[kind])
    if URI in part:
        part[URI] = without_user(part[URI])
    if SCHEMA_REGISTRY in part:
        part[SCHEMA_REGISTRY] = same_registry(part[SCHEMA_REGISTRY])
    if isinstance(part.get(MAPPINGS), list):
        part[MAPPINGS] = sorted(part[MAPPINGS], key=partial(json.dumps, sort_keys=True))
    return {kind: part}


def same_registry(registry: object) -> object:
    """Return a schema registry without the default type, which responses omit.

    Source: ClickPipeKafkaSchemaRegistry of the vendor's Terraform provider (clickpipe_models.go).
    """
    if not isinstance(registry, Mapping) or registry.get(REGISTRY_TYPE) != RegistryType.CONFLUENT:
        return registry
    return {name: value for name, value in registry.items() if name != REGISTRY_TYPE}


def without_empty(value: Any) -> Any:
    """Return a value without null and empty properties: some servers return them, some do not."""
    if isinstance(value, Mapping):
        return {name: without_empty(item) for name, item in value.items() if item not in (None, "", [])}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def identity_of_source(source: object) -> object:
    """Return the kind of a source with its required texts and numbers, which distinguish a pipe from others."""
    kind = kind_of(source)
    if not kind or not isinstance(source, Mapping):
        return None
    model = KINDS[kind][1]
    names = [wire_name(model, name) for name, info in model.model_fields.items() if info.is_required()]
    # Pulumi carries numbers as floats: a port of 5432 may be 5432.0 on one side.
    return [kind, *(source[kind].get(name) for name in names if isinstance(source[kind].get(name), (str, int, float)))]


_OF_SCHEMAS = API("ClickPipePostKafkaSource.protobufSchema", refuses=False)
"""Requests have the schema in the source, where the sandbox looks for it."""


class Pipe(Provisioned):
    """An ingestion pipe of a service."""

    RULES: ClassVar[tuple[Rule[Pipe], ...]] = (
        rule(
            lambda pipe: pipe.source,
            f"must have exactly one of {', '.join(KINDS)}",
            _one_source,
            given=lambda pipe: pipe.source,
            source=API("ClickPipePostSource"),
        ),
        rule(
            lambda pipe: pipe.destination,
            "needs table, managedTable and columns, unless the source is a database",
            _place,
            given=lambda pipe: pipe.destination,
            source=API("ClickPipeMutateDestination"),
        ),
        rule(
            lambda pipe: pipe.credentials,
            "must be those that its source accepts",
            _credentials,
            source=API("ClickPipePostKafkaSource.credentials"),
        ),
        rule(
            lambda pipe: pipe.credentials,
            "must be complete",
            _halves,
            source=API("ClickPipePostKafkaSource.credentials"),
        ),
        rule(
            lambda pipe: pipe.scaling,
            "is not for databases: these scale together, for a whole service, as a PipeCdcScaling",
            _is_of_database,
            given=lambda pipe: pipe.scaling,
            source=API("ClickPipeScaling"),
        ),
        rule(
            lambda pipe: pipe.credentials,
            f"must have none of the source with {WORKLOAD_IDENTITY}",
            _needless,
            source=API("ClickPipeMutateBigQuerySource"),
        ),
        rule(
            lambda pipe: pipe.settings,
            "must have no kafka_read_committed, unless the source is Kafka",
            _read_committed,
            given=lambda pipe: pipe.settings,
            source=API("ClickPipeSettings.kafka_read_committed"),
        ),
        rule(
            lambda pipe: pipe.credentials,
            "must have no schemaRegistry for one of type `glue`, which is read with a role",
            _credentials_of_glue,
            source=API("ClickPipeMutateKafkaSchemaRegistry"),
        ),
        rule(
            lambda pipe: pipe.start_paused,
            "is not for databases, not even false",
            _is_of_database,
            given=lambda pipe: pipe.start_paused,
            source=API("ClickPipePostRequest.startPaused"),
        ),
        rule(
            lambda pipe: pipe.credentials,
            "must have protobufSchema only for a source of format Protobuf without schemaRegistry",
            lambda pipe: _has_schema(pipe) and _needs_schema(pipe) is False,
            source=_OF_SCHEMAS,
        ),
        rule(
            lambda pipe: pipe.field_mappings,
            "should name columns of the destination",
            _mapped_elsewhere,
            warns=True,
            source=OURS,
        ),
        rule(
            lambda pipe: pipe.field_mappings,
            "should name all columns of the destination",
            _unmapped,
            warns=True,
            source=API("ClickPipePostRequest.fieldMappings"),
        ),
        rule(
            lambda pipe: pipe.field_mappings,
            "should have each destinationField once",
            lambda pipe: repeated(each.destination_field for each in pipe.field_mappings or ()),
            warns=True,
            source=OURS,
        ),
        rule(
            lambda pipe: pipe.credentials,
            "should be those of its authentication",
            _foreign_credentials,
            warns=True,
            source=API("ClickPipePostKafkaSource.credentials"),
        ),
        rule(
            lambda pipe: pipe.scaling,
            "should have concurrency for files only, and replicaCpuMillicores and replicaMemoryGb for streams only",
            _scaled_otherwise,
            warns=True,
            source=API("ClickPipeScaling"),
        ),
        rule(
            lambda pipe: pipe.destination,
            "has no managedTable and tableDefinition for a database, whose tables are in tableMappings",
            _table_of_database,
            warns=True,
            source=TF("clickpipe.go"),
        ),
        rule(
            lambda pipe: pipe.source,
            "of format Protobuf needs schemaRegistry, or protobufSchema in `credentials`",
            lambda pipe: _needs_schema(pipe) and not _has_schema(pipe),
            source=_OF_SCHEMAS,
        ),
        rule(
            lambda pipe: pipe.start_paused,
            "must not be true for a pipe that is to run: remove it, or stopped",
            lambda pipe: pipe.start_paused is True and pipe.stopped is False,
            source=OURS,
        ),
    )
    READY = "the pipe runs, or is deleted"
    UNREADY = "Why the pipe is not ready; absent once it is."

    id: Text | None = answered("Id (UUID) of the pipe.")
    service_id: Uuid | None = prop(
        "Id of the service that the pipe writes into.",
        required=True,
        replaces=True,
        provider_only=True,
        answer=Answer("Id (UUID) of the service that owns it."),
    )
    name: FilledText | None = prop("Name of the pipe.", required=True, max_length=255)
    state: Text | None = answered("State as the server names it; its values are not fixed.")
    scaling: PipeSize | None = prop("Scaling of the pipe.", compare=Compare(evidence=lambda _: None, open_objects=True))
    source: PipeSource | None = prop(
        "Source. A change that cannot be made in place needs `allowReplacement`.",
        required=True,
        compare=Compare(same_source, evidence=identity_of_source, open_objects=True),
        answer=Answer("Source."),
    )
    destination: PipeDestination | None = prop(
        "Destination. A change of anything but the columns needs `allowReplacement`.",
        required=True,
        compare=Compare(
            without_empty,
            evidence=lambda place: place.get(DATABASE) if isinstance(place, Mapping) else None,
            open_objects=True,
        ),
        answer=Answer("Destination."),
    )
    field_mappings: list[FieldMapping] | None = prop(
        "Fields of the source with their columns.", taken_out="they are cleared", compare=Compare(as_set)
    )
    settings: PipeSettings | None = prop(
        "Settings.",
        taken_out="they get the server's defaults",
        compare=Compare(evidence=lambda _: None, open_objects=True),
    )
    created_at: Text | None = answered("When it was created.")
    updated_at: Text | None = answered("When it was changed last.")
    credentials: PipeCredentials | None = asked(
        "Credentials for the source, which a new pipe needs if its authentication does. No server returns them, so an "
        "import lacks them, and a change by somebody else is not detected.",
        secret=True,
    )
    start_paused: Flag | None = asked(
        "Whether it is created in the state `Stopped`, so that it reads nothing before somebody starts it. With "
        "`stopped`, it stays so; without, anybody may start it. To start it by the program, set `stopped` to false, "
        "and remove this. Not for databases.",
        unset=False,
        taken_out="nothing changes: only a create reads it",
    )
    stopped: Flag | None = asked("Whether it is stopped; by default a new pipe runs.", later=True, unset=False)
    allow_replacement: Flag | None = option(
        "Whether a change that cannot be made in place may delete the pipe and create another, which reads from its "
        "start again. Otherwise the preview refuses such a change.",
        unset=False,
    )
    start_failed: Flag | None = hidden(
        "Whether the last request to start it failed.", "__startFailed", formerly="the request to start it failed: "
    )


AT_ONCE = wire_names(body_of(Pipe))
"""The properties that a create accepts."""

PIPE = ResourceType(
    Pipe,
    "An ingestion pipe: it loads a stream (Kafka, Kinesis, Pub/Sub), files of a bucket (S3, GCS, Azure) or a database "
    "(Postgres, MySQL, MongoDB, BigQuery) into a service. A create waits until it runs; an update changes it in place "
    "where the API allows it, and starts it again if it failed.",
    required_outputs=("serviceId", "name", "source", "destination"),
    import_id="SERVICE_ID/PIPE_ID",
    only=CLICKHOUSE,
)


class StreamSource(Part):
    """A stream; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream with Kafka's protocol.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    pubsub: PubSubSource | None = prop("A topic of Pub/Sub; servers accept it since autumn 2026.")
    object_storage: ObjectStorageSource | None = prop("Files; servers accept them since autumn 2026.")


def _not_one(stream: DiscoverPipeSchema) -> bool:
    source = stream.source
    if source is None:
        return False
    given = [each for each in (source.kafka, source.kinesis, source.pubsub, source.object_storage) if each is not None]
    return len(given) != 1


class DiscoverPipeSchema(Thing):
    """Arguments of discoverPipeSchema (OpenAPI: `ClickPipeSchemaDiscoveryRequest`)."""

    RULES: ClassVar[tuple[Rule[DiscoverPipeSchema], ...]] = (
        rule(
            lambda stream: stream.source,
            "must have exactly one of kafka, kinesis, pubsub, objectStorage",
            _not_one,
            source=API("ClickPipeSchemaDiscoverySource"),
        ),
        rule(
            lambda stream: stream.credentials,
            "must have schemaRegistry for one of type `confluent`",
            lacks_registry_credentials,
            source=API("ClickPipeMutateKafkaSchemaRegistry"),
        ),
    )

    service_id: Uuid | None = prop("Id of the service that a pipe would write into.", required=True, provider_only=True)
    source: StreamSource | None = prop("The stream, in the form of a pipe's source.", required=True)
    credentials: PipeCredentials | None = asked("Credentials for the stream.", secret=True)


class PipeSchemaField(Record):
    """A field of a stream."""

    name: Text | None = prop("Name of the field.")
    type: Text | None = prop("Type of a column for the field.")
    optional: Flag | None = prop("Whether messages may lack it.")


class PipeSchema(Record):
    """Answer of discoverPipeSchema."""

    fields_: list[PipeSchemaField] | None = prop("The fields.")
    meta: JsonObject | None = prop("Other properties of the stream.")


DISCOVER_PIPE_SCHEMA = FunctionType(
    "discoverPipeSchema",
    "Infers the fields of a stream or of files and their types, without a pipe; the server reads some of the data.",
    inputs_of(DiscoverPipeSchema),
    PipeSchema,
)


class GcpWorkloadIdentity(Record):
    """The identity of the pipes of a service at Google Cloud."""

    supported: Flag | None = prop("Whether the service can have one.")
    ready: Flag | None = prop("Whether it exists; soon after the create of a service it may not exist yet.")
    principal: Text | None = prop("Service account to which the source grants access before a pipe is created.")


class GetPipeServiceContextArgs(Model):
    """Arguments of getPipeServiceContext."""

    service_id: Uuid = prop("Id of the service.", required=True)
    wait_for_identity: Flag | None = prop(
        "Whether to wait up to 30 seconds for an identity that is supported and does not exist yet, which is so just "
        "after the create of a service.",
        unset=True,
    )


class PipeServiceContext(Record):
    """Answer of getPipeServiceContext."""

    gcp_workload_identity: GcpWorkloadIdentity | None = prop("Identity of the pipes at Google Cloud.")


GET_PIPE_SERVICE_CONTEXT = FunctionType(
    "getPipeServiceContext",
    "Reads what the pipes of a service are for others, such as the account to which a source grants access.",
    GetPipeServiceContextArgs,
    PipeServiceContext,
)
