"""The names of properties. They are public: no message hides one."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from .base import Model, wire_names
from .python_names import python_name


def models(base: type[Model] = Model) -> Iterator[type[Model]]:
    """Yield all models that are loaded."""
    for each in base.__subclasses__():
        yield each
        yield from models(each)


def public_names() -> frozenset[str]:
    """Return the names that properties have on the wire and in Python."""
    return _names_of(frozenset(models()))


@functools.lru_cache(maxsize=1)
def _names_of(loaded: frozenset[type[Model]]) -> frozenset[str]:
    wire = {name for model in loaded for name in wire_names(model)}
    return frozenset({*wire, *map(python_name, wire)})
