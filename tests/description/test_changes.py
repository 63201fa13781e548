"""`make description` names every change of a description, and no other."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from description.changes import Change, changes
from description.facts import CLOUD, OBSERVABILITY, Facts, kept, read
from description.places import places

Document = dict[str, Any]
FILES = (CLOUD, OBSERVABILITY)
PLANTED = 30

both = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def described(facts: Facts) -> Document:
    """Return an OpenAPI description with these facts."""
    paths: dict[str, Any] = {}
    for name, operation in facts.operations.items():
        method, _, path = name.partition(" ")
        marks: dict[str, Any] = {"deprecated": True} if operation.get("deprecated") else {}
        if "permissions" in operation:
            marks["security"] = [{"basicAuth": operation["permissions"]}]
        declared: dict[str, Any] = {"operationId": operation.get("operationId", ""), "responses": {}, **marks}
        parameters = operation.get("parameters", {}).items()
        declared["parameters"] = [
            {"in": each.partition(" ")[0], "name": each.partition(" ")[2], **more} for each, more in parameters
        ]
        if "request" in operation:
            declared["requestBody"] = {"content": _media(operation["request"])}
        for status, content in operation["responses"].items():
            declared["responses"][status] = {"description": "", "content": _media(content)}
        paths.setdefault(path, {})[method.lower()] = declared
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "", "version": facts.version},
            "paths": paths,
            "components": {"schemas": facts.schemas},
        }
    )
    return dict(json.loads(text.replace("#/schemas/", "#/components/schemas/")))


def _media(content: dict[str, Any]) -> dict[str, Any]:
    return {each: {"schema": schema} for each, schema in content.items()}


# Each makes a change at a property of a schema, and returns it in words, or None if it does not fit there.


def add_property(schema: Document, _: str) -> str | None:
    """Add a property beside this one."""
    if "planted" in schema["properties"]:
        return None
    schema["properties"]["planted"] = {"type": "string"}
    return "added property"


def remove_property(schema: Document, name: str) -> str | None:
    """Remove a property without properties of its own: other changes within them would go with it."""
    if schema["properties"][name].keys() - {"type", "enum", "format", "default"}:
        return None
    del schema["properties"][name]
    return "removed property"


def add_member(schema: Document, name: str) -> str | None:
    """Add a value to an enum."""
    if not isinstance((enum := schema["properties"][name].get("enum", [None]))[0], str):
        return None
    enum.append("planted")
    return "added value planted"


def remove_member(schema: Document, name: str) -> str | None:
    """Remove a value from an enum that keeps others."""
    enum: list[Any] = schema["properties"][name].get("enum", [None])
    if len(enum) == 1 or not isinstance(enum[0], str):
        return None
    return f"removed value {enum.pop(0)}"


def change_limit(schema: Document, name: str) -> str | None:
    """Raise a limit by one."""
    for word in ("maximum", "maxLength", "maxItems", "minimum"):
        if (limit := schema["properties"][name].get(word)) is not None:
            schema["properties"][name][word] = limit + 1
            return f"{word} {limit} -> {limit + 1}"
    return None


def add_limit(schema: Document, name: str) -> str | None:
    """Limit the length of a text."""
    declared = schema["properties"][name]
    if declared.get("type") != "string" or "maxLength" in declared:
        return None
    declared["maxLength"] = 77
    return "added maxLength 77"


def require(schema: Document, name: str) -> str | None:
    """Make a property required."""
    schema["required"] = [*schema.get("required", ()), name]
    return "added required"


def allow_null(schema: Document, name: str) -> str | None:
    """Allow null."""
    declared = schema["properties"][name]
    if not isinstance(declared.get("type"), str):
        return None
    declared["type"] = [declared["type"], "null"]
    return "added nullable"


def change_type(schema: Document, name: str) -> str | None:
    """Make a number of an integer."""
    if schema["properties"][name].get("type") != "integer":
        return None
    schema["properties"][name]["type"] = "number"
    return "type integer -> number"


def deprecate(schema: Document, name: str) -> str | None:
    """Mark a property as deprecated."""
    if "$ref" in schema["properties"][name] or schema["properties"][name].get("deprecated"):
        return None
    schema["properties"][name]["deprecated"] = True
    return "added deprecated"


KINDS = (
    *(add_property, remove_property, add_member, remove_member, change_limit),
    *(add_limit, require, allow_null, change_type, deprecate),
)


def planted(document: Document, seed: int) -> Iterator[tuple[str, str]]:
    """Change a description in thirty places that a seed chooses, and yield each with the change in words.

    Operations come first: schemas that they alone use go with them. Every other change is at another property.
    """
    chance = random.Random(seed)  # noqa: S311 (chooses places)
    path = chance.choice(sorted(document["paths"]))
    method = chance.choice(sorted(document["paths"][path]))
    del document["paths"][path][method]
    yield f"{method.upper()} {path}", "removed operation"
    document["paths"]["/v1/planted"] = {"get": {"operationId": "planted", "responses": {}}}
    yield "GET /v1/planted", "added operation"

    schemas = document["components"]["schemas"]
    reached = places(read(document)).values()
    required = {each.origin for each in reached if ("required", "true") in each.facts}
    left = sorted(
        (schema, name)
        for schema, _, name in {each.origin.partition(".") for each in reached}
        if schema in schemas and name in schemas[schema].get("properties", {})
    )
    chance.shuffle(left)
    for number in range(PLANTED - 2):
        kind = KINDS[number % len(KINDS)]
        for schema, name in left:
            fits = kind is not require or f"{schema}.{name}" not in required
            if fits and (change := kind(schemas[schema], name)) is not None:
                left.remove((schema, name))
                yield "planted" if kind is add_property else name, change
                break


def named(change: Change) -> tuple[str, str]:
    """Return the property or the operation of a change, and the change in words."""
    place = change.places[0]
    return (place.steps[-1].lstrip(".") if place.steps else place.operation), str(change)


@both
def test_the_same_description_has_no_changes(file: Path) -> None:
    """Whatever the order of its schemas. Prose cannot be had back from its digests."""
    facts = kept(file)
    assert facts.text() == file.read_text(encoding="utf-8")
    document = described(facts)
    schemas = document["components"]["schemas"]
    document["components"]["schemas"] = dict(reversed(schemas.items()))
    assert changes(facts, read(document)) == []
    assert read(document).text() == replace(facts, sentences={}).text()


@both
@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in range(1, 5))])
def test_each_planted_change_is_named_once(file: Path, seed: int) -> None:
    """Of thirty changes, none is missing and none is made up."""
    before = kept(file)
    document = described(before)
    expected = sorted(planted(document, seed))
    assert len(expected) == PLANTED
    assert sorted(named(each) for each in changes(before, read(document))) == expected
