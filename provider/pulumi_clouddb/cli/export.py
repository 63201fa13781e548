"""`clouddb export`: a program of what exists, and the file that imports it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pulumi_clouddb.api.errors import CloudDBError
from pulumi_clouddb.export.choice import Choice
from pulumi_clouddb.export.project import IMPORT_FILE, Language, project_name

from .stack_config import session_of

if TYPE_CHECKING:
    from pulumi_clouddb.export.export import Export
    from pulumi_clouddb.export.inventory import Note
    from pulumi_clouddb.export.inventory import Progress as Report

EXIT_CODES = "Exit codes: 0 the project was written; 1 nothing was written; 2 the command line is wrong."


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the project.", show_default=False)],
    language: Annotated[
        Language,
        typer.Option(help="python needs only this package; the others are served by the native plugin."),
    ] = Language.PYTHON,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only objects of this resource, such as Dashboard; may be repeated.")
    ] = None,
    name: Annotated[list[str] | None, typer.Option(help="Only objects of this name, a glob; may be repeated.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only objects with this tag, KEY or KEY=VALUE; may be repeated.")
    ] = None,
    id_: Annotated[
        list[str] | None,
        typer.Option("--id", help="Only objects of this id, ID or SERVICE_ID/ID, a glob; may be repeated."),
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(help="Take the configuration of this stack. [default: from the environment, CLOUDDB_*]"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files in the folder.")] = False,
) -> None:
    """Write a program that declares what exists, and the file with which one command imports it.

    Objects are read, never changed. Without a choice, everything is exported that the configuration reaches.
    """
    from pulumi_clouddb.export.export import NothingError, check_folder, write
    from pulumi_clouddb.export.export import export as run

    choice = Choice(_kinds(kind or []), tuple(name or ()), frozenset(tag or ()), tuple(id_ or ()))
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    try:
        check_folder(output, force=force)
        session = session_of(stack)
        with _progress(console) as progress:
            done = run(session, choice, language, project_name(output.resolve().name), progress)
        written = write(output, language, done.project, force=force)
    except CloudDBError as error:
        if isinstance(error, NothingError):
            _tell_notes(console, error.notes)
        console.print(f"error: {error}")
        console.print("Nothing was written.")
        raise typer.Exit(1) from None
    _tell(console, output, language, done, written)


def _kinds(words: list[str]) -> frozenset[str]:
    from pulumi_clouddb.resources.registry import RESOURCES

    names = {name.lower(): name for name in RESOURCES}
    unknown = [word for word in words if word.lower() not in names]
    if unknown:
        raise typer.BadParameter(
            f"{', '.join(map(repr, unknown))}: the resources are {', '.join(RESOURCES)}", param_hint="--kind"
        )
    return frozenset(names[word.lower()] for word in words)


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    """Show what is under way, where somebody looks at it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda text, done, total: bar.update(task, description=text, completed=done, total=total)


def _tell(console: Console, output: Path, language: Language, done: Export, written: list[str]) -> None:
    table = Table("Resource", "Objects")
    for kind, count in done.counts.items():
        table.add_row(kind, str(count))
    console.print(table)
    _tell_notes(console, done.notes)
    console.print(f"Wrote {', '.join(written)} into {output}. Now run\n")
    for line in steps(output, language, done.settings):
        console.print(f"  {line}")
    console.print(f"\nThen delete {IMPORT_FILE}{'; it may hold secrets' if language == Language.PYTHON else ''}.")


def steps(output: Path, language: Language, settings: list[str]) -> list[str]:
    """Return the commands that lead from the folder to a clean preview."""
    sdk = ["pulumi package add clouddb"] if language in (Language.PYTHON_PLUGIN, Language.TYPESCRIPT) else []
    return [
        shlex.join(["cd", str(output)]),
        "pulumi stack init dev",
        *sdk,
        *(f"pulumi config set --secret {key}" for key in settings),
        f"pulumi import --file {IMPORT_FILE} --generate-code=false --protect=false",
        "pulumi preview",
    ]


def _tell_notes(console: Console, notes: Sequence[Note]) -> None:
    from pulumi_clouddb.export.inventory import by_reason

    for (what, reason), which in by_reason(notes).items():
        console.print(f"warning: {what} {', '.join(which)}: {reason}")
