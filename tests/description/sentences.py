"""Finds the rule sentences in the prose of a description: of each, its place and a digest are kept, and no text.

A place is that of the schema, in the form of `Said.origin` of places.py: `ServicePostRequest.minReplicas`, or for what
an operation has itself, its method and path. All variants of a value are one place.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

METHODS = ("get", "put", "post", "patch", "delete")
ELEMENT, ENTRY = "[]", ".*"

_WORDS = (
    *("must", "cannot", "can't", "can not", "may not", "should not", "only", "requires?", "required", "exactly"),
    *("mutually exclusive", "together with", "at (?:most|least)", "not (?:allowed|supported|valid)", "ignored"),
    *("rejected", "unless", "applicable", "no effect", "multiple of", "non-empty", "unique (?:per|across|within)"),
    *("supported", r"(?:not|n't) support", "supports (?:both|exact)", "reserved", "positive", "format:"),
    r"(?:up to|between|max(?:imum)?(?: of| length is)?|minimum(?: of)?|than) (?:or equal to )?[0-9]+",
)
RULE = re.compile(rf"(?<![-\w])(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
"""What a sentence has that states a rule. Some that have it state none: these are accounted for, too."""

_END = re.compile(r"\n\s*[-*] |\n\s*\n|<br ?/?>|(?<=[.!?;])\s+(?=[A-Z`\"*({-])")
DIGITS = 12


def sentences(document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the rule sentences of a description in each place, by their digests."""
    found: dict[str, dict[str, str]] = {}
    for place, prose in _of_document(document):
        for sentence in filter(RULE.search, (" ".join(each.split()) for each in _END.split(prose))):
            found.setdefault(place, {})[digest(sentence)] = sentence
    return found


def digest(sentence: str) -> str:
    """Return what is kept of a sentence."""
    return hashlib.sha256(sentence.encode()).hexdigest()[:DIGITS]


def _of_document(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, schema in (document.get("components") or {}).get("schemas", {}).items():
        yield from _of_schema(name, schema)
    for path, item in (document.get("paths") or {}).items():
        for method in item.keys() & {*METHODS}:
            yield from _of_operation(f"{method.upper()} {path}", item[method])


def _of_operation(name: str, operation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield name, "\n\n".join(operation.get(each, "") for each in ("summary", "description"))
    for each in operation.get("parameters", ()):
        place = f"{name} {each.get('in')} {each.get('name')}"
        yield place, each.get("description", "")
        yield from _of_schema(place, each.get("schema", {}))
    bodies = {"request": operation.get("requestBody", {}), **operation.get("responses", {})}
    for part, body in bodies.items():
        place = f"{name} {'response' if part.startswith('2') else part}"
        yield place, body.get("description", "")
        for content in (body.get("content") or {}).values():
            yield from _of_schema(place, content.get("schema", {}))


def _of_schema(place: str, schema: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, Mapping):
        return
    yield place, schema.get("description", "")
    for name, each in schema.get("properties", {}).items():
        yield from _of_schema(f"{place}.{name}", each)
    for word, step in (("items", ELEMENT), ("additionalProperties", ENTRY)):
        yield from _of_schema(place + step, schema.get(word))
    for word in ("oneOf", "anyOf", "allOf"):
        for each in schema.get(word, ()):
            yield from _of_schema(place, each)
