"""The limits of inputs, as they are declared here and as they are described, and why they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.annotations import shape_of
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.check.within import Typed, Within
from pulumi_clouddb.schema.check.wording import limits_in
from pulumi_clouddb.schema.choice import ClosedChoice
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .facts import Facts, Schema
from .shapes import types_of

Limits = dict[str, Any]
"""A tree of limits: at `HERE` the values of each keyword, and the limits of each property by its name.

The limits of a list are beside those of its elements.
"""

HERE = ""
MEMBER = "member"
"""The keyword of the values of a closed list."""
MODULE = "module"
"""The keyword of the modules with the classes of an object."""

NUMBERS = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
TEXT = {"min_length": "minLength", "max_length": "maxLength"}
LENGTHS = {
    list: {"min_length": "minItems", "max_length": "maxItems"},
    dict: {"min_length": "minProperties", "max_length": "maxProperties"},
}
"""The keyword of each limit here; lengths are those of a text, or of one of these types."""
COMPARED = frozenset(word for words in (NUMBERS, TEXT, *LENGTHS.values()) for word in words.values())


def described_limits(facts: Facts, schema: Schema) -> Limits:
    """Return the limits of a described value."""
    return joined(_of_type(facts, each) for each in types_of(facts, schema))


def _of_type(facts: Facts, type_: Schema) -> Limits:
    found: Limits = {HERE: {word: frozenset({float(type_[word])}) for word in COMPARED & type_.keys()}}
    if type_.get("type") == "integer" and "exclusiveMinimum" in found[HERE]:
        (above,) = found[HERE].pop("exclusiveMinimum")
        found[HERE]["minimum"] = frozenset({above + 1})
    found |= {name: described_limits(facts, each) for name, each in type_.get("properties", {}).items()}
    return joined([found, described_limits(facts, type_["items"])]) if "items" in type_ else found


@cache
def declared_limits(operation: Operation) -> Limits:
    """Return the limits of the inputs of the resources that have an operation, in the vendor's words."""
    inputs = (
        each.type.inputs_in(CLICKHOUSE)
        for each in RESOURCES.values()
        if each.type.only in (None, CLICKHOUSE) and operation in each.collection.operations()
    )
    return dict(DIALECTS[CLICKHOUSE].to_server(operation.record, joined(map(_of_class, inputs))))


def _of_field(annotation: Any, metadata: Iterable[Any] = ()) -> Limits:
    shape = shape_of(annotation)
    metadata = [*_unpacked(metadata), *_unpacked(shape.metadata)]
    of_dialect = [each for each in metadata if isinstance(each, Within)]
    words = NUMBERS | LENGTHS.get(shape.kind, TEXT)
    found = [_in_words(limits, words) for limits in (limits_in(metadata), *(each.limits for each in of_dialect))]
    found += [_in_words(each.each, NUMBERS | TEXT) for each in of_dialect]
    models = (each.model for each in metadata if isinstance(each, Typed))
    found += [_of_class(each) for each in (shape.kind, *models, *(each.values for each in of_dialect))]
    return joined([*found, *(_of_field(each) for each in shape.inner if shape.kind is not dict)])


def _unpacked(metadata: Iterable[Any]) -> Iterator[Any]:
    """Yield metadata, also those in a `Field` of `Annotated`."""
    for each in metadata:
        yield from each.metadata if isinstance(each, FieldInfo) else (each,)


def _in_words(limits: Mapping[str, Any], words: Mapping[str, str]) -> Limits:
    """Return limits such as `ge` by the keywords of JSON Schema."""
    return {HERE: {words[name]: frozenset({float(limit)}) for name, limit in limits.items() if name in words}}


def _of_class(kind: Any) -> Limits:
    """Return the limits of the fields of a model, or the values of a closed list; empty for others."""
    if not isinstance(kind, type):
        return {HERE: {}}
    if issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        properties = {wire_name(kind, name): _of_field(each.annotation, each.metadata) for name, each in fields}
        return {HERE: {MODULE: frozenset({kind.__module__})}, **properties}
    return {HERE: {MEMBER: frozenset(each.value for each in kind)} if issubclass(kind, ClosedChoice) else {}}


def joined(trees: Iterable[Limits]) -> Limits:
    """Return all limits of several trees."""
    found: Limits = {HERE: {}}
    for tree in trees:
        for word, values in tree[HERE].items():
            found[HERE][word] = found[HERE].get(word, frozenset()) | values
        for name in tree.keys() - {HERE}:
            found[name] = joined([found[name], tree[name]]) if name in found else tree[name]
    return found


def at(limits: Limits, names: Iterable[str]) -> Mapping[str, frozenset[Any]]:
    """Return the limits in a place; empty if it is not declared."""
    for name in names:
        limits = limits.get(name, {HERE: {}})
    return dict(limits[HERE])


def in_form(limits: Limits, names: tuple[str, ...]) -> Mapping[str, frozenset[Any]]:
    """Return the limits in a place of a body."""
    return at(_form(limits, names), names)


def _form(limits: Limits, names: tuple[str, ...]) -> Limits:
    """Return the limits of a body, which can be that of one property of the inputs only."""
    within = [each for name, each in limits.items() if name != HERE and names and names[0] in each]
    return joined(within) if within and names[0] not in limits else limits


def modules_of(limits: Limits, names: tuple[str, ...]) -> frozenset[str]:
    """Return the modules with the classes of the innermost declared object that a place of a body is in."""
    within = _form(limits, names)
    while len(names) > 1 and MODULE in within.get(names[0], {HERE: {}})[HERE]:
        within, names = within[names[0]], names[1:]
    return frozenset(within[HERE].get(MODULE, ()))


def differences(declared: Limits, described: Limits, path: str = "") -> Iterator[str]:
    """Yield the path and the keyword of each limit that is declared otherwise than it is described."""
    properties = declared.keys() & described.keys() - {HERE}
    if len(declared) > 1 and len(described) > 1 and not properties:
        return  # another form of the value, such as the changes of a list
    for word in COMPARED:
        if declared[HERE].get(word) != described[HERE].get(word):
            yield f"{path} {word}"
    for name in properties:
        yield from differences(declared[name], described[name], f"{path}.{name}".lstrip("."))


_SERVER = "the server 2.36.0 has it (utils/zod.ts, and types.ts of common-utils)"
_RULE = "a rule checks it: it depends on the kind"
_FILLED = "a text that must not be empty has more than blanks, too"
_INTERFACE = "the interface has it"
_NO_ROLE = "somebody without a role can do nothing"
_OBJECT = "empty objects are for services that have none: programs leave it out"
_32_BITS = "every client accepts a signed integer of 32 bits"

OTHERWISE: Mapping[str, Mapping[str, str]] = {
    "Alert": {
        **dict.fromkeys(("message maxLength", "name maxLength", "scheduleOffsetMinutes maximum"), _SERVER),
        "note minLength": _FILLED,
        **dict.fromkeys(
            (
                *(f"chartConfig.colorRules.value {limit}" for limit in ("maxItems", "maxLength", "minItems")),
                *("chartConfig.formulas maxItems", "chartConfig.select maxItems", "chartConfig.select minItems"),
            ),
            "the cloud has no alerts with charts",
        ),
    },
    "ApiKey": {"name minLength": _INTERFACE, "roles minItems": "its text has it"},
    "ByocInfrastructure": dict.fromkeys(("privateSubnetIds minItems", "publicSubnetIds maxItems"), "its text has it"),
    "Dashboard": {
        **dict.fromkeys(
            (
                "savedFilterValues.condition maxLength",
                "tiles.config.onClick.filters maxItems",
                "tiles.config.onClick.filters.expression maxLength",
                "tiles.config.onClick.filters.template maxLength",
                "tiles.config.onClick.target.template maxLength",
                "tiles.config.onClick.urlTemplate maxLength",
                "tiles.config.onClick.whereTemplate maxLength",
            ),
            _SERVER,
        ),
        **dict.fromkeys(
            (
                "tiles.config.colorRules.value maxItems",
                "tiles.config.colorRules.value maxLength",
                "tiles.config.colorRules.value minItems",
                "tiles.config.formulas maxItems",
                "tiles.config.select maxItems",
                "tiles.config.select maxLength",
                "tiles.config.select minItems",
            ),
            _RULE,
        ),
        **dict.fromkeys(
            (
                "tiles.config.onClick.target.template minLength",
                "tiles.config.onClick.urlTemplate minLength",
                "tiles.config.select.valueExpression minLength",
            ),
            _FILLED,
        ),
    },
    "Invitation": {"assignedRoleIds minItems": _NO_ROLE},
    "Member": {"assignedRoleIds minItems": _NO_ROLE},
    "Pipe": {
        "name maxLength": "is assumed: no source has a limit",
        "destination.tableDefinition.ttl minLength": _FILLED,
        **dict.fromkeys(("scaling.concurrency maximum", "scaling.concurrency minimum"), _INTERFACE),
        **dict.fromkeys(
            (
                "source.bigquery.settings.initialLoadParallelism minimum",
                "source.bigquery.settings.snapshotNumRowsPerPartition minimum",
                "source.bigquery.settings.snapshotNumberOfParallelTables minimum",
            ),
            "is that of the other databases, and of the vendor's Terraform provider",
        ),
    },
    "PipeSshKey": dict.fromkeys(("port maximum", "port minimum"), "is that of TCP"),
    "PostgresService": dict.fromkeys(("pgBouncerConfig minProperties", "pgConfig minProperties"), _OBJECT),
    "QueryApiEndpoint": dict.fromkeys(("name minLength", "roles minLength"), _FILLED),
    "Role": {"policies.tags.grants minItems": "programs leave it out"},
    "SavedQuery": {"name minLength": _FILLED},
    "Service": {"idleTimeoutMinutes minimum": "its text has it"},
    "Source": dict.fromkeys(
        ("filterSettings.columns maxItems", "materializedViews.aggregatedColumns minItems", "querySettings maxItems"),
        _SERVER,
    ),
    "UdfAttachment": {"version maximum": _32_BITS},
    "UserDefinedFunction": dict.fromkeys(
        (
            "commandReadTimeout maximum",
            "commandWriteTimeout maximum",
            "maxCommandExecutionTime maximum",
            "poolSize maximum",
        ),
        _32_BITS,
    ),
    "Webhook": dict.fromkeys(("headers maxProperties", "queryParams maxProperties"), "a rule checks it"),
}
"""Limits that are declared otherwise than they are described, by the first resource of a collection, and why."""
