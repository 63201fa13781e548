"""The findings of checks, and the exit codes of `clouddb doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from clouddb_tools.commands.exit_codes import MeaningfulCode


class Level(str, Enum):
    """The severity of a finding."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One finding of a check.

    Attributes:
        level: Its severity.
        code: Its identifier, for programs.
        text: The problem, with the setting, server or file that has it.
        fix: What to do, as a sentence that begins with a verb; empty if there is nothing to do.
        command: The shell command for it; the user replaces words that begin with YOUR_.
        check: The name of the check, set by `examine`.
    """

    level: Level
    code: str
    text: str
    fix: str = ""
    command: str = ""
    check: str = ""

    @property
    def in_words(self) -> str:
        """The text, the fix and the command in one line."""
        return " ".join(f"{self.text}. {self.fix} {self.command}".split())


def ok(code: str, text: str) -> Finding:
    """Return a finding that a check passed."""
    return Finding(Level.OK, code, text)


def note(code: str, text: str, fix: str = "", command: str = "") -> Finding:
    """Return a finding that is not a fault, but that some users must know."""
    return Finding(Level.NOTE, code, text, fix, command)


def warning(code: str, text: str, fix: str, command: str = "") -> Finding:
    """Return a finding that may cause a failure later."""
    return Finding(Level.WARNING, code, text, fix, command)


def error(code: str, text: str, fix: str, command: str = "") -> Finding:
    """Return a finding on something that does not work."""
    return Finding(Level.ERROR, code, text, fix, command)


class DoctorExit(MeaningfulCode):
    """The exit codes of `clouddb doctor`."""

    WELL = 0, "no error and no warning"
    ERRORS = 1, "at least one error: something does not work"
    USAGE = 2, "the command line is wrong"
    WARNINGS = 3, "no error, and at least one warning"


def exit_of(findings: Sequence[Finding]) -> DoctorExit:
    """Return the exit code for these findings."""
    levels = {finding.level for finding in findings}
    if Level.ERROR in levels:
        return DoctorExit.ERRORS
    return DoctorExit.WARNINGS if Level.WARNING in levels else DoctorExit.WELL
