"""Values of another JSON type than their model says: in state that somebody has edited by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pydantic import BaseModel

from .convert import fields_of
from .json_types import JsonType, json_types_of
from .values import UNKNOWN, Path, WireValues, show_path

_WORDS: Final[tuple[tuple[type, str], ...]] = (
    (str, "text"),
    (bool, "true or false"),
    (int, "a number"),
    (list, "a list"),
    (Mapping, "an object"),
)
"""What a type is called; one that is in another row, too, is found in the first."""


class Misfit(NamedTuple):
    """A value of another type.

    Attributes:
        path: Where it is.
        problem: What it is and what it must be. The value itself is not quoted: it may be a secret.
    """

    path: Path
    problem: str

    def __str__(self) -> str:
        return f"{show_path(self.path)} {self.problem}"


def misfits(model: type[BaseModel], values: WireValues) -> Iterator[Misfit]:
    """Yield what has another JSON type than the model says, at any depth; names that it does not have are left out.

    Args:
        model: The model.
        values: Its values by wire name; `UNKNOWN` and null fit everywhere.
    """
    json_types = json_types_of(model)
    for wire, attribute, nested in fields_of(model):
        for misfit in _within(json_types[attribute], nested, values.get(wire)):
            yield Misfit((wire, *misfit.path), misfit.problem)


def _within(json_type: JsonType, model: type[BaseModel] | None, value: object) -> Iterator[Misfit]:
    if value is None or value is UNKNOWN:
        return
    if not json_type.takes(value):
        yield Misfit((), f"must be {_called(json_type)}, and is {_name(value)}")
        return
    parts: list[tuple[str | int, object]] = []
    if isinstance(value, (list, tuple)):
        parts = [*enumerate(value)]
    elif isinstance(value, Mapping) and json_type.inner:
        parts = [*value.items()]
    elif isinstance(value, Mapping) and model:
        yield from misfits(model, value)
    for place, part in parts:
        for misfit in _within(json_type.inner or JsonType(), model, part):
            yield Misfit((place, *misfit.path), misfit.problem)


def _called(json_type: JsonType) -> str:
    return " or ".join(word for type_, word in _WORDS if type_ in json_type.types)


def _name(value: object) -> str:
    return next((word for type_, word in _WORDS if isinstance(value, type_)), "a number")
