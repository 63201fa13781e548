"""Rules over several fields of a pipe."""

from __future__ import annotations

from pulumi_clouddb.schema.check.rules import API, OURS, TF, Rule, rule
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.values import UNKNOWN, UnknownValueError, WireDict
from pulumi_clouddb.schema.vendor import repeated
from pulumi_clouddb.schema.view import is_complete, raw_of

from .credentials import BESIDE, PipeCredentials, accepted_by, groups_of, missing_of, rest_of_groups
from .databases import is_foreign_slot
from .enums import WORKLOAD_IDENTITY, KafkaFormat, RegistryType
from .fields import PipeFields
from .parts import CONCURRENCY, PipeDestination, PipeSize
from .sources import DATABASES, KINDS, PipeSource, StreamSource
from .streams import KafkaSchemaRegistry

NEEDED = property_names(PipeDestination, lambda place: (place.table, place.managed_table, place.columns))
"""The properties that a destination needs unless the source is a database."""

OF_ONE_TABLE = property_names(PipeDestination, lambda place: (place.managed_table, place.table_definition))
"""The properties that a destination does not have if the source is a database."""

OF_STREAMS = property_names(PipeSize, lambda scaling: (scaling.replica_cpu_millicores, scaling.replica_memory_gb))
"""The scaling of a pipe that reads no files."""


def _kinds_of(pipe: PipeFields) -> list[str]:
    source = raw_of(pipe, "source") or {}
    kinds = [kind for kind in KINDS if source.get(kind) is not None]
    if any(source[kind] is UNKNOWN for kind in kinds):
        raise UnknownValueError(("source",))
    return kinds


def _kind_of(pipe: PipeFields) -> str:
    """Return the kind of the source; empty if there is none, or more than one."""
    kinds = _kinds_of(pipe)
    return kinds[0] if len(kinds) == 1 else ""


def _of_no_database(pipe: PipeFields) -> str:
    """Return the kind of the source; empty if it is a database, or not one kind."""
    kind = _kind_of(pipe)
    return "" if kind in DATABASES else kind


def _is_of_database(pipe: PipeFields) -> bool:
    return _kind_of(pipe) in DATABASES


def set_in(model: type[Part], part: Part | None) -> WireDict:
    """Return what a part of a pipe sets, by wire name."""
    found = {wire: getattr(part, attribute) for wire, attribute, _ in fields_of(model)} if part is not None else {}
    return {name: value for name, value in found.items() if value is not None}


def _given(pipe: PipeFields) -> WireDict:
    return set_in(PipeCredentials, pipe.credentials)


def _authentication(pipe: PipeFields, kind: str) -> object:
    return getattr(getattr(pipe.source, KINDS[kind][0]), "authentication", None)


def _one_source(pipe: PipeFields) -> str | None:
    kinds = _kinds_of(pipe)
    return None if len(kinds) == 1 else f", not {' and '.join(kinds) or 'none'}"


def _place(pipe: PipeFields) -> str | None:
    given = set_in(PipeDestination, pipe.destination)
    missing = [name for name in NEEDED if name not in given]
    return f"; missing: {', '.join(missing)}" if missing and _of_no_database(pipe) else None


def _table_of_database(pipe: PipeFields) -> str | None:
    set_ = set_in(PipeDestination, pipe.destination)
    given = [name for name in OF_ONE_TABLE if set_.get(name) not in (None, False)]
    return f": remove {', '.join(given)}" if given and _is_of_database(pipe) else None


def _read_committed(pipe: PipeFields) -> bool:
    is_set = pipe.settings is not None and pipe.settings.kafka_read_committed is not None
    return is_set and _kinds_of(pipe) not in ([], ["kafka"])


def _credentials(pipe: PipeFields) -> str | None:
    if not (kind := _kind_of(pipe)):
        return None
    takes = accepted_by(kind)
    others = [name for name in _given(pipe) if name not in takes]
    return f"; {kind} accepts {', '.join(takes)}, not {', '.join(others)}" if others else None


def _halves(pipe: PipeFields) -> str | None:
    if not (kind := _kind_of(pipe)):
        return None
    missing = rest_of_groups(kind, _authentication(pipe, kind), _given(pipe))
    return f"; missing: {', '.join(missing)}" if missing else None


def _foreign_credentials(pipe: PipeFields) -> str | None:
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


def _needless(pipe: PipeFields) -> str | None:
    if not (kind := _kind_of(pipe)) or _authentication(pipe, kind) != WORKLOAD_IDENTITY:
        return None
    given = [name for name in _given(pipe) if name not in BESIDE.get(kind, ())]
    return f"; not {', '.join(given)}" if given else None


def lacking_credentials(pipe: PipeFields) -> str:
    """Return in words the credentials of the source that a new pipe lacks; empty if it has them."""
    kind = _kind_of(pipe)
    return missing_of(kind, _authentication(pipe, kind), _given(pipe)) if kind else ""


def _registry_of(source: PipeSource | StreamSource | None) -> KafkaSchemaRegistry | None:
    kafka = source.kafka if source is not None else None
    return kafka.schema_registry if kafka is not None else None


def _credentials_of_glue(pipe: PipeFields) -> bool:
    if pipe.credentials is None or pipe.credentials.schema_registry is None:
        return False
    registry = _registry_of(pipe.source)
    return registry is not None and registry.type == RegistryType.GLUE


def lacks_registry_credentials(source: PipeSource | StreamSource | None, credentials: PipeCredentials | None) -> bool:
    """Return whether a source has a schema registry without its credentials, which it needs unless a role reads it."""
    registry = _registry_of(source)
    if registry is None or registry.type not in (None, RegistryType.CONFLUENT):
        return False
    return credentials is None or credentials.schema_registry is None


def _needs_schema(pipe: PipeFields) -> bool | None:
    """Return whether a stream needs a schema beside it; None for another source."""
    stream = (pipe.source.kafka or pipe.source.kinesis) if pipe.source is not None else None
    return None if stream is None else stream.format == KafkaFormat.PROTOBUF and stream.schema_registry is None


def _has_schema(pipe: PipeFields) -> bool:
    return pipe.credentials is not None and pipe.credentials.protobuf_schema is not None


def _unmapped_names(pipe: PipeFields) -> tuple[set[str | None], set[str | None]]:
    """Return the mapped fields that are no columns of the destination, and the columns that no field is mapped to."""
    columns = (pipe.destination.columns if pipe.destination is not None else None) or []
    if not columns or not pipe.field_mappings or not is_complete(columns):
        return set(), set()
    names, mapped = {each.name for each in columns}, {each.destination_field for each in pipe.field_mappings}
    return mapped - names, names - mapped


def _mapped_elsewhere(pipe: PipeFields) -> str | None:
    others, _ = _unmapped_names(pipe)
    return f", not {', '.join(sorted(map(repr, others)))}" if others else None


def _unmapped(pipe: PipeFields) -> str | None:
    others, missing = _unmapped_names(pipe)
    if others or not missing or not is_complete(pipe.field_mappings):  # of others, there is a warning already
        return None
    return f"; missing: {', '.join(sorted(map(str, missing)))}"


def has_foreign_slot(pipe: PipeFields) -> bool:
    """Return whether a source has a replication slot that its mode does not use."""
    postgres = pipe.source.postgres if pipe.source is not None else None
    return postgres is not None and postgres.settings is not None and is_foreign_slot(postgres.settings)


def foreign_sizes(kind: str) -> tuple[str, ...]:
    """Return what does not scale a pipe of a kind, although servers return it; a database does not scale by itself."""
    return OF_STREAMS if kind == "objectStorage" else (CONCURRENCY,)


def _scaled_otherwise(pipe: PipeFields) -> str | None:
    kind, given = _of_no_database(pipe), set_in(PipeSize, pipe.scaling)
    others = [name for name in foreign_sizes(kind) if name in given]
    return f"; {kind} has no {', '.join(others)}" if kind and others else None


_OF_SCHEMAS = API("ClickPipePostKafkaSource.protobufSchema", refuses=False)
"""Requests have the schema in the source, where the sandbox looks for it."""

RULES: tuple[Rule[PipeFields], ...] = (
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
