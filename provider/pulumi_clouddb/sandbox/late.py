"""What happens by itself as time passes: requests that are carried out late, and services that change their state."""

from __future__ import annotations

from contextlib import suppress

from . import lifecycle
from .errors import HTTPError
from .state import SandboxState


def settle(state: SandboxState) -> None:
    """Let everything happen whose time has come, in order; to be called before each request."""
    while state.late:
        first = min(state.late, key=lambda commit: commit.at)
        if first.at > state.clock.now():
            break
        state.late.remove(first)
        # Records tell the moment at which they were made, not that of the request which happens to come next.
        with state.clock.at(first.at), suppress(HTTPError):
            first.carry_out()
    with state.store.transaction():
        lifecycle.settle(state)
