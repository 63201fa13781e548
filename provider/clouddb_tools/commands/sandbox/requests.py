"""The line that is printed for each request to a sandbox."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from clouddb_tools.sandbox import LoggedRequest


def print_request(screen: Console, request: LoggedRequest) -> None:
    """Print one line for a request: time, method, path, operation, status, milliseconds and fault.

    The line contains no body, header or query, and therefore no secret.
    """
    from rich.text import Text

    time = datetime.fromtimestamp(request.at).astimezone().strftime("%H:%M:%S")
    status = "reset" if request.status is None else str(request.status)
    line = Text(f"{time} {request.method:6} {request.path} {request.operation or '-'} ")
    line.append(status, style=_style(request.status))
    line.append(f" {request.ms or 0:.0f} ms")
    if request.fault:
        line.append(f" fault {request.fault}", style="magenta")
    # Not wrapped, so that users can grep these lines.
    screen.print(line, soft_wrap=True)


def _style(status: int | None) -> str:
    if status is None or status >= 500:
        return "red"
    return "green" if status < 400 else "yellow"
