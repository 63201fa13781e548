"""The JSON types of fields, to find values of the wrong type, as in state that was edited by hand."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, BeforeValidator

from .annotations import shape_of
from .convert import fields_of
from .values import UNKNOWN, Path, WireValues, from_text, show_path


class JsonType(NamedTuple):
    """The JSON types of a value; an unknown value fits all.

    Attributes:
        types: Their Python types; empty for any.
        inner: The types of the elements of a list, or of the values of an object; None for any.
    """

    types: tuple[type, ...] = ()
    inner: JsonType | None = None

    def fits(self, value: object) -> bool:
        """Return whether a value has one of these types, without looking into lists and models."""
        if value is UNKNOWN or not self.types:
            return True
        if isinstance(value, Mapping) and self.inner:
            return Mapping in self.types and all(map(self.inner.fits, value.values()))
        return self.matches(value)

    def matches(self, value: object) -> bool:
        """Return whether a known value has one of these types, whatever it contains."""
        # In Python, bool is a kind of int.
        return not self.types or (isinstance(value, self.types) and (not isinstance(value, bool) or bool in self.types))


_OF_CLASSES: tuple[tuple[type, tuple[type, ...]], ...] = (
    (BaseModel, (Mapping,)),
    (Enum, (str,)),
    (str, (str,)),
    (bool, (bool,)),
    (int, (int, float)),
    (float, (int, float)),
)


@functools.lru_cache(maxsize=256)
def json_types_of(model: type[BaseModel]) -> Mapping[str, JsonType]:
    """Return the JSON types of each attribute of a model, apart from null."""
    return {
        attribute: JsonType() if _is_converted(info.metadata) else _of(info.annotation)
        for attribute, info in model.model_fields.items()
    }


def _is_converted(metadata: Iterable[object]) -> bool:
    """Return whether a value may be JSON in a text, as in settings."""
    return any(isinstance(each, BeforeValidator) and each.func is from_text for each in metadata)


def _of(annotation: Any) -> JsonType:
    shape = shape_of(annotation)
    if _is_converted(shape.metadata):
        return JsonType()
    if shape.kind is list:
        return JsonType((list, tuple), _of(shape.inner[0]))
    if shape.kind is dict:
        return JsonType((Mapping,), None if shape.inner[1] is Any else _of(shape.inner[1]))
    return JsonType(next((types for class_, types in _OF_CLASSES if issubclass(shape.kind, class_)), ()))


_WORDS: Final[tuple[tuple[type, str], ...]] = (
    (str, "text"),
    (bool, "true or false"),
    (int, "a number"),
    (list, "a list"),
    (Mapping, "an object"),
)
"""The name of each type in messages; the first match counts."""


class Misfit(NamedTuple):
    """A value of the wrong type.

    Attributes:
        path: Its path.
        problem: The type it must have, and the type it has. The value is not quoted: it may be secret.
    """

    path: Path
    problem: str

    def __str__(self) -> str:
        return f"{show_path(self.path)} {self.problem}"


def misfits(model: type[BaseModel], values: WireValues) -> Iterator[Misfit]:
    """Yield the values of the wrong type at any depth, except null, `UNKNOWN` and values of unknown names."""
    json_types = json_types_of(model)
    for wire, attribute, nested in fields_of(model):
        for misfit in _within(json_types[attribute], nested, values.get(wire)):
            yield Misfit((wire, *misfit.path), misfit.problem)


def unknown_names(model: type[BaseModel], values: WireValues) -> Iterator[Path]:
    """Yield the paths of the names in inputs, at any depth, that their models lack."""
    fields = {wire: (attribute, nested) for wire, attribute, nested in fields_of(model)}
    closed = model.model_config.get("extra") == "forbid"
    for name, value in values.items():
        if name in fields:
            attribute, nested = fields[name]
            for path in _unknown_within(json_types_of(model)[attribute], nested, value) if nested else ():
                yield (name, *path)
        elif closed:
            yield (name,)


def _unknown_within(json_type: JsonType, model: type[BaseModel], value: object) -> Iterator[Path]:
    if isinstance(value, Mapping) and not json_type.inner:
        yield from unknown_names(model, value)
        return
    for place, part in _parts(value):
        for path in _unknown_within(json_type.inner or JsonType(), model, part):
            yield (place, *path)


def _parts(value: object) -> Iterator[tuple[str | int, object]]:
    """Yield the elements of a list, or the values of an object, each with its place."""
    if isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif isinstance(value, Mapping):
        yield from value.items()


def _within(json_type: JsonType, model: type[BaseModel] | None, value: object) -> Iterator[Misfit]:
    if value is None or value is UNKNOWN:
        return
    if not json_type.matches(value):
        yield Misfit((), f"must be {_called(json_type)}, and is {_name(value)}")
        return
    if isinstance(value, Mapping) and not json_type.inner:
        yield from misfits(model, value) if model else ()
        return
    for place, part in _parts(value):
        for misfit in _within(json_type.inner or JsonType(), model, part):
            yield Misfit((place, *misfit.path), misfit.problem)


def _called(json_type: JsonType) -> str:
    return " or ".join(word for type_, word in _WORDS if type_ in json_type.types)


def _name(value: object) -> str:
    return next((word for type_, word in _WORDS if isinstance(value, type_)), "a number")
