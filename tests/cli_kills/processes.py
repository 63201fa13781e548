"""The processes of one command in a terminal: one session, several process groups (Linux only)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from . import plan as ways
from .plan import Plan

PROC = Path("/proc")
POLL_SECONDS = 0.02
LONGEST_SECONDS = 300.0
"""Timeout of a command; ten times the duration on a quiet machine."""

_PROVIDERS = ("pulumi.dynamic", "pulumi-resource-clouddb")
_PROGRAMS = ("pulumi-language-python-exec",)
_LANGUAGE_HOST = re.compile(r"pulumi-language-python ")
"""Pulumi's language host; it can outlive a killed CLI (seen with 3.260). It sends no requests to servers."""


def processes(session: int) -> dict[int, str]:
    """Return the running processes of a session, with their commands."""
    found = {}
    for each in PROC.iterdir():
        if each.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                state, _, _, its_session, *_ = (each / "stat").read_text("utf-8").rpartition(")")[2].split()
                if int(its_session) == session and state != "Z":
                    found[int(each.name)] = (each / "cmdline").read_text("utf-8").replace("\0", " ")
    return found


def interrupt(command: subprocess.Popen[bytes], plan: Plan) -> bool:
    """Interrupt a command in the way of a plan; return whether it was still running."""
    if command.poll() is not None:
        return False
    if plan.way in (ways.CTRL_C, ways.CTRL_C_TWICE):
        os.killpg(command.pid, signal.SIGINT)
        if plan.way == ways.CTRL_C_TWICE:
            with suppress(subprocess.TimeoutExpired):
                command.wait(plan.gap)
            if command.poll() is None:
                os.killpg(command.pid, signal.SIGINT)
        return True
    victims = _victims(command.pid, plan)
    for each in victims:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    return bool(victims)


def _victims(session: int, plan: Plan) -> list[int]:
    if plan.way == ways.KILL_CLI:
        return [session]
    living = processes(session)
    if plan.way == ways.KILL_ALL:
        return Random(plan.seed).sample(sorted(living), len(living))  # noqa: S311 (nothing secret)
    words = _PROVIDERS if plan.way == ways.KILL_PROVIDER else _PROGRAMS
    return [pid for pid, command in living.items() if any(word in command for word in words)]


def end_of(command: subprocess.Popen[bytes]) -> dict[int, str]:
    """Wait until all processes of a command except the language host have ended; kill and return the others."""
    late = time.monotonic() + LONGEST_SECONDS
    while True:
        command.poll()
        living = processes(command.pid)
        left = {pid: words for pid, words in living.items() if not _LANGUAGE_HOST.search(words)}
        if not left or time.monotonic() > late:
            break
        time.sleep(POLL_SECONDS * 5)
    for each in living:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    command.wait()
    return left
