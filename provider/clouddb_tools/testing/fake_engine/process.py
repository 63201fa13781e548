"""Child processes that never outlive their owner, with their output line by line."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from clouddb_tools.testing.process_group import OWN_GROUP, interrupt, kill

GRACE_SECONDS = 5.0


class ChildProcess:
    """A process in its own process group; two reader threads call `on_line` with each line of output."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], on_line: Callable[[str], None]
    ) -> None:
        self._on_line = on_line
        self._process: subprocess.Popen[str] = subprocess.Popen(  # noqa: S603 - this interpreter
            list(command),
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            **OWN_GROUP,
        )
        self._readers: list[threading.Thread] = []

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def first_line(self) -> str:
        """Wait for the first line of standard output, in which a plugin reports its port."""
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        return self._process.stdout.readline().strip()

    def forward_output(self) -> None:
        """Start forwarding lines of output to `on_line`."""
        for stream in (self._process.stdout, self._process.stderr):
            reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
            reader.start()
            self._readers.append(reader)

    def poll(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.poll()

    def stop(self, gently: bool) -> None:
        """Stop the process and its children, if `gently` with an interrupt first."""
        if gently and self.poll() is None:
            interrupt(self._process)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_SECONDS)
        kill(self._process)
        self._process.wait()
        for reader in self._readers:
            reader.join(GRACE_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _read(self, stream: IO[str]) -> None:
        with suppress(ValueError):  # the stream is closed while a child process still has its other end
            for line in stream:
                self._on_line(line.rstrip("\n"))
