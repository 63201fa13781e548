"""The terminal output of errors and reports."""

from __future__ import annotations

import io
import re

from clouddb_tools.commands.gitops.report import Report
from clouddb_tools.commands.gitops.terminal import show
from clouddb_tools.commands.printing import console


def unboxed(printed: str) -> str:
    """Return printed output on one line, without the box's side borders."""
    return re.sub(r"[\s│]+", " ", printed)


def lines_of(report: Report, width: int = 60) -> str:
    """Return a report as printed to a terminal of a width."""
    shown = io.StringIO()
    show(console(file=shown, width=width), report)
    return shown.getvalue()
