"""`clouddb dashboards`: import writes programs for files, export writes files of dashboards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clouddb_tools.commands.exit_codes import DashboardsExit, end
from clouddb_tools.commands.export.language import Language
from clouddb_tools.commands.printing import echo, usage_error
from clouddb_tools.commands.stack_config import named
from pulumi_clouddb.client.errors import CloudDBError, ResourceError

if TYPE_CHECKING:
    from .losses import Declared

dashboards = typer.Typer(
    name="dashboards",
    help="Convert dashboards from and to the files of the server's page.",
    epilog=DashboardsExit.help(),
    no_args_is_help=True,
)

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", dir_okay=False, help="The file to write.", show_default="standard output"),
]
Service = Annotated[
    str | None,
    typer.Option("--service", help="Id of the service that has the dashboards.", show_default="the self-hosted server"),
]


@dashboards.command("import", epilog=DashboardsExit.help())
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", exists=True, help="Files, or folders of which each .json file is read."),
    ],
    language: Annotated[Language, typer.Option(help="The language of the program.")] = Language.PYTHON,
    output: Output = None,
    service: Service = None,
) -> None:
    """Write a program that declares the dashboards of files; its sources are found by their names.

    What the API cannot express is printed, and is a comment in the program. A tile that would show other data is left
    out.
    """
    from .program import program

    try:
        text, declared = program(_texts(files), language, service)
        _write(output, text)
    except CloudDBError as error:
        echo(f"error: {error}\nNothing was written.", err=True)
        end(DashboardsExit.FAILED)
    if _report(declared):
        end(DashboardsExit.LOST)


@dashboards.command("export", epilog=DashboardsExit.help())
def export(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", help="Only dashboards with this name or resource name.", show_default="all"
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write, NAME.json, or a folder for several dashboards.")
    ] = Path(),
    live: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="A dashboard of the server: ID, SERVICE_ID/ID, or its name in place of the ID; repeatable.",
        ),
    ] = None,
    stack: Annotated[
        str | None, typer.Option(help="The preview of this stack; with --live: its configuration.", callback=named)
    ] = None,
    state: Annotated[bool, typer.Option("--state", help="With --stack: the stack's state instead.")] = False,
    state_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="A state from `pulumi stack export`; - is standard input.")
    ] = None,
    cwd: Annotated[Path, typer.Option("--cwd", exists=True, file_okay=False, help="Folder of the Pulumi project.")] = (
        Path()
    ),
) -> None:
    """Write dashboards as files that the server's page imports, for people without Pulumi.

    Sources, connections and dashboards have their names in the file. Nothing is changed.
    """
    from clouddb_tools.commands.gitops.errors import CommandFailedError, NoProjectError
    from clouddb_tools.commands.render import check_places, places_of

    from .template import templates, written

    files, ids = [state_file] if state_file else [], live or []
    check_places(stack, state, files, ids, False)
    try:
        (place,) = places_of(cwd, stack, state, files, ids, False)
        found = templates(place, names or [], stack, cwd)
        paths = written(output, found)
    except NoProjectError as error:
        raise usage_error(str(error), "--cwd") from None
    except (CommandFailedError, CloudDBError) as error:
        echo(f"error: {error}\nNothing was written.", err=True)
        end(DashboardsExit.FAILED)
    for path in paths:
        echo(f"Wrote {path}.", err=True)
    if _report([each.declared for each in found]):
        end(DashboardsExit.LOST)


def _texts(paths: list[Path]) -> dict[Path, str]:
    """Return the text of each file.

    Raises:
        ResourceError: A file cannot be read, or there is none.
    """
    files = [each for path in paths for each in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        raise ResourceError("there is no .json file in the folder", "Name the files, or another folder.")
    return {file: _text(file) for file in files}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise ResourceError(f"{file} cannot be read: {reason}", "Name another file.") from None


def _write(output: Path | None, text: str) -> None:
    from clouddb_tools.commands.export import files

    if output is None:
        echo(text.removesuffix("\n"))
    else:
        files.write(output, text)


def _report(declared: Sequence[Declared]) -> bool:
    """Print what is lost, and return whether a tile or filter is left out."""
    from pulumi_clouddb.things.dashboards.files.losses import Severity

    for each in declared:
        for loss in each.losses:
            echo(f"{loss.severity.value}: {each.name}: {loss}", err=True)
    return any(loss.severity is Severity.ERROR for each in declared for loss in each.losses)
