"""The command `clouddb`, a file for each of its commands.

A command loads what only it needs when it runs, so that none of them waits for another's packages.
"""

from __future__ import annotations

import typer

from .ci import ci
from .export import EXIT_CODES, export
from .import_file import import_file
from .sandbox import sandbox

app = typer.Typer(
    name="clouddb",
    help="Tools around the Pulumi provider for managed database services.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.command()(sandbox)
app.command(epilog=EXIT_CODES)(export)
app.command()(import_file)
app.add_typer(ci)


@app.callback()
def tools() -> None:
    """Tools around the Pulumi provider for managed database services."""


def main() -> None:
    """Run the command line."""
    app()
