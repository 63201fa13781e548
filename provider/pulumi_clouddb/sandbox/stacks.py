"""What an observability server has from the start."""

from __future__ import annotations

from . import connections, sources, webhooks
from .state import SandboxState


def furnish(state: SandboxState, stack: str) -> None:
    """Give a stack its sources, and in the clickhouse dialect the connection that they read through and webhooks."""
    sources.add_usual(state, stack)
    if state.settings.is_clickhouse:
        connections.add_usual(state, stack)
        webhooks.add_usual(state, stack)
