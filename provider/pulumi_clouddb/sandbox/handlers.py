"""Which function serves which operation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from pulumi_clouddb.api.operations import OPERATIONS

from . import alerts, dashboards, keys, pipes, services, sources
from .plain import PLAIN, Handler

_STACK: Mapping[str, Handler] = {
    "list_dashboards": dashboards.list_all,
    "create_dashboard": dashboards.create,
    "get_dashboard": dashboards.get,
    "update_dashboard": dashboards.update,
    "delete_dashboard": dashboards.delete,
    "list_alerts": alerts.list_all,
    "create_alert": alerts.create,
    "get_alert": alerts.get,
    "update_alert": alerts.update,
    "delete_alert": alerts.delete,
    "list_sources": sources.list_all,
}

HANDLERS: dict[str, Handler] = {
    **dict(chain.from_iterable(each.handlers for each in PLAIN.values())),
    "list_services": services.list_all,
    "create_service": services.create,
    "get_service": services.get,
    "update_service": services.update,
    "scale_service": services.scale,
    "scale_service_total": services.scale_total,
    "command_service": services.command,
    "reset_password": services.reset_password,
    "delete_service": services.delete,
    "list_pipes": pipes.list_all,
    "get_pipe": pipes.get,
    "scale_pipe": pipes.scale,
    "list_keys": keys.list_all,
    "create_key": keys.create,
    "get_key": keys.get,
    "update_key": keys.update,
    "delete_key": keys.delete,
    **_STACK,
    **{f"self_hosted_{name}": handler for name, handler in _STACK.items()},
}
"""The handler of each operation in `api.operations`."""

if missing := OPERATIONS.keys() - HANDLERS.keys():
    raise LookupError(
        f"the sandbox cannot serve {', '.join(sorted(missing))}: "
        "their collection must have a `body`, or sandbox/handlers.py what serves them"
    )
