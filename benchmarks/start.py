"""Costs before the first resource: a front end's process, the command line, the import of a program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from support.plugin import COMMAND

from . import objects
from .engine import FRONT_ENDS, NOTHING, NOTHING_COMMAND, Engine
from .figure import Figure, in_turns
from .process import cpu_of_command, cpu_seconds

PART = "start"
CONFIG = {
    "clouddb:organizationId": "7f3c2a10-0000-4000-8000-000000000000",
    "clouddb:keyId": "key",
    "clouddb:keySecret": "secret",
    "clouddb:baseUrl": "http://127.0.0.1:9",
}
"""No server listens there, and no request is sent."""
CLOUDDB = str(Path(sys.executable).with_name("clouddb"))


def measured(samples: int) -> list[Figure]:
    """Return processor time and time of each start."""
    found = []
    for name, measure in (("processor time", cpu_until_port), ("time", seconds_until_port)):
        taken = in_turns(samples, value=partial(measure, COMMAND), floor=partial(measure, NOTHING_COMMAND))
        found.append(_figure(f"plugin until its port: {name}", NOTHING["plugin"], taken))
    for front_end in FRONT_ENDS:
        taken = in_turns(
            samples, value=partial(cpu_until_check, front_end), floor=partial(cpu_until_check, NOTHING[front_end])
        )
        found.append(_figure(f"{front_end}: first dashboard checked", NOTHING[front_end], taken))
    for words in ("--version", "--help"):
        taken = in_turns(samples, value=partial(cpu_of_command, [CLOUDDB, words]), floor=cpu_of_python("pass"))
        found.append(_figure(f"clouddb {words}", "Python's own start", taken))
    imported = cpu_of_python("import pulumi_clouddb; pulumi_clouddb.Dashboard")
    taken = in_turns(samples, value=imported, floor=cpu_of_python("import pulumi"))
    return [*found, _figure("import of a program", "import pulumi", taken)]


def _figure(name: str, floor_is: str, taken: dict[str, list[float]]) -> Figure:
    return Figure(PART, name, "s", floor_is, taken["value"], taken["floor"])


def cpu_of_python(statement: str) -> Callable[[], float]:
    """Return a function that measures the processor time of a statement in a separate Python process."""
    return partial(cpu_of_command, [sys.executable, "-c", statement])


def cpu_until_port(command: Sequence[str]) -> float:
    """Return the processor time of a plugin until it prints its port."""
    with _plugin(command) as process:
        _port(process)
        taken = cpu_seconds(process.pid)
        process.terminate()
    return taken


def seconds_until_port(command: Sequence[str]) -> float:
    """Return the time from a plugin's start until it prints its port."""
    started = time.perf_counter()
    with _plugin(command) as process:
        _port(process)
        taken = time.perf_counter() - started
        process.terminate()
    return taken


def cpu_until_check(front_end: str) -> float:
    """Return the processor time of a front end until it has checked a dashboard."""
    with tempfile.TemporaryDirectory() as folder, Engine(front_end, CONFIG, Path(folder)) as engine:
        engine.warm_up(objects.dashboards(1)[0])
        return cpu_seconds(engine.driver.pid)


def _plugin(command: Sequence[str]) -> subprocess.Popen[str]:
    # No engine serves this address; a plugin checks its engine only later.
    return subprocess.Popen([*command, "127.0.0.1:9"], stdout=subprocess.PIPE, text=True, env=dict(os.environ))  # noqa: S603


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None  # noqa: S101 (opened as a pipe above)
    return int(process.stdout.readline())
