"""`clouddb doctor`: what is wrong with the settings, the servers and this machine, and what to do about it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from pulumi_clouddb.commands.exit_codes import end
from pulumi_clouddb.commands.printing import console, echo
from pulumi_clouddb.commands.stack_config import stack_config

from .finding import exit_of


def doctor(
    stack: Annotated[
        str | None,
        typer.Option(help="Examine the configuration of this stack. [default: the environment, CLOUDDB_*]"),
    ] = None,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="List equal objects, too: a request for each kind and service.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON.")] = False,
) -> None:
    """Find out what is wrong: settings, addresses, credentials, servers, versions. Nothing is changed.

    Each finding is a line with its fix.
    """
    from pulumi_clouddb.client.errors import ConfigError
    from pulumi_clouddb.schema.config import CREDENTIALS

    from .checks import CHECKS, DUPLICATES, examine
    from .report import document, line_of, summary
    from .situation import Situation

    settings, in_clear, unread = dict[str, str](), list[str](), ""
    if stack is not None:
        try:
            settings, encrypted = stack_config(stack)
            in_clear = sorted(CREDENTIALS & settings.keys() - encrypted)
        except ConfigError as error:
            unread = str(error)
    situation = Situation(os.environ, stack, settings, unread, in_clear)
    screen, findings = console(), []
    try:
        for finding in examine(situation, (*CHECKS, DUPLICATES)) if duplicates else examine(situation):
            findings.append(finding)
            if not as_json:
                # One line each, whatever the width: a line is copied, and read by grep.
                screen.print(line_of(finding), soft_wrap=True)
    finally:
        situation.close()
    code = exit_of(findings)
    echo(document(findings, code, stack) if as_json else summary(findings))
    end(code)
