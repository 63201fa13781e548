"""What happens by itself as time passes: requests that are carried out late, and services that change their state."""

from __future__ import annotations

from contextlib import suppress

from . import lifecycle
from .errors import HTTPError
from .world import World


def settle(world: World) -> None:
    """Let everything happen whose time has come, in order; to be called before each request."""
    while world.late:
        first = min(world.late, key=lambda commit: commit.at)
        if first.at > world.clock.now():
            break
        world.late.remove(first)
        # Records tell the moment at which they were made, not that of the request which happens to come next.
        with world.clock.at(first.at), suppress(HTTPError):
            first.carry_out()
    with world.store.transaction():
        lifecycle.settle(world)
