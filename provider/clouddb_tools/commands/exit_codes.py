"""Exit codes of the commands, and the function that ends a command with one."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from typing_extensions import Self


class MeaningfulCode(IntEnum):
    """Base of the exit codes of a command; `meaning` describes each."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:
        """Attach the meaning to the number."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    @property
    def outcome(self) -> str:
        """The name in reports, such as `failed`."""
        return self.name.lower()

    @classmethod
    def help(cls) -> str:
        """Return the list of all codes for `--help`."""
        return "Exit codes:\n\n" + "\n\n".join(f"{code.value}  {code.meaning}" for code in cls)


class ExportExit(MeaningfulCode):
    """The exit codes of `clouddb export`."""

    WRITTEN = 0, "the project was written"
    FAILED = 1, "nothing can be exported, or a file cannot be written"
    USAGE = 2, "the command line is wrong"
    NO_STACK = 3, "the project was written; the stack of --init was not created, or not completely configured"


class ImportFileExit(MeaningfulCode):
    """The exit codes of `clouddb import-file`."""

    WRITTEN = 0, "the file was written"
    FAILED = 1, "an object cannot be imported, or the file cannot be written; nothing was written"
    USAGE = 2, "the command line is wrong"


class FindExit(MeaningfulCode):
    """The exit codes of `clouddb find`."""

    FOUND = 0, "something was found"
    NOT_FOUND = 1, "nothing was found; warnings name what could not be searched"
    USAGE = 2, "the command line is wrong"


class DashboardsExit(MeaningfulCode):
    """The exit codes of `clouddb dashboards` and its commands."""

    WRITTEN = 0, "the program or file was written; warnings name what looks or behaves differently"
    FAILED = 1, "something cannot be read, found or written; nothing was written"
    USAGE = 2, "the command line is wrong"
    LOST = 3, "it was written without tiles or filters that would show other data; errors name them"


class RenderExit(MeaningfulCode):
    """The exit codes of `clouddb render`."""

    WRITTEN = 0, "the picture was written"
    FAILED = 1, "something cannot be read, drawn or written; nothing was written"
    USAGE = 2, "the command line is wrong, or a file on it cannot be read; nothing was written"


class HelpExit(MeaningfulCode):
    """The exit codes of `clouddb help`."""

    SHOWN = 0, "the page, the sections or the list was shown"
    NOT_FOUND = 1, "no page has these words"
    USAGE = 2, "the command line is wrong"


class RequirementExit(MeaningfulCode):
    """The exit codes of `clouddb requirement`."""

    PRINTED = 0, "the requirement was printed"
    USAGE = 2, "the command line is wrong"


class SandboxExit(MeaningfulCode):
    """The exit codes of `clouddb sandbox` and its commands."""

    OK = 0, "the command succeeded; without a command: Ctrl-C stopped the sandbox"
    FAILED = 1, "the sandbox cannot start; with a command: no sandbox responds on the port, or it rejects the request"
    USAGE = 2, "the command line is wrong, or a file on it cannot be read"


def end(code: MeaningfulCode) -> NoReturn:
    """End the command with an exit code.

    Raises:
        typer.Exit: Always.
    """
    raise typer.Exit(code)
