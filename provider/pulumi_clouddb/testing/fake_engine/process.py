"""Child processes whose lines of output are passed on, and which never outlive their owner."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

GRACE_SECONDS = 5.0


class ChildProcess:
    """A process in a group of its own; `on_line` gets what it prints, line by line, from two reader threads."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], on_line: Callable[[str], None]
    ) -> None:
        self._on_line = on_line
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            list(command),
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._readers: list[threading.Thread] = []

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def first_line(self) -> str:
        """Wait for the first line of standard output, which a plugin uses to tell its port."""
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        return self._process.stdout.readline().strip()

    def pass_on_output(self) -> None:
        """Start to hand lines of output to `on_line`."""
        for stream in (self._process.stdout, self._process.stderr):
            reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
            reader.start()
            self._readers.append(reader)

    def poll(self) -> int | None:
        """The exit code, or nothing while it runs."""
        return self._process.poll()

    def stop(self, gently: bool) -> None:
        """End the process and all that it started: asked with an interrupt first if `gently`, else at once."""
        if gently and self.poll() is None:
            self._signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)
        self._signal(signal.SIGKILL)
        self._process.wait()
        for reader in self._readers:
            reader.join(GRACE_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _read(self, stream: IO[str]) -> None:
        with suppress(ValueError):  # closed while a child of the process still held the other end
            for line in stream:
                self._on_line(line.rstrip("\n"))
