"""The body of an update of a pipe, and the changes that no update accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from pulumi_clouddb.schema.base import extras, extras_of, wire_name
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireDict, WireValues, contains_unknown

from .credentials import SCHEMA, in_source
from .parts import PipeDestination, PipeSettings
from .pipe import Pipe
from .sources import KINDS, MAPPINGS, SCHEMA_REGISTRY, URI, kind_of, same_registry, without_empty, without_user

NAME = property_name(Pipe, lambda pipe: pipe.name)
SOURCE = property_name(Pipe, lambda pipe: pipe.source)
DESTINATION = property_name(Pipe, lambda pipe: pipe.destination)
FIELD_MAPPINGS = property_name(Pipe, lambda pipe: pipe.field_mappings)
SETTINGS = property_name(Pipe, lambda pipe: pipe.settings)
CREDENTIALS = property_name(Pipe, lambda pipe: pipe.credentials)
START_PAUSED = property_name(Pipe, lambda pipe: pipe.start_paused)
COLUMNS = property_name(PipeDestination, lambda place: place.columns)
OF_UPDATE = (NAME, SOURCE, DESTINATION, FIELD_MAPPINGS, SETTINGS, CREDENTIALS)
"""The properties of one update; scaling and state have operations of their own."""


ALWAYS = ("pubsub",)
"""The kinds whose every update must have the credentials."""

NEVER = ("bigquery",)
"""The kinds whose source no update accepts."""


def fixed_changes(old: WireValues, new: WireValues, *, unknown: bool) -> list[str]:
    """Return the paths of the changes of inputs that no update accepts; a value not known yet is one if `unknown`."""
    before, after = kind_of(old.get(SOURCE)), kind_of(new.get(SOURCE))
    if before and after and before != after:
        return [f"{SOURCE}.{after}"]
    paused, now_paused = old.get(START_PAUSED), new.get(START_PAUSED)
    found = [START_PAUSED] if None not in (paused, now_paused) and paused is not now_paused else []
    for name in (SOURCE, DESTINATION, CREDENTIALS):
        found += _fixed_within(_model(name), old.get(name), new.get(name), name, unknown)
    registry = (old[SOURCE].get(after) or {}).get(SCHEMA_REGISTRY) if after and before else None
    return [*found, *_fixed_credentials(after, registry, old.get(CREDENTIALS), new.get(CREDENTIALS), unknown)]


def _fixed_credentials(kind: str | None, registry: object, old: Any, new: Any, unknown: bool) -> Iterator[str]:
    """Yield the paths of the credentials that no update accepts; an import has none."""
    if registry is not None and not old and not {*SCHEMA}.isdisjoint(new or {}):
        yield f"{CREDENTIALS}.{SCHEMA[0]}"
    if kind in NEVER and old and _differ(old, new, unknown):
        yield CREDENTIALS


def _model(name: str) -> type[BaseModel]:
    return next(model for wire, _, model in fields_of(Pipe) if wire == name and model)


def _fixed_within(model: type[BaseModel], old: object, new: object, path: str, unknown: bool) -> Iterator[str]:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return
    for wire, attribute, nested in fields_of(model):
        place = f"{path}.{wire}"
        if new.get(wire) is None:  # a property that the program no longer sets stays as it is
            continue
        extras = extras_of(model, attribute)
        if extras.get("replaces"):
            default = next(iter(extras.get("unset") or ()), None)  # an import leaves it out
            if _differ(same_registry(old.get(wire, default)), same_registry(new[wire]), unknown):
                yield place
        elif wire == MAPPINGS and nested:
            yield from _fixed_of_mappings(nested, old.get(wire), new[wire], place, unknown)
        elif nested:
            yield from _fixed_within(nested, old.get(wire), new[wire], place, unknown)


def _fixed_of_mappings(model: type[BaseModel], old: object, new: object, path: str, unknown: bool) -> Iterator[str]:
    """Yield the paths of the changes of tables that are mapped before and now: only their creation reads these."""
    names = keys_of(model)
    before = [each for each in old if isinstance(each, Mapping)] if isinstance(old, list) else []
    for index, mapping in enumerate(new if isinstance(new, list) else ()):
        if isinstance(mapping, Mapping):
            same = [each for each in before if all(each.get(name) == mapping.get(name) for name in names)]
            yield from _fixed_within(model, next(iter(same), None), mapping, f"{path}[{index}]", unknown)


def _differ(old: object, new: object, unknown: bool) -> bool:
    if contains_unknown(new):
        return unknown
    return bool(without_empty(old) != without_empty(new))


_CLEARED = {name: value for name, (value,) in extras(PipeSettings, "clears").items()}
"""The values that clear a setting that null does not."""


def update_body(old: WireValues, new: WireValues, current: WireValues, changed: tuple[str, ...]) -> WireDict:
    """Return the body of an update, given the inputs before and now, and the current pipe on the server."""
    body: WireDict = {name: new.get(name) or [] for name in changed if name == FIELD_MAPPINGS}
    if NAME in changed:
        body[NAME] = new[NAME]
    if DESTINATION in changed and (columns := new[DESTINATION].get(COLUMNS)) is not None:
        body[DESTINATION] = {COLUMNS: columns}
    if SETTINGS in changed:
        cleared = {name: _CLEARED.get(name) for name in old.get(SETTINGS) or {}}
        body[SETTINGS] = {**cleared, **(new.get(SETTINGS) or {})}
    if {SOURCE, CREDENTIALS} & {*changed}:
        body |= _source_update(old, new, current, changed)
    return body


def _source_update(old: WireValues, new: WireValues, current: WireValues, changed: tuple[str, ...]) -> WireDict:
    """Return the source in an update, with its credentials where they change or are always required; maybe nothing."""
    kind = kind_of(new[SOURCE])
    if kind in NEVER:
        return {}
    part = _source_properties(kind, *(each.get(SOURCE, {}).get(kind) or {} for each in (old, new, current)))
    given = (new.get(CREDENTIALS) or {}) if CREDENTIALS in changed or kind in ALWAYS else {}
    return {SOURCE: {kind: {**part, **in_source(kind, given)}}} if part or given else {}


def _source_properties(kind: str, old: WireValues, new: WireValues, current: WireValues) -> WireDict:
    """Return the properties of the source that an update accepts, and the difference of table mappings."""
    body: WireDict = {}
    _, model = KINDS[kind]
    for wire, attribute, nested in fields_of(model):
        if extras_of(model, attribute).get("replaces") or (wire not in new and wire not in old):
            continue
        body |= _source_property(wire, nested, old, new, current)
    return {name: value for name, value in body.items() if value != {}}


def _source_property(
    wire: str, nested: type[BaseModel] | None, old: WireValues, new: WireValues, current: WireValues
) -> WireDict:
    if wire == MAPPINGS and nested:
        return _mappings(nested, current.get(wire) or [], new.get(wire) or [])
    if nested:
        return {wire: _accepted(nested, old.get(wire) or {}, new.get(wire) or {})}
    if wire == URI and without_user(current.get(URI)) == new.get(URI):
        return {wire: current[URI]}  # with its mask, which leaves the address as it is
    return {wire: new.get(wire, [] if isinstance(old.get(wire), list) else None)}


def _accepted(model: type[BaseModel], old: WireValues, new: WireValues) -> WireDict:
    """Return an object as an update accepts it, with null for properties that the program no longer sets."""
    names = [wire for wire, attribute, _ in fields_of(model) if not extras_of(model, attribute).get("replaces")]
    return {name: new.get(name) for name in names if name in new or name in old}


def keys_of(model: type[BaseModel]) -> list[str]:
    """Return the wire names of the properties that identify a table mapping."""
    return [wire_name(model, name) for name, info in model.model_fields.items() if info.is_required()]


def _mappings(model: type[BaseModel], current: list[Any], wanted: list[Any]) -> WireDict:
    """Return the table mappings to add and to remove; a changed one is in both."""
    names = keys_of(model)

    def key(mapping: WireValues) -> tuple[object, ...]:
        return tuple(mapping.get(name) for name in names)

    def same(one: WireValues, other: WireValues) -> bool:
        shown = without_empty(other)
        return all(shown.get(name) == value for name, value in without_empty(one).items())

    now = {key(each): each for each in current}
    kept = [key(each) for each in wanted if key(each) in now and same(each, now[key(each)])]
    return {
        f"{MAPPINGS}ToAdd": [each for each in wanted if key(each) not in kept],
        f"{MAPPINGS}ToRemove": [{name: each.get(name) for name in names} for each in current if key(each) not in kept],
    }
