"""The names of properties in Python programs and on the wire. They are public: no message hides one."""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from .base import Model, wire_name, wire_names
from .convert import model_in
from .within import typed_in

_QUOTED_OR_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w:])[a-z]\w*""")
"""What is quoted is a value, and a name behind a colon is that of a setting: both stay as they are."""

_OPTIONS = frozenset({"deleteBeforeReplace"})
"""The options of Pulumi that messages name."""


def python_name(wire: str) -> str:
    """Return the name that a property has in Python."""
    name = to_snake(wire)
    return f"{name}_" if keyword.iskeyword(name) else name


class PythonNames:
    """Puts the names that Python programs use into messages, which have those on the wire.

    Args:
        models: The models whose properties messages name.
    """

    def __init__(self, models: Iterable[type[BaseModel]]) -> None:
        names = {name for model in models for name in _names(model, set())} | _OPTIONS
        # A property such as `from` is a word of prose, too.
        self._names = {name: python_name(name) for name in names if not name.islower()}

    def __call__(self, text: str) -> str:
        """Return a message with Python's names."""
        return _QUOTED_OR_WORD.sub(lambda found: self._names.get(found[0], found[0]), text)


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
    """Name what loads models that a process has not used so far; what messages hide must not depend on that."""
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


def public_names() -> frozenset[str]:
    """Return the names that properties have on the wire and in Python."""
    return _names_of(models())


@functools.lru_cache(maxsize=1)
def _names_of(loaded: frozenset[type[Model]]) -> frozenset[str]:
    wire = {name for model in loaded for name in wire_names(model)}
    return frozenset({*wire, *map(python_name, wire)})
