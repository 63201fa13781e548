"""The types that a schema allows, and its tree of properties."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from support.trees import Tree, merged

from .facts import NULL, Facts, Schema, values_of

SEVERAL = ("oneOf", "anyOf")


def types_of(facts: Facts, schema: Schema) -> list[Schema]:
    """Return the types that a value can have, without references, alternatives and `allOf` at their tops."""
    schema = facts.resolved(schema)
    parts: list[list[Schema]] = [[{word: value for word, value in schema.items() if word not in ("allOf", *SEVERAL)}]]
    parts += [types_of(facts, each) for each in schema.get("allOf", ())]
    for word in SEVERAL:
        if word in schema:
            parts.append([found for each in schema[word] for found in types_of(facts, each)])
    return [_joined(each) for each in product(*parts)]


def _joined(parts: tuple[Schema, ...]) -> Schema:
    """Return the type of a value that has several types at once."""
    found: dict[str, Any] = {word: value for part in parts for word, value in part.items()}
    if required := {name for part in parts for name in part.get("required", ())}:
        found["required"] = sorted(required)
    if properties := list(_properties(parts)):
        found["properties"] = {}
        for name, each in properties:
            known = found["properties"].get(name)
            found["properties"][name] = {"allOf": [known, each]} if known else each
    return found


def _properties(parts: tuple[Schema, ...]) -> Iterator[tuple[str, Schema]]:
    for part in parts:
        yield from part.get("properties", {}).items()


def tree_of(facts: Facts, schema: Schema) -> Tree:
    """Return the properties of a schema, and the values of enums."""
    return merged(_of_type(facts, each) for each in types_of(facts, schema) if each != NULL)


def _of_type(facts: Facts, type_: Schema) -> Tree:
    if "properties" in type_:
        return {name: tree_of(facts, each) for name, each in type_["properties"].items()}
    if "items" in type_:
        return tree_of(facts, type_["items"])
    return frozenset(values_of(type_)) - {None} or None
