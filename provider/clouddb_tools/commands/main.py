"""The command line of `clouddb`.

A command imports its packages when it runs, so that it does not wait for the packages of other commands.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from clouddb_tools.commands.dashboards.command import dashboards
from clouddb_tools.commands.doctor.command import doctor
from clouddb_tools.commands.doctor.finding import DoctorExit
from clouddb_tools.commands.export.command import export
from clouddb_tools.commands.find.command import find
from clouddb_tools.commands.gitops.command import ci
from clouddb_tools.commands.sandbox.command import sandbox

from .exit_codes import ExportExit, FindExit, HelpExit, ImportFileExit, RenderExit, RequirementExit
from .export.import_command import import_file
from .manual import manual
from .printing import echo
from .render import render
from .requirement import requirement

app = typer.Typer(
    name="clouddb",
    help="Tools around the Pulumi provider for managed database services.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.add_typer(sandbox)
app.command(epilog=ExportExit.help())(export)
app.command(epilog=ImportFileExit.help())(import_file)
app.command(epilog=FindExit.help())(find)
app.command(epilog=DoctorExit.help())(doctor)
app.command(epilog=RenderExit.help())(render)
app.command(epilog=RequirementExit.help())(requirement)
app.command("help", epilog=HelpExit.help())(manual)
app.add_typer(dashboards)
app.add_typer(ci)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed
        from platform import python_version

        from pulumi_clouddb.schema._version import VERSION

        echo(f"clouddb {VERSION} (pulumi SDK {installed('pulumi')}, Python {python_version()})")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
]


@app.callback()
def tools(version: Version = False) -> None:
    """Tools around the Pulumi provider for managed database services."""


def main() -> None:
    """Run the command line.

    A file or a pipe gets UTF-8 and line feeds on every system, which readers of programs and of JSON expect; a terminal
    gets its own encoding.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="backslashreplace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:  # such as a full disk below standard output
        # What is left in the buffer cannot be written either: Python would try again at its end, and exit with 120.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(f"error: {error}")
