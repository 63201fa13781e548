"""Print the demo: headings, progress, the number of requests, and the table at the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Diagnostic, Result, Secret, Step

SIGNS = {"create": "[green]+[/]", "update": "[yellow]~[/]", "delete": "[red]-[/]"}
HEARTBEAT_SECONDS = 5.0


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    reads: int
    writes: int
    seconds: float


class Stage:
    """Print each step and count its requests.

    Attributes:
        problems: The failed checks.
        managed: Names of the properties that the program sets, by resource: only their changes are shown.
    """

    def __init__(self, console: Console, sandbox: Sandbox) -> None:
        self.problems: list[str] = []
        self.managed: Mapping[str, Collection[str]] = {}
        self._console = console
        self._sandbox = sandbox
        self._rows: list[Row] = []
        self._last_sign_of_life = 0.0

    def say(self, text: str, style: str = "") -> None:
        """Print one line as it is."""
        self._last_sign_of_life = time.monotonic()
        self._console.print(text, style=style or None, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def step(self, title: str, why: str) -> Iterator[None]:
        """Print one step: a heading, a line about it, and at the end the number of requests."""
        self._console.print(f"\n[bold]{len(self._rows) + 1}. {escape(title)}[/]", highlight=False)
        self.say(f"   {why}", "dim")
        self._sandbox.forget_requests()
        started = time.monotonic()
        yield
        row = Row(title, *self.calls(), time.monotonic() - started)
        self._rows.append(row)
        calls = "no API call" if not row.reads + row.writes else f"{row.reads} reads, {row.writes} writes"
        self.say(f"   {calls}, {row.seconds:.1f} s", "dim")

    def run(self, words: str, operation: Callable[[], Result]) -> Result:
        """Run `operation` while the progress is shown, and return its result."""
        with self.moving(words):
            return operation()

    def calls(self) -> tuple[int, int]:
        """Return the number of reads and of writes in this step."""
        reads = self._sandbox.count(method="GET")
        return reads, self._sandbox.count() - reads

    def show(self, event: Step | Diagnostic) -> None:
        """Print a step or a warning as it comes; what stays as it is needs no line."""
        if isinstance(event, Diagnostic):
            if event.severity == "warning":
                self.say(f"   ! {event.message}", "yellow")
        elif event.op in SIGNS and ":Stack" not in event.type:
            kind = event.type.rpartition(":")[2]
            self._last_sign_of_life = time.monotonic()
            managed = self.managed.get(event.name, event.changed)
            names = ", ".join(name for name in event.changed if name in managed)
            changed = f": {names}" if names else ""
            self._console.print(f"   {SIGNS[event.op]} {kind} {escape(event.name + changed)}", highlight=False)

    def outputs(self, outputs: dict[str, Any]) -> None:
        """Print stack outputs; secrets are never shown."""
        for name, value in sorted(outputs.items()):
            self.say(f"   {name:<17}{_shown(value)}")

    def expect(self, holds: bool, claim: str) -> None:
        """Record and print a check that does not hold."""
        if not holds:
            self.problems.append(claim)
            self.say(f"   CHECK FAILED: {claim}", "bold red")

    def table(self) -> None:
        """Print all steps with their calls and seconds."""
        table = Table("Step", title="What it took", title_justify="left")
        for heading in ("Reads", "Writes", "API calls", "Seconds"):
            table.add_column(heading, justify="right")
        for row in self._rows:
            table.add_row(row.title, str(row.reads), str(row.writes), str(row.reads + row.writes), f"{row.seconds:.1f}")
        table.add_section()
        reads, writes = sum(row.reads for row in self._rows), sum(row.writes for row in self._rows)
        table.add_row("All", str(reads), str(writes), str(reads + writes), f"{sum(r.seconds for r in self._rows):.1f}")
        self._console.print()
        self._console.print(table)

    @contextmanager
    def moving(self, words: str) -> Iterator[None]:
        """Show that the block is running: a spinner with the seconds, or without a terminal a line now and then."""
        if self._console.is_terminal:
            columns = (TextColumn("  "), SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            with Progress(*columns, console=self._console, transient=True) as progress:
                progress.add_task(words, total=None)
                yield
            return
        done = threading.Event()
        started = self._last_sign_of_life = time.monotonic()

        def beat() -> None:
            while not done.wait(0.2):
                now = time.monotonic()
                if now - self._last_sign_of_life >= HEARTBEAT_SECONDS:
                    self.say(f"   ... {words}, {now - started:.0f} s so far")

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _shown(value: Any) -> str:
    if isinstance(value, Secret):
        return "[secret]"
    if isinstance(value, list):
        return ", ".join(f"{item['protocol']}://{item['host']}:{item['port']:g}" for item in value)
    return str(value)
