"""Starting and stopping a pipe: which command brings it to what the program wants."""

from __future__ import annotations

import pytest

from pulumi_clouddb.things.pipes.api import Command
from pulumi_clouddb.things.pipes.resource import command_for

START, STOP = Command.START, Command.STOP
CASES: dict[str, tuple[str | None, bool | None, bool, Command | None]] = {
    "a running pipe stays as it is": ("Running", None, False, None),
    "a pipe that failed is started": ("Failed", None, False, START),
    "a pipe that somebody stopped is left alone": ("Stopped", None, False, None),
    "a stopped pipe that the program wants to run is started": ("Stopped", False, False, START),
    "a stopping pipe that the program wants to run is started": ("Stopping", False, False, START),
    "a pipe that this provider stopped is started again": ("Stopped", None, True, START),
    "a running pipe that the program wants stopped is stopped": ("Running", True, False, STOP),
    "a pipe that is stopped needs no command": ("Stopped", True, False, None),
    "a pipe that stops needs no command": ("Stopping", True, False, None),
    "a failed pipe that the program wants stopped needs no command": ("Failed", True, False, None),
    "a pipe that this provider stopped stays so if the program wants that": ("Stopped", True, True, None),
    "a pipe without a state stays as it is": (None, None, False, None),
}


@pytest.mark.parametrize(("state", "stopped", "restart", "command"), CASES.values(), ids=CASES.keys())
def test_which_command_a_pipe_needs(state: str | None, stopped: bool | None, restart: bool, command: object) -> None:
    """Nobody's pipe is started or stopped without a reason."""
    assert command_for(state, stopped=stopped, restart=restart) == command
