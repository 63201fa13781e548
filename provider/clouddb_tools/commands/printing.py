"""All terminal output of the commands: control characters from files and servers are escaped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from pulumi_clouddb.schema.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment


def console(**options: Any) -> Console:
    """Return a console that escapes control characters in text; its own control sequences stay.

    Args:
        options: Options of `rich.console.Console`.
    """
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else printable(text), style, control)

    return PrintableConsole(highlight=False, **options)


def echo(text: str, *, err: bool = False) -> None:
    """Print a text without wrapping and colours, on standard output or standard error."""
    typer.echo(printable(text), err=err)


def usage_error(text: str, option: str | None = None) -> typer.BadParameter:
    """Return the error for a wrong command line."""
    return typer.BadParameter(printable(text), param_hint=option)
