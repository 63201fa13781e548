"""What `clouddb export` shows: progress, what it found and left out, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from pulumi_clouddb.commands.printing import console
from pulumi_clouddb.schema.config import ProviderConfig

from .export import Export
from .handover import StackError, commands, make_stack, settings_of, written_as
from .inventory import Note, by_reason
from .inventory import Progress as Listener
from .language import Language
from .project import IMPORT_FILE
from .terraform import Managed, compared

LONGEST = 60
"""Characters of an object in a warning."""


class Report:
    """Writes to standard error, in lines that can be copied."""

    def __init__(self) -> None:
        self._console = console(stderr=True, soft_wrap=True, markup=False)

    @contextmanager
    def progress(self) -> Iterator[Listener]:
        """Show what is under way, where somebody looks at it."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console, transient=True, disable=not self._console.is_terminal) as bar:
            task = bar.add_task("")
            yield lambda text, done, total: bar.update(
                task, description=text, completed=done, total=total, refresh=True
            )

    def error(self, text: str) -> None:
        """Show why there is no export."""
        self._console.print(f"error: {text}")

    def notes(self, notes: Sequence[Note]) -> None:
        """Show the objects that are left out, all of one reason in one line."""
        for (what, reason), which in by_reason(notes).items():
            names = ", ".join(each if len(each) <= LONGEST else f"{each[: LONGEST - 1]}…" for each in which)
            self._console.print(f"warning: {what} {names}: {reason}")

    def found(self, done: Export, managed: Sequence[Managed]) -> None:
        """Show how many objects of each kind were exported, and what is not."""
        table = Table("Resource", "Objects")
        for kind, count in done.counts.items():
            table.add_row(kind, str(count))
        self._console.print(table)
        self.notes(done.notes)
        _, left = compared(managed, done.ids)
        if left:
            table = Table(Column("In Terraform", overflow="fold"), "Why it stays there", show_lines=True)
            for each in left:
                table.add_row(each.address, each.reason)
            self._console.print(table)

    def wrote(self, folder: Path, files: Sequence[str]) -> None:
        """Show which files were written."""
        self._console.print(f"Wrote {', '.join(files)} into {folder}.")

    def made_stack(self, folder: Path, name: str, language: Language, config: ProviderConfig, done: Export) -> bool:
        """Make the stack, and tell whether that went well."""
        try:
            with self.progress() as progress:
                make_stack(folder, name, settings_of(config), written_as(language, done.secrets), progress)
        except StackError as error:
            self.error(f"the stack {name} is not ready: {error}")
            return False
        self._console.print(f"Made and configured the stack {name}; its secrets are encrypted in Pulumi.{name}.yaml.")
        return True

    def next_steps(
        self,
        folder: Path,
        language: Language,
        config: ProviderConfig,
        done: Export,
        stack: str | None,
        *,
        protect: bool,
    ) -> None:
        """Show the commands that lead to a clean preview."""
        self._console.print("Now run\n")
        for line in commands(folder, language, settings_of(config), list(done.secrets), stack, protect=protect):
            self._console.print(f"  {line}")
        secret = "; it may hold secrets, so that only you can read it" if language == Language.PYTHON else ""
        self._console.print(f"\nThen delete {IMPORT_FILE}{secret}.")

    def letting_go(self, done: Export, managed: Sequence[Managed]) -> None:
        """Show how Terraform forgets what Pulumi manages."""
        forgotten, _ = compared(managed, done.ids)
        if forgotten:
            words = " ".join(map(shlex.quote, forgotten))
            self._console.print("When the preview shows no change, let Terraform forget what Pulumi manages now:\n")
            self._console.print(f"  terraform state rm {words}\n")
            self._console.print(
                "and take these resources out of its configuration. Its plan shows no change until then."
            )
