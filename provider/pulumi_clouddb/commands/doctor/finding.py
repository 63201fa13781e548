"""What a check finds, and how a whole examination ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from pulumi_clouddb.schema.exit_code import MeaningfulCode


class Level(str, Enum):
    """How bad a finding is."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        level: How bad it is.
        code: What it is, in a word for programs.
        text: What is so, on which setting, server or file.
        fix: What to do about it, as a sentence that begins with a verb; empty where nothing is to be done.
        command: What does it in a shell; words in capitals that begin with YOUR_ are to be replaced.
        check: The check that found it; filled in by the examination.
    """

    level: Level
    code: str
    text: str
    fix: str = ""
    command: str = ""
    check: str = ""

    @property
    def in_words(self) -> str:
        """The finding and its fix, in one line."""
        return " ".join(f"{self.text}. {self.fix} {self.command}".split())


def ok(code: str, text: str) -> Finding:
    """Return a finding that something is as it should be."""
    return Finding(Level.OK, code, text)


def note(code: str, text: str, fix: str = "", command: str = "") -> Finding:
    """Return a finding that some users have to know, and that is no fault."""
    return Finding(Level.NOTE, code, text, fix, command)


def warning(code: str, text: str, fix: str, command: str = "") -> Finding:
    """Return a finding that will do harm some day, or may do so."""
    return Finding(Level.WARNING, code, text, fix, command)


def error(code: str, text: str, fix: str, command: str = "") -> Finding:
    """Return a finding of what does not work."""
    return Finding(Level.ERROR, code, text, fix, command)


class DoctorExit(MeaningfulCode):
    """How `clouddb doctor` ends."""

    WELL = 0, "no error and no warning"
    ERRORS = 1, "at least one error: something does not work"
    USAGE = 2, "the command line is wrong"
    WARNINGS = 3, "no error, and at least one warning"


def exit_of(findings: Sequence[Finding]) -> DoctorExit:
    """Return how an examination with these findings ends."""
    levels = {finding.level for finding in findings}
    if Level.ERROR in levels:
        return DoctorExit.ERRORS
    return DoctorExit.WARNINGS if Level.WARNING in levels else DoctorExit.WELL
