"""Reads the facts of an OpenAPI description: operations, and JSON schemas without prose.

Facts are sorted, and JSON schemas of the draft 2020-12 whatever the version of OpenAPI is, so that two versions of a
description differ only where the API does, and `jsonschema` validates with them as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import openapi_pydantic
from openapi_pydantic.v3 import v3_0, v3_1

from .sentences import METHODS, sentences

Schema = Mapping[str, Any]
Operation = v3_0.Operation | v3_1.Operation

FOLDER = Path(__file__).parent
CLOUD, OBSERVABILITY = FOLDER / "cloud.json", FOLDER / "observability.json"
"""The files that keep the facts of the two descriptions."""

LIMITS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"),
)
MARKS = ("readOnly", "writeOnly", "deprecated")
FACTS = frozenset({"type", "enum", "const", "format", "default", "required", *LIMITS, *MARKS})
"""The keywords that are kept as they are."""

_SCHEMAS = "#/schemas/"
NULL = {"type": "null"}


@dataclass(frozen=True, eq=False)
class Facts:
    """The facts of one description; other modules cache by the object what follows from them.

    Attributes:
        version: The version that the description states.
        operations: For each method and path, such as `GET /v1/organizations`, its parameters, request and responses,
            and the permissions that a key needs.
        schemas: The named schemas, to which others refer by `#/schemas/NAME`.
        sentences: The digests of the rule sentences in its prose, by their places (sentences.py).
    """

    version: str
    operations: Mapping[str, Mapping[str, Any]]
    schemas: Mapping[str, Schema]
    sentences: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self) -> str:
        """Return the text of the file that keeps the facts."""
        content = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def resolved(self, schema: Schema) -> Schema:
        """Return the schema that a reference refers to, or the schema itself."""
        while "$ref" in schema:
            schema = self._referred[schema["$ref"]]
        return schema

    @cached_property
    def _referred(self) -> Mapping[str, Schema]:
        return {_SCHEMAS + name: schema for name, schema in self.schemas.items()}


def plain(operation: str) -> str:
    """Return an operation without the names of its placeholders, which each side chooses."""
    return re.sub(r"{\w+}", "{}", operation)


def values_of(schema: Schema) -> list[Any]:
    """Return the only values that a schema allows; empty if it allows others."""
    return [*schema.get("enum", [schema["const"]] if "const" in schema else ())]


@cache
def kept(file: Path) -> Facts:
    """Return the facts that a file keeps."""
    return Facts(**json.loads(file.read_text(encoding="utf-8")))


def read(document: Mapping[str, Any]) -> Facts:
    """Return the facts of a description of OpenAPI 3.0 or 3.1.

    Raises:
        pydantic.ValidationError: The document is no OpenAPI description.
    """
    description = openapi_pydantic.parse_obj(dict(document))
    operations = {
        f"{method.upper()} {path}": _operation(operation)
        for path, item in (description.paths or {}).items()
        for method in METHODS
        if (operation := getattr(item, method)) is not None
    }
    schemas = (document.get("components") or {}).get("schemas") or {}
    facts = {name: fact_of(schema) for name, schema in schemas.items()}
    rules = {place: sorted(found) for place, found in sentences(document).items()}
    return Facts(description.info.version, operations, facts, rules)


def _operation(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": operation.operationId}
    if operation.deprecated:
        found["deprecated"] = True
    if permissions := sorted(
        {each for need in operation.security or () for scopes in need.values() for each in scopes}
    ):
        found["permissions"] = permissions
    if operation.parameters:
        found["parameters"] = dict(_parameters(operation))
    if operation.requestBody:
        found["request"] = _content(operation.requestBody)
    responses = {status: _content(response) for status, response in (operation.responses or {}).items()}
    return {**found, "responses": responses}


def _parameters(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    for each in operation.parameters or ():
        plain = each.model_dump(by_alias=True, exclude_unset=True, mode="json")
        marks = {mark: True for mark in ("required", "deprecated") if plain.get(mark)}
        yield f"{plain['in']} {plain['name']}", {"schema": fact_of(plain.get("schema", {})), **marks}


def _content(body: Any) -> dict[str, Any]:
    """Return the schema of each type of content of a request or a response."""
    content = body.model_dump(by_alias=True, exclude_unset=True, mode="json").get("content") or {}
    return {each: fact_of(media.get("schema", {})) for each, media in content.items()}


def fact_of(schema: Schema | bool) -> Any:
    """Return a schema without prose, as a JSON schema of the draft 2020-12."""
    if isinstance(schema, bool):
        return schema
    if "$ref" in schema:
        return {"$ref": _SCHEMAS + schema["$ref"].rpartition("/")[2]}
    found = {word: _sorted(word, value) for word, value in schema.items() if word in FACTS}
    for word, inner in _WITHIN.items():
        if word in schema:
            found[word] = inner(schema[word])
    _exclusive(found)
    if "discriminator" in schema:
        found["discriminator"] = {"propertyName": schema["discriminator"]["propertyName"]}
    return _or_null(found) if schema.get("nullable") else found


_WITHIN: Mapping[str, Callable[[Any], Any]] = {
    "properties": lambda value: {name: fact_of(each) for name, each in value.items()},
    **dict.fromkeys(("items", "additionalProperties", "not"), fact_of),
    **dict.fromkeys(("oneOf", "anyOf", "allOf"), lambda value: [fact_of(each) for each in value]),
}
"""How the keywords that contain schemas are kept."""


def _sorted(word: str, value: Any) -> Any:
    """Return a value in an order that does not depend on the author where the order means nothing."""
    is_set = word in ("enum", "required") or (word == "type" and isinstance(value, list))
    return sorted(value, key=lambda each: (str(type(each)), each)) if is_set else value


def _exclusive(found: dict[str, Any]) -> None:
    """State exclusive limits as numbers: OpenAPI 3.0 marks a limit as exclusive."""
    for word, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if found.get(word) is True and limit in found:
            found[word] = found.pop(limit)
        elif isinstance(found.get(word), bool):
            del found[word]


def _or_null(found: dict[str, Any]) -> dict[str, Any]:
    """Allow null, which OpenAPI 3.0 marks by `nullable`."""
    if isinstance(found.get("type"), str) and not found.keys() & {"oneOf", "anyOf", "allOf"}:
        enum = {"enum": _sorted("enum", [*found["enum"], None])} if None not in found.get("enum", [None]) else {}
        return {**found, "type": sorted([found["type"], "null"]), **enum}
    return {"anyOf": [found, NULL]}
