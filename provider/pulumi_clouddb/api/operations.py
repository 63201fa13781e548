"""Every operation by its name: those of all collections."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from . import collections
from .collection import Collection
from .operation import Operation as Operation
from .operation import ServerKind as ServerKind


def _declared() -> Iterator[type[Collection[Any]]]:
    """Yield the collections that the modules of `collections/` declare, in the order of the modules' names."""
    for found in sorted(pkgutil.iter_modules(collections.__path__), key=lambda module: module.name):
        module = import_module(f"{collections.__name__}.{found.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Collection) and value.__module__ == module.__name__:
                yield value


COLLECTIONS: tuple[type[Collection[Any]], ...] = tuple(_declared())
"""All collections."""

OPERATIONS: dict[str, Operation] = {
    operation.name: operation for collection in COLLECTIONS for operation in collection.operations()
}
"""All operations by name, by which `clouddb:paths` overrides their paths."""
