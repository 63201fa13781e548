"""Validates the bodies of operations against the kept facts and the overlay.

Unknown properties are faults. A description allows them, because it closes no schema; here a schema is closed where it
is used for a value, and not where it is a part of a type (`allOf`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from .facts import CLOUD, OBSERVABILITY, Facts, kept
from .here import plain, used
from .overlay import OVERLAY, corrected

URI = "urn:facts"
UNKNOWN = "unevaluatedProperties"
PARTS = ("allOf", "oneOf", "anyOf")
ENVELOPES = ("result", "data")
"""The properties of the envelopes that contain the result."""
FORMATS = FormatChecker(["uuid"])


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    """Return whether a text is a date-time, for which jsonschema needs another package."""
    if isinstance(value, str):
        datetime.fromisoformat(value.replace("Z", "+00:00"))
        return "T" in value
    return True


@cache
def validators_of(name: str, part: str) -> tuple[Draft202012Validator, ...]:
    """Return the validators for a body of an operation here: a valid body satisfies one; empty if it is not described.

    The cloud's observability servers run the program of the self-hosted ones, whose description is newer.

    Args:
        name: The name of the operation.
        part: `request`, or `response` for the result in the envelope.
    """
    names = (name, f"self_hosted_{name}")
    found = (_validator(file, each, part) for file in (CLOUD, OBSERVABILITY) for each in names)
    return tuple(each for each in found if each is not None)


def faults(validators: tuple[Draft202012Validator, ...], value: Any) -> list[ValidationError]:
    """Return the faults of a value by the validator that finds the fewest."""
    return min((_faults(each, value) for each in validators), key=len, default=[])


def _faults(validator: Draft202012Validator, value: Any) -> list[ValidationError]:
    """Return faults; to jsonschema the properties of an invalid part are unknown, too."""
    found = [*validator.iter_errors(value)]
    return [each for each in found if each.validator != UNKNOWN] or found


@cache
def _facts(file: Path) -> Facts:
    return corrected(kept(file), (each for each in OVERLAY if each.file == file))


@cache
def _registry(file: Path) -> Registry[Any]:
    facts = _facts(file)
    schemas = {name: _part(facts, schema) for name, schema in facts.schemas.items()}
    resource: Resource[Any] = DRAFT202012.create_resource({"schemas": schemas})
    registry: Registry[Any] = Registry().with_resource(URI, resource)
    return registry


def _validator(file: Path, name: str, part: str) -> Draft202012Validator | None:
    facts = _facts(file)
    for described, operation in facts.operations.items():
        if name in (each.name for each in used().get(plain(described), ())):
            schema = _request(operation) if part == "request" else _result(facts, operation)
            if schema is None:
                return None
            return Draft202012Validator(_value(facts, schema), registry=_registry(file), format_checker=FORMATS)
    return None


def _request(operation: Mapping[str, Any]) -> Any:
    return next(iter(operation.get("request", {}).values()), None)


def _result(facts: Facts, operation: Mapping[str, Any]) -> Any:
    """Return the schema of the result in the envelope of a success; None without one."""
    for status, content in operation["responses"].items():
        if status.startswith("2") and content:
            properties = facts.resolved(next(iter(content.values()))).get("properties", {})
            return next((properties[each] for each in ENVELOPES if each in properties), None)
    return None


def _value(facts: Facts, schema: Any) -> Any:
    """Return the schema of a value: closed, if it has properties."""
    found = _part(facts, schema)
    return {**found, UNKNOWN: False} if _has_properties(facts, schema) else found


def _part(facts: Facts, schema: Any) -> Any:
    """Return a part of a schema, with the schemas of the values in it closed."""
    if not isinstance(schema, Mapping):
        return schema
    found = dict(schema)
    if "$ref" in found:
        found["$ref"] = URI + found["$ref"]
    if "properties" in found:
        found["properties"] = {name: _value(facts, each) for name, each in found["properties"].items()}
    for word in ("items", "additionalProperties"):
        if word in found:
            found[word] = _value(facts, found[word])
    for word in PARTS:
        if word in found:
            found[word] = [_part(facts, each) for each in found[word]]
    if "oneOf" in found:  # an open part without required properties accepts the values of the others
        found["anyOf"] = found.pop("oneOf")
    return found


def _has_properties(facts: Facts, schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    schema = facts.resolved(schema)
    return "properties" in schema or any(
        _has_properties(facts, each) for word in PARTS for each in schema.get(word, ())
    )
