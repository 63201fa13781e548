"""`clouddb import-file`: write existing objects into a file for `pulumi import`, in dynamic mode."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clouddb_tools.commands.exit_codes import ImportFileExit, end
from clouddb_tools.commands.printing import echo
from clouddb_tools.commands.stack_config import OfStack, session_of
from pulumi_clouddb.client.errors import CloudDBError

if TYPE_CHECKING:
    from .reading import Found


def import_file(
    objects: Annotated[
        list[str],
        typer.Argument(
            metavar="TYPE:NAME=ID...",
            help="The objects to import, with resource names: Service:main=ID, PipeScaling:clicks=SERVICE_ID/PIPE_ID, "
            "ApiKey:ci=ID, Dashboard:orders=ID or SERVICE_ID/ID, Alert:errors=ID or SERVICE_ID/ID.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", dir_okay=False, help="The file to write; an existing one is replaced.")
    ] = Path("import.json"),
    stack: OfStack = None,
) -> None:
    """Write a file with which `pulumi import` imports existing objects as resources of this package's classes.

    Objects are read, never changed. The program that declares them is printed on standard output.
    """
    try:
        found = _read(objects, stack, output)
    except CloudDBError as error:
        for reason in getattr(error, "reasons", [error]):
            echo(f"error: {reason}", err=True)
        echo("Nothing was written.", err=True)
        end(ImportFileExit.FAILED)
    from .import_file import import_command

    command = import_command(str(output), protect=True) + (f" --stack {shlex.quote(stack)}" if stack else "")
    echo(
        f"Wrote {output}. It may contain secrets: only you can read it; delete it after the import.\n"
        f"Now run\n\n  {command}\n\nand add to the program:\n",
        err=True,
    )
    echo(_program(found))


def _read(objects: list[str], stack: str | None, output: Path) -> list[Found]:
    """Read all objects, then write the file."""
    from clouddb_tools.commands.export import files, import_file

    wanted = import_file.parse(objects)
    found = import_file.find(session_of(stack), wanted)
    files.write(output, import_file.text(import_file.dynamic_document(found)), secret=True)
    return found


def _program(found: list[Found]) -> str:
    """Return a program that declares the objects."""
    from pulumi_clouddb.engine.plugin.schema import schema_text

    from .graph import PROTECTED, statements
    from .python import python_program

    return python_program(statements(found, protected=PROTECTED)[0], json.loads(schema_text()))
