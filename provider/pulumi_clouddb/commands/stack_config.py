"""The configuration that a command works with: a stack's, else the environment's."""

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


OfStack = Annotated[
    str | None, typer.Option(help="Take the configuration of this stack. [default: from the environment, CLOUDDB_*]")
]
"""The option of a command that works with a stack's configuration."""


def session_of(stack: str | None, cwd: Path = Path()) -> Session:
    """Return a session with the configuration of a stack, without one from the environment.

    Raises:
        ConfigError: It cannot be read, or is not usable.
    """
    from pulumi_clouddb.create.session import Session
    from pulumi_clouddb.engine.wire.settings import provider_config

    settings = stack_config(stack, cwd)[0] if stack else {}
    config = provider_config(lambda name: settings.get(f"clouddb:{name}"))
    return Session(config, scope="", warn=lambda message: echo(f"warning: {message}", err=True))


def stack_config(stack: str, cwd: Path = Path()) -> tuple[dict[str, str], frozenset[str]]:
    """Ask Pulumi for a stack's configuration, secrets included; return with it the keys that are encrypted.

    Raises:
        ConfigError: Pulumi does not tell.
    """
    command = ["pulumi", "config", "--stack", stack, "--json", "--show-secrets", "--non-interactive"]
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)  # noqa: S603 - a fixed command
    except FileNotFoundError:
        raise ConfigError("--stack needs the pulumi CLI, and it is not on PATH") from None
    except subprocess.CalledProcessError as error:
        words = error.stderr.strip().removeprefix("error: ")
        raise ConfigError(f"the configuration of stack {stack!r} cannot be read: {words}") from None
    except OSError as error:
        raise ConfigError(f"the pulumi CLI cannot be run: {error.strerror}") from None
    try:
        told: dict[str, dict[str, Any]] = json.loads(done.stdout)
    except ValueError:
        raise ConfigError(f"what the pulumi CLI tells of stack {stack!r} is no JSON") from None
    values = {name: str(entry["value"]) for name, entry in told.items() if "value" in entry}
    return values, frozenset(name for name, entry in told.items() if entry.get("secret"))
