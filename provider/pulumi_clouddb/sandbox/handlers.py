"""Which function serves which operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import alerts, dashboards, keys, pipes, services, sources
from .state import Call, SandboxState

Handler = Callable[[SandboxState, Call], Any]

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
