"""Exit codes of the commands, and the function that ends a command with one."""

from __future__ import annotations

from typing import NoReturn

import typer

from pulumi_clouddb.schema.exit_code import MeaningfulCode


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


class RenderExit(MeaningfulCode):
    """The exit codes of `clouddb render`."""

    WRITTEN = 0, "the picture was written"
    FAILED = 1, "something cannot be read, drawn or written; nothing was written"
    USAGE = 2, "the command line is wrong, or a file on it cannot be read; nothing was written"


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
