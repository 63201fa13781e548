"""What is served: the collections of the API, and which function serves which operation."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.registry import COLLECTIONS, OPERATIONS

from . import (
    alerts,
    connections,
    dashboards,
    invitations,
    keys,
    members,
    organizations,
    pipes,
    roles,
    saved_searches,
    services,
    sources,
    stack_roles,
    webhooks,
)
from .served import Handler, Served

MODULES = (
    services,
    pipes,
    keys,
    organizations,
    roles,
    members,
    invitations,
    dashboards,
    alerts,
    saved_searches,
    stack_roles,
    sources,
    webhooks,
    connections,
)

_SPECIAL = {module.SERVED.kind: module.SERVED for module in MODULES}
BY_KIND: Mapping[str, Served] = {
    **_SPECIAL,
    **{each.plural(): Served(each) for each in COLLECTIONS if each.plural() not in _SPECIAL},
}
"""What serves each collection, by its name."""

HANDLERS: dict[str, Handler] = {name: handler for each in BY_KIND.values() for name, handler in each.handlers()}
"""The handler of each operation in `api.operations`."""

if missing := OPERATIONS.keys() - HANDLERS.keys():
    raise LookupError(
        f"the sandbox cannot serve {', '.join(sorted(missing))}: "
        "their collection must have a `body`, or sandbox/handlers.py what serves them"
    )
