"""The exit codes of the commands that have no folder of their own, and the one place where a command ends with one."""

from __future__ import annotations

from typing import NoReturn

import typer

from pulumi_clouddb.schema.exit_code import MeaningfulCode


class ExportExit(MeaningfulCode):
    """How `clouddb export` ends."""

    WRITTEN = 0, "the project was written"
    FAILED = 1, "nothing can be exported, or a file cannot be written"
    USAGE = 2, "the command line is wrong"
    NO_STACK = 3, "the project was written; the stack of --init was not made, or not configured as a whole"


class ImportFileExit(MeaningfulCode):
    """How `clouddb import-file` ends."""

    WRITTEN = 0, "the file was written"
    FAILED = 1, "an object cannot be imported, or the file cannot be written; nothing was written"
    USAGE = 2, "the command line is wrong"


class RenderExit(MeaningfulCode):
    """How `clouddb render` ends."""

    WRITTEN = 0, "the picture was written"
    FAILED = 1, "something cannot be read, drawn or written; nothing was written"
    USAGE = 2, "the command line is wrong, or a file that it names cannot be read; nothing was written"


class SandboxExit(MeaningfulCode):
    """How `clouddb sandbox` and its commands end."""

    OK = 0, "the command did what it is for; without a command: the sandbox was ended by Ctrl-C"
    FAILED = 1, "the sandbox cannot start; with a command: none answers on the port, or it refuses"
    USAGE = 2, "the command line is wrong, or a file that it names cannot be read"


def end(code: MeaningfulCode) -> NoReturn:
    """End the command; only a code that says what it means is taken.

    Raises:
        typer.Exit: Always.
    """
    raise typer.Exit(code)
