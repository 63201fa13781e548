"""The configuration of a stack, from Pulumi."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from pulumi_clouddb.api.errors import ConfigError


def stack_config(stack: str) -> dict[str, str]:
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
    except OSError as error:
        raise ConfigError(f"the pulumi CLI cannot be run: {error.strerror}") from None
    try:
        told: dict[str, dict[str, Any]] = json.loads(done.stdout)
    except ValueError:
        raise ConfigError(f"the configuration of stack {stack!r} cannot be read: the pulumi CLI told no JSON") from None
    return {name: str(entry["value"]) for name, entry in told.items() if "value" in entry}
