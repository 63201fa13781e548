"""The configuration that a command works with: a stack's, else the environment's."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import typer

from pulumi_clouddb.api.errors import ConfigError

if TYPE_CHECKING:
    from pulumi_clouddb.resources.session import Session


def session_of(stack: str | None) -> Session:
    """Return a session under the configuration of a stack, or of the environment.

    Raises:
        ConfigError: The configuration cannot be read, or cannot be used.
    """
    from pulumi_clouddb.pulumi_wire.settings import provider_config
    from pulumi_clouddb.resources.session import Session

    settings = _stack_config(stack) if stack else {}
    config = provider_config(lambda name: settings.get(f"clouddb:{name}"))
    return Session(config, scope="", warn=lambda message: typer.echo(f"warning: {message}", err=True))


def _stack_config(stack: str) -> dict[str, str]:
    """Ask Pulumi for a stack's configuration, secrets included.

    Raises:
        ConfigError: Pulumi does not tell.
    """
    command = ["pulumi", "config", "--stack", stack, "--json", "--show-secrets", "--non-interactive"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - a fixed command
    except FileNotFoundError:
        raise ConfigError("--stack needs the pulumi CLI, and it is not on PATH") from None
    except subprocess.CalledProcessError as error:
        words = error.stderr.strip().removeprefix("error: ")
        raise ConfigError(f"the configuration of stack {stack!r} cannot be read: {words}") from None
    told: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return {name: str(entry["value"]) for name, entry in told.items() if "value" in entry}
