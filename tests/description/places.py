"""The places in the bodies of operations, and what a description says of each: the form in which versions are compared.

A place is a path such as `tiles[].config<ClickStackLineChartConfig>.displayType`. What it says are its type, members,
limits and marks, each as a pair of a keyword and a value, so that two versions differ by sets.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .facts import LIMITS, MARKS, NULL, Facts, Schema, values_of
from .sentences import ELEMENT, ENTRY
from .shapes import SEVERAL

Fact = tuple[str, str]
"""A keyword and its value: `("maximum", "20")`, `("member", "5m")`, `("required", "true")`."""


@dataclass(frozen=True)
class Place:
    """A place in the body of an operation.

    Attributes:
        operation: The operation, such as `GET /v1/organizations`.
        part: `request`, `response`, `parameter`, `status` for a response that is an error, or `operation` for itself.
        steps: The way to a property, an element of a list, or one of several types; empty for the whole body.
    """

    operation: str
    part: str
    steps: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The steps as one text."""
        return "".join(self.steps).lstrip(".")

    @property
    def is_variant(self) -> bool:
        """Whether it is one of several types of a value."""
        return bool(self.steps) and self.steps[-1].startswith("<")

    @property
    def around(self) -> Place:
        """What the place is in: the body is in the operation."""
        if self.steps and self.part in ("request", "response"):
            return replace(self, steps=self.steps[:-1])
        return Place(self.operation, "operation")


@dataclass(frozen=True)
class Said:
    """The description of a place.

    Attributes:
        facts: The facts.
        origin: The named schema that contains it, with the path in it: the same for all operations that use it.
        word: Of one of several types, the property by whose value it is known, such as `kind=log`; empty without one.
    """

    facts: frozenset[Fact]
    origin: str
    word: str = ""


@lru_cache(maxsize=8)
def places(facts: Facts) -> Mapping[Place, Said]:
    """Return all places of a description."""
    return {place: said for name in facts.operations for place, said in _of_operation(facts, name)}


def _of_operation(facts: Facts, name: str) -> Iterator[tuple[Place, Said]]:
    operation = facts.operations[name]
    marks = frozenset({("deprecated", "true")} if operation.get("deprecated") else ())
    allowed = frozenset(("permission", each) for each in operation.get("permissions", ()))
    yield Place(name, "operation"), Said(marks | allowed, name)
    for parameter, declared in operation.get("parameters", {}).items():
        place = Place(name, "parameter", (parameter,))
        more = frozenset((mark, "true") for mark in ("required", "deprecated") if declared.get(mark))
        yield from _Walk(facts, place, f"{name} {parameter}").over(declared["schema"], more)
    for content, schema in operation.get("request", {}).items():
        yield from _Walk(facts, Place(name, "request"), f"{name} request").over(schema, _content(content))
    for status, contents in operation["responses"].items():
        if not status.startswith("2"):
            yield Place(name, "status", (status,)), Said(frozenset(), f"{name} {status}")
        elif not contents:
            yield Place(name, "response"), Said(frozenset({("status", status)}), f"{name} response")
        for content, schema in contents.items() if status.startswith("2") else ():
            more = _content(content) | {("status", status)}
            yield from _Walk(facts, Place(name, "response"), f"{name} response").over(schema, more)


def _content(content: str) -> frozenset[Fact]:
    return frozenset({("content", content)})


@dataclass(frozen=True)
class _Walk:
    """A walk through the schemas of one body."""

    facts: Facts
    place: Place
    origin: str
    seen: frozenset[str] = field(default=frozenset())

    def over(self, schema: Any, more: frozenset[Fact] = frozenset()) -> Iterator[tuple[Place, Said]]:
        """Yield the place of a schema with its facts and `more`, and the places within it."""
        if not isinstance(schema, Mapping):
            yield self.place, Said(more | {("any", json.dumps(schema))}, self.origin)
        elif schema.get("$ref") in self.seen:
            yield self.place, Said(more | {("type", "recursive")}, self.origin)
        elif "$ref" in schema:
            yield from self._named(schema).over(self.facts.resolved(schema), more)
        else:
            yield from self._over(schema, more)

    def _over(self, schema: Schema, more: frozenset[Fact]) -> Iterator[tuple[Place, Said]]:
        parts = [*self._parts(schema)]
        variants = [(walk, each) for walk, part in parts for word in SEVERAL for each in part.get(word, ())]
        types = [(walk, each) for walk, each in variants if each != NULL]
        more = more.union(*(_said(part) for _, part in parts), {("nullable", "true")} if types != variants else ())
        if len(types) == 1:
            yield from types[0][0].over(types[0][1], more)
            return
        yield self.place, Said(more, self.origin)
        required = {name for _, part in parts for name in part.get("required", ())}
        for walk, part in parts:
            yield from walk._within(part, required)
        by = [part["discriminator"]["propertyName"] for _, part in parts if "discriminator" in part]
        words = _words(self.facts, [each for _, each in types], by)
        labels = [
            _name(each) if "$ref" in each else word or str(each.get("type"))
            for (_, each), word in zip(types, words, strict=True)
        ]
        for number, ((walk, each), label, word) in enumerate(zip(types, labels, words, strict=True)):
            unique = label if label not in labels[:number] else f"{label} {number + 1}"
            variant = walk._at(f"<{unique}>")
            for place, said in variant.over(each):
                yield place, replace(said, word=word) if place == variant.place else said

    def _parts(self, schema: Schema) -> Iterator[tuple[_Walk, Schema]]:
        """Yield a schema and all of its `allOf`, each with a walk that knows its origin."""
        yield self, schema
        for each in schema.get("allOf", ()):
            walk = self._named(each) if "$ref" in each else self
            yield from walk._parts(self.facts.resolved(each))

    def _within(self, schema: Schema, required: Container[str]) -> Iterator[tuple[Place, Said]]:
        for name, each in schema.get("properties", {}).items():
            more = frozenset({("required", "true")} if name in required else ())
            yield from self._at(f".{name}").over(each, more)
        if "items" in schema:
            yield from self._at(ELEMENT).over(schema["items"])
        if isinstance(schema.get("additionalProperties"), Mapping):
            yield from self._at(ENTRY).over(schema["additionalProperties"])

    def _at(self, step: str) -> _Walk:
        return replace(self, place=replace(self.place, steps=(*self.place.steps, step)), origin=self.origin + step)

    def _named(self, schema: Schema) -> _Walk:
        return replace(self, origin=_name(schema), seen=self.seen | {schema["$ref"]})


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _words(facts: Facts, variants: list[Schema], discriminators: Iterable[str]) -> list[str]:
    """Return for each of several types the property by whose value it is known, and that value; empty without one."""
    values = [
        {
            name: str(only[0])
            for name, each in facts.resolved(variant).get("properties", {}).items()
            if len(only := values_of(each)) == 1
        }
        for variant in variants
    ]
    return [next((f"{name}={each[name]}" for name in (*discriminators, *each) if name in each), "") for each in values]


def _said(schema: Schema) -> frozenset[Fact]:
    types = schema.get("type", ())
    types = [types] if isinstance(types, str) else [*types]
    found: set[Fact] = {("nullable", "true")} if "null" in types else set()
    found |= {("type", "|".join(sorted({*types} - {"null"})))} if {*types} - {"null"} else set()
    found |= {("member", _plain(each)) for each in values_of(schema) if each is not None}
    found |= {(word, _plain(schema[word])) for word in (*LIMITS, *MARKS, "format", "default") if word in schema}
    if schema.get("additionalProperties") is False:
        found.add(("closed", "true"))
    return frozenset(found)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
