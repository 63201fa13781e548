"""The recorder of an operation's steps and messages, which many threads use."""

from __future__ import annotations

import threading
from collections import Counter

from clouddb_tools.testing.result import Diagnostic, Result, Step
from clouddb_tools.testing.stack import Progress


class Recorder:
    """Collects the result of one operation, and calls the user's callback."""

    def __init__(self, operation: str, progress: Progress | None) -> None:
        self.result = Result(operation)
        self._counts: Counter[str] = Counter()
        self._progress = progress or (lambda _: None)
        self._lock = threading.RLock()

    def step(self, step: Step, counted: bool) -> None:
        """Record a completed step; the halves of a replacement are not counted."""
        with self._lock:
            self.result.steps.append(step)
            if counted:
                self._counts[step.op] += 1
                self.result.changes = dict(self._counts)
            self._progress(step)

    def diagnostic(self, severity: str, message: str, urn: str = "", *, ephemeral: bool = False) -> None:
        """Record a message; an ephemeral one, a status line, goes to the callback only."""
        with self._lock:
            diagnostic = Diagnostic(severity, message, urn)
            if not ephemeral:
                self.result.diagnostics.append(diagnostic)
            self._progress(diagnostic)

    def error(self, message: str, urn: str = "") -> None:
        """Record an error, which makes the operation fail."""
        self.fail()
        self.diagnostic("error", message, urn)

    def fail(self) -> None:
        """Mark the operation as failed."""
        with self._lock:
            self.result.ok = False

    def line(self, line: str) -> None:
        """Record a line that the program or the provider host printed."""
        with self._lock:
            self.result.stdout.append(line)
            self._progress(Diagnostic("info", line))
