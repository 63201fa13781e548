"""Collects what happens during an operation, from many threads, and tells the user's callback."""

from __future__ import annotations

import threading
from collections import Counter

from pulumi_clouddb.testing.result import Diagnostic, Result, Step
from pulumi_clouddb.testing.stack import Progress


class Recorder:
    """The growing result of one operation."""

    def __init__(self, operation: str, progress: Progress | None) -> None:
        self.result = Result(operation)
        self._counts: Counter[str] = Counter()
        self._progress = progress
        self._lock = threading.RLock()

    def step(self, step: Step, counted: bool) -> None:
        """Note a step that is done; the halves of a replacement are not counted."""
        with self._lock:
            self.result.steps.append(step)
            if counted:
                self._counts[step.op] += 1
                self.result.changes = dict(self._counts)
            self._tell(step)

    def diagnostic(self, severity: str, message: str, urn: str = "", *, passing: bool = False) -> None:
        """Note a message; a passing one is a status line, shown and then forgotten."""
        with self._lock:
            found = Diagnostic(severity, message, urn)
            if not passing:
                self.result.diagnostics.append(found)
            self._tell(found)

    def error(self, message: str, urn: str = "") -> None:
        """Note an error of an operation that has failed by it."""
        self.fail()
        self.diagnostic("error", message, urn)

    def fail(self) -> None:
        """Note that the operation has failed."""
        with self._lock:
            self.result.ok = False

    def line(self, line: str) -> None:
        """Note a line that the program or the provider host printed."""
        with self._lock:
            self.result.stdout.append(line)
            self._tell(Diagnostic("info", line))

    def _tell(self, event: Step | Diagnostic) -> None:
        if self._progress is not None:
            self._progress(event)
