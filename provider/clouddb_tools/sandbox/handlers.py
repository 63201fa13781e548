"""The collections that the sandbox serves, and the handler of each operation."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.registry import OPERATIONS, RESOURCES

from .monitoring import MONITORING
from .served import Handler, Served


def _served(collection: type[Collection[Any]]) -> Served:
    """Return `SERVED` of the module that has the collection's name, or the default if there is no such module."""
    name = f"{__package__}.{collection.plural()}"
    served: Served = import_module(name).SERVED if find_spec(name) else Served(collection)
    return served


BY_KIND: Mapping[str, Served] = {each.collection.plural(): _served(each.collection) for each in RESOURCES.values()}
"""The served collections by name."""

HANDLERS: dict[str, Handler] = {name: handler for each in BY_KIND.values() for name, handler in each.handlers()}
"""The handler of each operation in `api.operations`."""

if missing := OPERATIONS.keys() - HANDLERS.keys():
    raise LookupError(
        f"the sandbox cannot serve {', '.join(sorted(missing))}: "
        "their collection needs a `body`, or sandbox/ a module of its name with SERVED"
    )

HANDLERS |= {operation.name: handler for operation, handler in MONITORING.items()}
