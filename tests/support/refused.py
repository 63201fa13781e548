"""Inputs that check rejects, generated from the models: one wrong value in every property of a nesting level."""

from __future__ import annotations

import functools
import re
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Union

from codegen.public_names import models
from pulumi_clouddb.schema.base import Model, wire_name
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.check.within import Typed
from pulumi_clouddb.schema.secrets.spellings import MASK, spellings_of
from pulumi_clouddb.schema.values import Path, show_path
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.schema.vocabulary import VocabularyName

Leaf = Callable[[Path], Any]
"""Returns the value of a property by its path."""

CANARY = 'C4nary "hunter10" \\ <ü>&'
NUMBER = 48151623.25
KEY = "c4naryKey"
MAP_KEY = "in a map"
WRONG: dict[str, Any] = {
    "a text": CANARY,
    "a long text": CANARY * 700,
    "a text that cannot be sent": f"\0{CANARY}",
    "a number": NUMBER,
    "a whole number": int(NUMBER),
    "a list": [CANARY, NUMBER],
    "an object": {KEY: f"\0{CANARY}", "name": CANARY, "type": NUMBER},
    "a list of objects": [{KEY: f"\0{CANARY}", "name": CANARY, "type": NUMBER}],
}
"""Every property rejects some of these values: of another type, form or length, or with an unknown name."""

SPELLINGS = frozenset(
    spelling
    for text in (CANARY, "C4nary", "hunter10", KEY, str(NUMBER), str(int(NUMBER)))
    for spelling in spellings_of(text)
    if len(spelling) > 5
)


def shown_in(text: str) -> list[str]:
    """Return the spellings of these values in a text."""
    return sorted(spelling for spelling in SPELLINGS if spelling in text)


def quotes_nothing(failure: Failure) -> bool:
    """Return whether a failure contains a rule, and nothing of the value, which may be secret."""
    allowed = (
        r"(must|should) .*, not the secret value given(; write .*)?(, as far as this version knows)?|is required|"
        r"must have at most \d+ characters but has \d+|"
        r"is not supported here(; (did you mean|it has|remove it,) .*|: (only the server sets it\.|move it) .*)|"
        r"is supported only with \S+|must be complete; missing: \w+"
    )
    return failure.reason in _rule_texts() or bool(re.fullmatch(allowed, failure.reason))


@functools.cache
def _rule_texts() -> frozenset[str]:
    """Return the texts of all rules, as warnings and as failures, and their failures for objects without properties."""
    rules = [(model, rule) for model in models() for rule in model.RULES]
    contexts = [RuleContext(vocabulary=each) for each in VocabularyName]
    of_nothing = {rule.failure(view_of(model, {}, context=context)) for model, rule in rules for context in contexts}
    texts = {*(rule.text for _, rule in rules), *filter(None, of_nothing)}
    return frozenset({*texts, *(text.replace("should", "must", 1) for text in texts)})


def inputs_of(model: type[Model], depth: int, leaf: Leaf) -> dict[str, Any]:
    """Return inputs that set every property at one nesting level to a leaf.

    Apart from the objects around them, nothing else is set.
    """
    return _object(model, depth, leaf, ()) or {}


def properties_of(model: type[Model], value: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the path of each property, and inputs with a value in all properties of its nesting level."""
    for depth in depths_of(model):
        paths: list[Path] = []

        def leaf(path: Path, paths: list[Path] = paths) -> object:
            paths.append(path)
            return value

        inputs = inputs_of(model, depth, leaf)
        yield from ((path, inputs) for path in paths)


def places_of(model: type[Model]) -> Iterator[str]:
    """Yield the paths of all properties as failures show them: the keys of a secret map are masked."""
    for path, _ in properties_of(model, value=True):
        yield show_path(MASK if part == MAP_KEY else part for part in path)


def depths_of(model: type[Model]) -> Iterator[int]:
    """Yield the depths at which a model has properties."""
    depth = 0
    while inputs_of(model, depth, lambda _: True):
        yield depth
        depth += 1


def _object(model: type[Model], depth: int, leaf: Leaf, path: Path) -> dict[str, Any] | None:
    found = {}
    for attribute, info in model.model_fields.items():
        name = wire_name(model, attribute)
        typed = next((each.model for each in info.metadata if isinstance(each, Typed)), None)
        value = _value(typed or info.annotation, depth, leaf, (*path, name))
        if value is not None:
            found[name] = value
    return found or None


def _value(annotation: Any, depth: int, leaf: Leaf, path: Path) -> Any:
    """Return a value of a type with leaves at a nesting level, or None if the type has no such level."""
    if depth == 0:
        return leaf(path)
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        typed = next((each.model for each in inner if isinstance(each, Typed)), None)
        return _value(typed or inner[0], depth, leaf, path)
    if origin in (Union, types.UnionType):
        found = (_value(each, depth, leaf, path) for each in inner)
        return next((each for each in found if each is not None), None)
    if origin is list:
        item = _value(inner[0], depth - 1, leaf, (*path, 0))
        return None if item is None else [item]
    if origin is dict:
        item = _value(inner[1], depth - 1, leaf, (*path, MAP_KEY))
        return None if item is None else {MAP_KEY: item}
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return _object(annotation, depth - 1, leaf, path)
    return None
