"""The configuration of a command, from a stack or from the environment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulumi_clouddb.client.errors import ConfigError

from .printing import echo

if TYPE_CHECKING:
    from pulumi_clouddb.create.session import Session


def named(stack: str | None) -> str | None:
    """Reject an empty name, such as that of a variable that is not set: Pulumi would use the selected stack.

    Raises:
        BadParameter: The name is empty.
    """
    if stack == "":
        raise typer.BadParameter("it is empty; set the name of a stack")
    return stack


OfStack = Annotated[
    str | None,
    typer.Option(
        help="Use the configuration of this stack.", show_default="the environment, CLOUDDB_*", callback=named
    ),
]
"""The option for the stack whose configuration a command uses."""


def session_of(stack: str | None, cwd: Path = Path()) -> Session:
    """Return a session with the configuration of a stack, or of the environment if there is no stack.

    Raises:
        ConfigError: The configuration cannot be read, or is invalid.
    """
    from pulumi_clouddb.create.session import Session
    from pulumi_clouddb.engine.wire.settings import provider_config

    settings = stack_config(stack, cwd)[0] if stack else {}
    config = provider_config(lambda name: settings.get(f"clouddb:{name}"))
    return Session(config, scope="", warn=lambda message: echo(f"warning: {message}", err=True))


def stack_config(stack: str, cwd: Path = Path()) -> tuple[dict[str, str], frozenset[str]]:
    """Return the configuration of a stack with secrets decrypted, and the keys that are encrypted.

    Raises:
        ConfigError: The configuration cannot be read.
    """
    command = ["pulumi", "config", "--stack", stack, "--json", "--show-secrets", "--non-interactive"]
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - a fixed command
    except FileNotFoundError:
        raise ConfigError("--stack needs the pulumi CLI, which is not on PATH") from None
    except subprocess.CalledProcessError as error:
        message = error.stderr.strip().removeprefix("error: ")
        raise ConfigError(f"the configuration of stack {stack!r} cannot be read: {message}") from None
    except OSError as error:
        raise ConfigError(f"the pulumi CLI cannot be run: {error.strerror}") from None
    try:
        entries: dict[str, dict[str, Any]] = json.loads(done.stdout)
    except ValueError:
        raise ConfigError(f"the output of `pulumi config` for stack {stack!r} is not JSON") from None
    values = {name: str(entry["value"]) for name, entry in entries.items() if "value" in entry}
    return values, frozenset(name for name, entry in entries.items() if entry.get("secret"))
