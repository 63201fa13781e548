"""The terminal output of `clouddb export`: progress, exported and omitted objects, and the next steps."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from clouddb_tools.commands.origin import installed_from
from clouddb_tools.commands.printing import console
from pulumi_clouddb.schema.config import ProviderConfig

from .export import Export
from .handover import StackError, as_config, commands, create_stack, settings_of
from .inventory import Note, by_reason
from .inventory import Progress as Listener
from .language import Language
from .project import IMPORT_FILE
from .terraform import Managed, Remaining

REMAINING = ("In Terraform", "Why it stays there")

LONGEST = 120
"""Maximum length of an object's name and id in a warning."""


class Report:
    """Writes to standard error, without wrapping lines."""

    def __init__(self) -> None:
        self._console = console(stderr=True, soft_wrap=True, markup=False)

    @contextmanager
    def progress(self) -> Iterator[Listener]:
        """Show a progress bar in a terminal."""
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
        """Show an error."""
        self._console.print(f"error: {text}")

    def notes(self, notes: Sequence[Note]) -> None:
        """Show the omitted objects, one line for each reason."""
        for (what, reason), which in by_reason(notes).items():
            names = ", ".join(each if len(each) <= LONGEST else f"{each[: LONGEST - 1]}…" for each in which)
            self._console.print(f"warning: {what} {names}: {reason}")

    def found(self, done: Export, remaining: Sequence[Remaining]) -> None:
        """Show the number of exported objects of each kind, and the omitted objects."""
        table = Table("Resource", "Objects")
        for kind, count in done.counts.items():
            table.add_row(kind, str(count))
        self._console.print(table)
        self.notes(done.notes)
        if remaining:
            table = Table(*(Column(each, overflow="fold") for each in REMAINING), show_lines=True)
            for each in remaining:
                table.add_row(each.address, each.reason)
            self._console.print(table)

    def lost(self, managed: Sequence[Managed]) -> None:
        """Show which attributes of exported objects in Terraform no program can express."""
        for each in managed:
            for what in each.lost:
                self._console.print(f"warning: {each.address}: {what}")

    def kept(self, secrets: Mapping[str, Managed], stack: str | None) -> None:
        """Show the secrets that only Terraform's state has, by their keys in the configuration of the stack, if any."""
        for key, each in secrets.items():
            what = f"{each.address}: no server returns {each.secret}, which is in Terraform's state"
            if stack is None:
                what += "; before you remove it there, run this again with --init and --force, or store it elsewhere"
            else:
                what += f"; it is kept as the secret {key} of stack {stack}"
            self._console.print(f"warning: {what}")

    def wrote(self, folder: Path, files: Sequence[str]) -> None:
        """Show the written files, and what other machines need to install the requirements."""
        self._console.print(f"Wrote {', '.join(files)} to {folder}.")
        package = installed_from()
        if package.file is None and package.advice:
            self._console.print(f"For other machines, such as those of CI: {package.advice}")

    def create_stack(
        self, folder: Path, name: str, language: Language, config: ProviderConfig, secrets: Mapping[str, str]
    ) -> bool:
        """Create and configure the stack; return whether that succeeded."""
        try:
            with self.progress() as progress:
                create_stack(folder, name, settings_of(config), as_config(language, secrets), progress)
        except StackError as error:
            self.error(f"the stack {name} is not ready: {error}")
            return False
        self._console.print(f"Created and configured stack {name}; its secrets are encrypted in Pulumi.{name}.yaml.")
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
        """Show the commands up to a preview without changes."""
        self._console.print("Now run\n")
        for line in commands(folder, language, settings_of(config), list(done.secrets), stack, protect=protect):
            self._console.print(f"  {line}")
        secret = "; it may contain secrets, so only you can read it" if language == Language.PYTHON else ""
        self._console.print(f"\nThen delete {IMPORT_FILE}{secret}.")

    def terraform_steps(self, leaving: Sequence[str]) -> None:
        """Show how to remove the exported objects, at these addresses, from Terraform."""
        if leaving:
            self._console.print(
                "When the preview shows no change, remove the exported objects, and their parts, from Terraform's "
                "state:\n"
            )
            self._console.print(f"  terraform state rm {shlex.join(leaving)}\n")
            self._console.print(
                "and from its configuration. Then run `terraform plan`, and continue only if it shows no changes, or 0 "
                "to add and 0 to destroy."
            )
