"""`clouddb doctor`: find problems of the settings, the servers and this machine, with a fix for each."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from clouddb_tools.commands.exit_codes import end
from clouddb_tools.commands.printing import console, echo
from clouddb_tools.commands.stack_config import named, stack_config

from .finding import exit_of


def doctor(
    stack: Annotated[
        str | None,
        typer.Option(
            help="Check the configuration of this stack.", show_default="the environment, CLOUDDB_*", callback=named
        ),
    ] = None,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Also list equal objects: one request for each kind and service.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON.")] = False,
) -> None:
    """Check settings, addresses, credentials, servers and versions. Nothing is changed.

    Each finding is one line with its fix.
    """
    from pulumi_clouddb.client.errors import ConfigError
    from pulumi_clouddb.schema.config import CREDENTIALS

    from .checks import CHECKS, DUPLICATES, examine
    from .report import document, line_of, summary
    from .situation import Situation

    settings, plaintext, config_error = dict[str, str](), list[str](), ""
    if stack is not None:
        try:
            settings, encrypted = stack_config(stack)
            plaintext = sorted(CREDENTIALS & settings.keys() - encrypted)
        except ConfigError as error:
            config_error = str(error)
    situation = Situation(os.environ, stack, settings, config_error, plaintext)
    screen, findings = console(), []
    try:
        for finding in examine(situation, (*CHECKS, DUPLICATES)) if duplicates else examine(situation):
            findings.append(finding)
            if not as_json:
                # One line each, without wrapping: users copy and grep these lines.
                screen.print(line_of(finding), soft_wrap=True)
    finally:
        situation.close()
    code = exit_of(findings)
    echo(document(findings, code, stack) if as_json else summary(findings))
    end(code)
