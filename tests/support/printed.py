"""What a terminal shows of errors and reports."""

from __future__ import annotations

import io
import re

from rich.console import Console

from pulumi_clouddb.commands.gitops.report import Report
from pulumi_clouddb.commands.gitops.terminal import show


def unboxed(printed: str) -> str:
    """Return what was printed without the box around errors of the command line, and without its line breaks."""
    return re.sub(r"[\s│]+", " ", printed)


def lines_of(report: Report, width: int = 60) -> str:
    """Return what a terminal of a width shows of a report."""
    shown = io.StringIO()
    show(Console(file=shown, width=width), report)
    return shown.getvalue()
