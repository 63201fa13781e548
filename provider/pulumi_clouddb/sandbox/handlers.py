"""What is served: the collections of the API, and which function serves which operation."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.registry import OPERATIONS, RESOURCES

from .served import Handler, Served


def _served(collection: type[Collection[Any]]) -> Served:
    """Return what serves a collection: of the module of its name, or what serves those that need none."""
    name = f"{__package__}.{collection.plural()}"
    served: Served = import_module(name).SERVED if find_spec(name) else Served(collection)
    return served


BY_KIND: Mapping[str, Served] = {each.collection.plural(): _served(each.collection) for each in RESOURCES.values()}
"""What serves each collection, by its name."""

HANDLERS: dict[str, Handler] = {name: handler for each in BY_KIND.values() for name, handler in each.handlers()}
"""The handler of each operation in `api.operations`."""

if missing := OPERATIONS.keys() - HANDLERS.keys():
    raise LookupError(
        f"the sandbox cannot serve {', '.join(sorted(missing))}: "
        "their collection needs a `body`, or sandbox/ a module of its name with SERVED"
    )
