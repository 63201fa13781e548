"""Processor time and memory of processes, from Linux."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and its threads so far."""
    return time.clock_gettime((~pid << 3) | 2)  # the clock of a process: clock_getcpuclockid(3)


def peak_mib(pid: int) -> float:
    """Return the peak memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def cpu_of_command(command: Sequence[str], env: Mapping[str, str] | None = None) -> float:
    """Return the processor time of a command and its child processes."""
    before = cpu_of_children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)  # noqa: S603
    return cpu_of_children() - before


def cpu_of_children() -> float:
    """Return the processor time of all child processes that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
