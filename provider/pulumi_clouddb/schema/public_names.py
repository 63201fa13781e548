"""The names of properties. They are public: no message hides one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from .base import Model, wire_names
from .python_names import python_name

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
