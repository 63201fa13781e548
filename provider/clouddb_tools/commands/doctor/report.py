"""The report of `clouddb doctor`, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.text import Text

from .finding import DoctorExit, Finding, Level

_STYLES = {Level.OK: "green", Level.NOTE: "cyan", Level.WARNING: "yellow", Level.ERROR: "red"}


def line_of(finding: Finding) -> Text:
    """Return a finding and its fix as one line."""
    line = Text(f"{finding.level.value:8}", style=_STYLES[finding.level])
    line.append(f"{finding.check}: {_one_line(finding.text)}", style="")
    if finding.fix:
        line.append(f". {_one_line(finding.fix)}", style="bold")
    if finding.command:
        line.append(f" {finding.command}", style="bold cyan")
    return line


def _one_line(text: str) -> str:
    return " ".join(text.split())


def summary(findings: Sequence[Finding]) -> str:
    """Return the last line: the numbers of errors and warnings."""
    counts = {level: sum(each.level is level for each in findings) for level in (Level.ERROR, Level.WARNING)}
    return ", ".join(f"{count} {level.value}{'' if count == 1 else 's'}" for level, count in counts.items())


def document(findings: Sequence[Finding], code: DoctorExit, stack: str | None) -> str:
    """Return the report as JSON."""
    return json.dumps(
        {
            "outcome": code.outcome,
            "exitCode": code.value,
            "stack": stack,
            "findings": [
                {
                    "check": each.check,
                    "level": each.level.value,
                    "code": each.code,
                    "message": _one_line(each.text),
                    "fix": _one_line(each.fix),
                    "command": each.command,
                }
                for each in findings
            ],
        },
        indent=2,
        ensure_ascii=False,
    )
