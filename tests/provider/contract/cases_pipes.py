"""Pipes that are created stopped: no life starts like this, as no response repeats the input."""

from __future__ import annotations

from lives.life import a_service
from things.pipes.life import STREAM

from .case import Case
from .cases_lives import SAME
from .cases_service_settings import CLICKHOUSE, written
from .steps import check, create, diff, from_here_on, later_command, refresh, update

PAUSED = {**STREAM.before, "startPaused": True}
STARTED = {**STREAM.before, "stopped": False}

CASES = [
    Case(
        "Pipe: it is created stopped, and started by the program",
        "Pipe",
        (
            from_here_on(),
            check(PAUSED, failures=[]),
            create(PAUSED, outputs={"state": "Stopped"}),
            written("create_pipe"),
            diff(PAUSED, **SAME),
            later_command(),
            refresh(),
            diff(PAUSED, **SAME),
            from_here_on(),
            diff(STARTED, changes=True, replaces=[]),
            update(STARTED, outputs={"state": "Running"}),
            written("command_pipe"),
            later_command(),
            refresh(),
            diff(STARTED, **SAME),
        ),
        CLICKHOUSE,
        a_service,
    )
]
