"""The configuration of a command, from a stack or from the environment."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulumi_clouddb.client.errors import ConfigError

from .printing import echo

if TYPE_CHECKING:
    from pulumi_clouddb.create.session import Session


PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")
"""The file of a Pulumi project has one of these names."""


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
    return Session(config, scope="", warn=lambda message, _: echo(f"warning: {message}", err=True))


def stack_config(stack: str, cwd: Path = Path()) -> tuple[dict[str, str], frozenset[str]]:
    """Return the configuration of a stack with secrets decrypted, and the keys that are encrypted.

    Raises:
        ConfigError: The configuration cannot be read.
    """
    entries: dict[str, dict[str, Any]] = pulumi_json(
        ("config", "--stack", stack, "--json", "--show-secrets"),
        f"the configuration of stack {stack!r}",
        cwd,
        "--stack",
    )
    values = {name: str(entry["value"]) for name, entry in entries.items() if "value" in entry}
    return values, frozenset(name for name, entry in entries.items() if entry.get("secret"))


def pulumi_json(words: Sequence[str], what: str, cwd: Path = Path(), option: str = "reading stacks") -> Any:
    """Return the JSON that a command of the pulumi CLI prints.

    Args:
        words: The command.
        what: What it reads, for messages.
        cwd: The folder in which it runs.
        option: What needs the CLI, for messages.

    Raises:
        ConfigError: The CLI is not on PATH, or fails.
    """
    command = ["pulumi", *words, "--non-interactive"]
    environment = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, and names of stacks
            command, cwd=cwd, capture_output=True, encoding="utf-8", check=True, env=environment
        )
    except FileNotFoundError:
        raise ConfigError(f"{option} needs the pulumi CLI, which is not on PATH") from None
    except subprocess.CalledProcessError as error:
        message = error.stderr.strip().removeprefix("error: ")
        raise ConfigError(f"{what} cannot be read: {message}") from None
    except OSError as error:
        raise ConfigError(f"the pulumi CLI cannot be run: {error.strerror}") from None
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise ConfigError(f"{what} cannot be read: the output of `pulumi {words[0]}` is not JSON") from None
