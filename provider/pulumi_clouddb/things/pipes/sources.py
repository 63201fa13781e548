"""The source of a pipe: an object for each kind, of which one is set; and how two sources are compared.

No update accepts a field that is marked as replacing; an update sends all others that the program sets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from pulumi_clouddb.schema.base import prop, wire_name, wire_names
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.thing import Part
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vendor import only_there

from .databases import USER_IN_URI, BigQuerySource, MongoDbSource, MySqlSource, PostgresSource
from .enums import RegistryType
from .files import ObjectStorageSource
from .shared import Shared
from .streams import KafkaSchemaRegistry, KafkaSource, KinesisSource, PubSubSource


class PipeSource(Shared):
    """The source of a pipe; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream with Kafka's protocol.")
    object_storage: ObjectStorageSource | None = prop("Files in object storage.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    postgres: PostgresSource | None = prop("The change stream of a Postgres database.")
    pubsub: PubSubSource | None = only_there("A topic of Pub/Sub.")
    mysql: MySqlSource | None = only_there("The change stream of a MySQL database.")
    bigquery: BigQuerySource | None = only_there("A data set of BigQuery.")
    mongodb: MongoDbSource | None = only_there("The change stream of a MongoDB database.")


class StreamSource(Part):
    """A stream; one of the variants is set."""

    kafka: KafkaSource | None = prop("A message stream with Kafka's protocol.")
    kinesis: KinesisSource | None = prop("A Kinesis stream.")
    pubsub: PubSubSource | None = prop("A topic of Pub/Sub; servers accept it since autumn 2026.")
    object_storage: ObjectStorageSource | None = prop("Files; servers accept them since autumn 2026.")


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
