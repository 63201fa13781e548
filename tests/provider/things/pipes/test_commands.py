"""Starts and stops of a pipe: the command for each state and input."""

from __future__ import annotations

import pytest

from pulumi_clouddb.things.pipes.api import Command
from pulumi_clouddb.things.pipes.resource import command_for

START, STOP = Command.START, Command.STOP
CASES: dict[str, tuple[str | None, bool | None, bool, Command | None]] = {
    "a running pipe is not changed": ("Running", None, False, None),
    "a failed pipe is started": ("Failed", None, False, START),
    "a pipe stopped by hand is not changed": ("Stopped", None, False, None),
    "a stopped pipe is started if `stopped` is false": ("Stopped", False, False, START),
    "a stopping pipe is started if `stopped` is false": ("Stopping", False, False, START),
    "a pipe that this provider stopped is started again": ("Stopped", None, True, START),
    "a running pipe is stopped if `stopped` is true": ("Running", True, False, STOP),
    "a stopped pipe needs no command": ("Stopped", True, False, None),
    "a stopping pipe needs no command": ("Stopping", True, False, None),
    "a failed pipe needs no command if `stopped` is true": ("Failed", True, False, None),
    "a pipe that this provider stopped needs no command if `stopped` is true": ("Stopped", True, True, None),
    "a pipe without a state is not changed": (None, None, False, None),
}


@pytest.mark.parametrize(("state", "stopped", "restart", "command"), CASES.values(), ids=CASES.keys())
def test_command_depends_on_state_and_input(
    state: str | None, stopped: bool | None, restart: bool, command: object
) -> None:
    """A pipe is started or stopped only for one of these reasons."""
    assert command_for(state, stopped=stopped, restart=restart) == command
