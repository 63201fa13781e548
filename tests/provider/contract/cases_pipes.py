"""Pipes that are created stopped: no life starts like this, as no response repeats the input."""

from __future__ import annotations

from lives.life import a_service
from things.pipes.life import STREAM

from .case import Case
from .cases_lives import SAME
from .cases_service_settings import CLICKHOUSE, written
from .differences import IMPORT
from .steps import check, create, diff, from_here_on, import_, later_command, refresh, update

PAUSED = {**STREAM.before, "startPaused": True}
REGISTERED = {
    **STREAM.before,
    "source": {
        "kafka": {
            "type": "kafka",
            "format": "AvroConfluent",
            "brokers": "b:9092",
            "topics": "t",
            "schemaRegistry": {"url": "https://registry.example.com", "authentication": "PLAIN"},
        }
    },
}
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
    ),
    Case(
        "Pipe: a new one needs the credentials of its schema registry, an imported one does not",
        "Pipe",
        (
            check(REGISTERED, failures=["pipe"]),
            create({**REGISTERED, "credentials": {"schemaRegistry": {"username": "u", "password": "p"}}}),
            later_command(),
            import_("$service_id/$id"),
            check(REGISTERED, failures=[]),
        ),
        CLICKHOUSE,
        a_service,
        differs=frozenset({IMPORT}),
    ),
]
