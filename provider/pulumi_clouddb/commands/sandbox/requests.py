"""One line for each request to a sandbox."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from pulumi_clouddb.sandbox import LoggedRequest


def print_request(screen: Console, request: LoggedRequest) -> None:
    """Print the line of a request: time, method, path, operation, status, milliseconds, and the fault if there was one.

    A body, a header or a query is not in it, and so no secret.
    """
    from rich.text import Text

    time = datetime.fromtimestamp(request.at).astimezone().strftime("%H:%M:%S")
    status = "reset" if request.status is None else str(request.status)
    line = Text(f"{time} {request.method:6} {request.path} {request.operation or '-'} ")
    line.append(status, style=_style(request.status))
    line.append(f" {request.ms or 0:.0f} ms")
    if request.fault:
        line.append(f" fault {request.fault}", style="magenta")
    # One line, whatever the width of the terminal: lines are read by grep.
    screen.print(line, soft_wrap=True)


def _style(status: int | None) -> str:
    if status is None or status >= 500:
        return "red"
    return "green" if status < 400 else "yellow"
