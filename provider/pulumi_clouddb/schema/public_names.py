"""The names of properties in Python and on the wire. They are public: messages never mask them."""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from .annotations import model_in
from .base import Model, wire_name, wire_names
from .within import typed_in

_QUOTED_OR_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w:])[a-z]\w*""")
"""Quoted texts are values, and a name after a colon is a setting: both stay unchanged."""

_OPTIONS = frozenset({"deleteBeforeReplace"})
"""Pulumi's options in messages."""


def python_name(wire: str) -> str:
    """Return the Python name of a property."""
    name = to_snake(wire)
    return f"{name}_" if keyword.iskeyword(name) else name


class PythonNames:
    """Replaces the wire names of the properties of models, and of functions, with Python names in messages."""

    def __init__(self, models: Iterable[type[BaseModel]], functions: Iterable[str] = ()) -> None:
        names = {name for model in models for name in _names(model, set())} | _OPTIONS | {*functions}
        # A property such as `from` may also be an ordinary word.
        self._names = {name: python_name(name) for name in names if not name.islower()}

    def __call__(self, text: str) -> str:
        """Return a message with Python names."""
        return _QUOTED_OR_WORD.sub(lambda match: self._names.get(match[0], match[0]), text)


def _names(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """Yield the wire names of the properties of a model, and of the objects in it."""
    seen.add(model)
    for attribute, info in model.model_fields.items():
        yield wire_name(model, attribute)
        for inner in (model_in(info.annotation), *map(typed_in, (info.annotation, *info.metadata))):
            if inner is not None and inner not in seen:
                yield from _names(inner, seen)


_load: list[Callable[[], object]] = []


def loaded_by(load: Callable[[], object]) -> None:
    """Register a function that loads models: masking must not depend on the models that a process has used."""
    _load.append(load)


def models() -> frozenset[type[Model]]:
    """Return all models."""
    for load in _load:
        load()
    return frozenset(_derived(Model))


def _derived(base: type[Model]) -> Iterator[type[Model]]:
    for each in base.__subclasses__():
        yield each
        yield from _derived(each)


@functools.cache
def public_names() -> frozenset[str]:
    """Return the names of all properties, on the wire and in Python."""
    wire = {name for model in models() for name in wire_names(model)}
    return frozenset({*wire, *map(python_name, wire)})
