"""Processes that are stopped together with those that they start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any, Final

if sys.platform == "win32":
    OWN_GROUP: Final[dict[str, Any]] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    """Arguments of `Popen` for a process that can be stopped with its children."""

    def interrupt(process: subprocess.Popen[Any]) -> None:
        """Send a Ctrl-Break to the process and its children: a group of its own gets no Ctrl-C."""
        with suppress(OSError):
            process.send_signal(signal.CTRL_BREAK_EVENT)

    def kill(process: subprocess.Popen[Any]) -> None:
        """End the process and its children at once."""
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words

else:
    OWN_GROUP: Final[dict[str, Any]] = {"start_new_session": True}
    """Arguments of `Popen` for a process that can be stopped with its children."""

    def interrupt(process: subprocess.Popen[Any]) -> None:
        """Send a Ctrl-C to the process and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGINT)

    def kill(process: subprocess.Popen[Any]) -> None:
        """End the process and its children at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
