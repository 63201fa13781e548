"""The names that properties have in Python programs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from .base import wire_name
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
