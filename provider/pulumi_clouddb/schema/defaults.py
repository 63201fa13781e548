"""The values that servers use for properties that are left out."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from .base import extras, identity, wire_name
from .check.within import object_in
from .values import WireDict, WireValues

_EMPTY: tuple[Any, ...] = ("", [], {})


def defaults_of(model: type[BaseModel], name: str) -> list[object]:
    """Return the server's default of a property, if it is stated as a value: in prose, it is a plain text."""
    stated = extras(model, "unset").get(name, ())
    return [getattr(each, "value", each) for each in stated if type(each) is not str]


@functools.lru_cache(maxsize=256)
def models_in(model: type[BaseModel]) -> Mapping[str, type[BaseModel]]:
    """Return the models of the objects in each field, by wire name."""
    annotations = {wire_name(model, name): info.annotation for name, info in model.model_fields.items()}
    models = {name: object_in(annotation) for name, annotation in annotations.items()}
    return {name: found for name, found in models.items() if found}


def without_defaults(model: type[BaseModel], name: str, value: object) -> object:
    """Return the value of a property without what is the same if it is left out of the objects in it."""
    inner = models_in(model).get(name)
    if inner is None:
        return value
    if isinstance(value, list):
        return [_pruned(inner, each) for each in value]
    return _pruned(inner, value)


def _pruned(model: type[BaseModel], value: object) -> object:
    """Return an object without properties that are the same if they are left out; an empty one has the same meaning.

    The language of a text is left out together with the text.
    """
    if not isinstance(value, Mapping):
        return value
    shown: WireDict = {name: without_defaults(model, name, item) for name, item in value.items()}
    kept = {name for name, item in shown.items() if not is_default(model, name, item)}
    kept |= {name for name, text in languages_of(model).items() if text in kept}
    pruned: WireValues = {name: item for name, item in shown.items() if name in kept}
    return pruned if pruned else value


def is_default(model: type[BaseModel], name: str, value: Any) -> bool:
    """Return whether a field has the same meaning if it is left out: it is empty, or has the server's default."""
    if name not in _optional(model):
        return False
    return any(value == each for each in (*_EMPTY, *map(identity, defaults_of(model, name))))


@functools.lru_cache(maxsize=256)
def languages_of(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the text of each property with a language, by the name of that property."""
    return extras(model, "with_text")


@functools.lru_cache(maxsize=256)
def _optional(model: type[BaseModel]) -> frozenset[str]:
    return frozenset(wire_name(model, name) for name, info in model.model_fields.items() if not info.is_required())
