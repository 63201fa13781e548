"""Validates the bodies of operations against the kept facts and the overlay.

Unknown properties are faults, although a description allows them, because it closes no schema. A value of several types
is validated against the one that has its fixed values, such as its `displayType`: the faults are those of that type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from .bodies import Body, bodies_of, facts_of
from .facts import LIMITS, Facts, Schema, values_of
from .shapes import types_of

URI = "urn:facts"
UNKNOWN = "additionalProperties"
"""The keyword of a fault for a property that is not described."""
MISSING = "required"
ONE_OF = "oneOf"
WITHIN = ("items", "additionalProperties")
FORMATS = FormatChecker(["uuid"])


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    """Return whether a text is a date-time, for which jsonschema needs another package."""
    if isinstance(value, str):
        datetime.fromisoformat(value.replace("Z", "+00:00"))
        return "T" in value
    return True


@dataclass(frozen=True)
class Fault:
    """A difference of a value from its description.

    Attributes:
        keyword: The keyword of JSON Schema that the value does not satisfy.
        path: The way to it; with the name of a property that is unknown or missing.
        message: What is wrong.
    """

    keyword: str
    path: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        """Return the fault in words."""
        return f"{'.'.join(map(str, self.path))}: {self.message}"

    def concerns(self, other: Fault) -> bool:
        """Return whether two faults are at the same place, or one of them is within the other."""
        return all(here == there for here, there in zip(self.path, other.path, strict=False))


_FOUND: dict[tuple[str, str, int], list[Fault]] = {}
"""The faults of values that were validated before, by their hash: polls return the same list many times."""


def faults(name: str, part: str, value: Any) -> list[Fault]:
    """Return how the body of an operation here differs from what the vendor describes.

    Of several descriptions, a fault is one by all of them; but the limits of requests are those of the newest one.

    Args:
        name: The name of an operation that is described.
        part: `request`, `response` for the result in the envelope of a success, or a status for the whole response.
        value: The body, or the result.
    """
    known = name, part, hash(repr(value))
    if known not in _FOUND:
        _FOUND[known] = _found(name, part, value)
    return _FOUND[known]


def _found(name: str, part: str, value: Any) -> list[Fault]:
    limits = LIMITS if part == "request" else ()
    newest, *older = reversed(_validators(name, part))
    found = [*_faults(newest, value)]
    for validator in older if found else ():
        others = [*_faults(validator, value)]
        found = [each for each in found if each.keyword in limits or any(map(each.concerns, others))]
    return found


def _faults(validator: Any, value: Any) -> Iterator[Fault]:
    if validator is None:
        if value:
            yield Fault("", (), f"must be empty, not {value!r:.80}")
        return
    for each in validator.iter_errors(value):
        message = "is not described" if each.validator == UNKNOWN else f"{each.message:.200}"
        yield from (Fault(str(each.validator), (*each.absolute_path, *name), message) for name in _names(each))


def _names(error: ValidationError) -> Iterator[tuple[str, ...]]:
    """Yield the name of each unknown property, or that of a missing one; of another error, nothing once."""
    schema: Any = error.schema
    value: Any = error.instance
    if error.validator == UNKNOWN:
        yield from ((name,) for name in sorted(value.keys() - schema.get("properties", {}).keys()))
    elif error.validator == MISSING:
        yield from ((name,) for name in schema[MISSING] if error.message.startswith(repr(name)))
    else:
        yield ()


@cache
def _validators(name: str, part: str) -> tuple[Any, ...]:
    return tuple(_validator(each) for each in bodies_of(name, part))


def _validator(body: Body) -> Any:
    if body.schema is None:
        return None
    closed = _closed(facts_of(body.file), body.schema)
    return _kind(body.file)(closed, registry=_registry(body.file), format_checker=FORMATS)


@cache
def _registry(file: Path) -> Registry[Any]:
    facts = facts_of(file)
    resource: Resource[Any] = DRAFT202012.create_resource(
        {"schemas": {name: _closed(facts, schema) for name, schema in facts.schemas.items()}}
    )
    registry: Registry[Any] = Registry().with_resource(URI, resource)
    return registry


def _closed(facts: Facts, schema: Schema) -> Schema:
    """Return the schema of a value whose properties are all known."""
    types = [_closed_type(facts, each) for each in types_of(facts, schema)]
    return types[0] if len(types) == 1 else {ONE_OF: types}


def _closed_type(facts: Facts, type_: Schema) -> Schema:
    found = dict(type_)
    for word in WITHIN:
        if isinstance(found.get(word), Mapping):
            found[word] = _within(facts, found[word])
    if "properties" in found:
        found["properties"] = {name: _within(facts, each) for name, each in found["properties"].items()}
        found = {"type": "object", UNKNOWN: False, **found}
    return found


def _within(facts: Facts, schema: Schema) -> Schema:
    """Return the schema of a value in another one; it refers to a named one, unless that is a list of fixed values."""
    if "$ref" in schema and not values_of(facts.resolved(schema)):
        return {"$ref": URI + schema["$ref"]}
    return _closed(facts, schema)


def _one_of(validator: Any, types: Sequence[Schema], value: Any, _: Schema) -> Iterator[ValidationError]:
    """Yield the faults by the type whose fixed values a value has; if several have them, by that with the fewest."""
    fitting = [each for each in types if _fits(each, value)] or types
    yield from min(([*validator.descend(value, each)] for each in fitting), key=len)


def _fits(type_: Schema, value: Any) -> bool:
    """Return whether a value has the fixed values of a type, such as `displayType`."""
    if not isinstance(value, dict):
        return True
    required = type_.get("required", ())
    return all(
        value.get(name) in values
        for name, each in type_.get("properties", {}).items()
        if (values := values_of(each)) and (name in value or name in required)
    )


@cache
def _kind(file: Path) -> Any:  # noqa: ARG001 (two descriptions have schemas of one name)
    """Return the class of the validators of a description, which validate equal values of a named schema once.

    An object is returned by its create, by each read of it and in lists: most of what is validated is known.
    """
    refer, flawless = Draft202012Validator.VALIDATORS["$ref"], set[tuple[str, int]]()

    def ref(validator: Any, name: str, value: Any, schema: Schema) -> Iterator[ValidationError]:
        known = name, hash(repr(value))
        if known not in flawless:
            errors = [*refer(validator, name, value, schema)]
            if not errors:
                flawless.add(known)
            yield from errors

    return validators.extend(Draft202012Validator, {ONE_OF: _one_of, "$ref": ref})  # type: ignore[no-untyped-call]
