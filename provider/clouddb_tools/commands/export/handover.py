"""The next steps with an exported project: the commands for the user, and the creation of a stack."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.schema.base import names_with
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import to_wire

from .import_file import import_command
from .inventory import Progress
from .language import Language
from .project import IMPORT_FILE

SDK = (
    'pulumi package get-schema "$(command -v pulumi-resource-clouddb)" > clouddb.json',
    "pulumi package add clouddb.json",
)
"""Generates the SDK; given the plugin, Pulumi adds its name to Pulumi.yaml, and then searches its registry for it."""

MOST_LINES = 8
"""Maximum number of commands that set secrets."""


class StackError(CloudDBError):
    """The stack of an exported project could not be created."""


@dataclass(frozen=True)
class Settings:
    """The configuration of a stack, the same as for the export.

    Attributes:
        plain: The values in plain text, by key.
        secret: The secrets, by key.
    """

    plain: Mapping[str, str]
    secret: Mapping[str, str]


def settings_of(config: ProviderConfig) -> Settings:
    """Return the configuration of a stack with the same servers and settings."""
    secret_names = names_with(type(config), "secret")
    values = {name: value for name, value in to_wire(config).items() if value is not None}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    return Settings(
        {f"clouddb:{name}": text for name, text in texts.items() if name not in secret_names},
        {f"clouddb:{name}": text for name, text in texts.items() if name in secret_names},
    )


def as_config(language: Language, secrets: Mapping[str, str]) -> Mapping[str, str]:
    """Return the secrets of a program as values for the configuration of its stack.

    Pulumi's YAML parses a value that looks like a number, a boolean or an object, even if the program declares it as a
    string (pkg/server/server.go of pulumi-yaml). A quoted value stays a string.
    """
    return {key: json.dumps(text) for key, text in secrets.items()} if language == Language.YAML else secrets


def commands(
    folder: Path, language: Language, settings: Settings, secrets: Sequence[str], stack: str | None, *, protect: bool
) -> list[str]:
    """Return the commands up to a preview without changes.

    Args:
        folder: The folder of the project.
        language: The language of its program.
        settings: The configuration of the export.
        secrets: The keys of the secrets that the program reads.
        stack: The stack, if it was created and configured.
        protect: Whether services are protected from deletion.
    """
    lines = [shlex.join(["cd", str(folder)])]
    if language in (Language.PYTHON_PLUGIN, Language.TYPESCRIPT):
        lines += SDK
    if stack is None:
        lines.append("pulumi stack init dev")
        lines.append(shlex.join(["pulumi", *_set_all(settings.plain)]))
        keys = [*settings.secret, *secrets]
        lines += [f"pulumi config set --secret {key}" for key in keys[:MOST_LINES]]
        if len(keys) > MOST_LINES:
            lines.append(f"# … and {len(keys) - MOST_LINES} more, listed in the program; --init sets all of them")
    return [*lines, import_command(IMPORT_FILE, protect=protect), "pulumi preview"]


def create_stack(folder: Path, stack: str, settings: Settings, secrets: Mapping[str, str], progress: Progress) -> None:
    """Create a stack of the project, and set its configuration, with secrets encrypted.

    Raises:
        StackError: Pulumi cannot be run, or fails.
    """
    _pulumi(folder, "stack", "init", stack)
    _pulumi(folder, *_set_all(settings.plain), "--stack", stack)
    all_secrets = {**settings.secret, **secrets}
    for number, (key, value) in enumerate(all_secrets.items()):
        progress(f"setting {key}", number, len(all_secrets))
        # Through standard input: other users of this machine can read the arguments of a command.
        # Pulumi removes a line break from the end.
        _pulumi(folder, "config", "set", "--secret", key, "--stack", stack, content=f"{value}\n".encode())


def _set_all(plain: Mapping[str, str]) -> list[str]:
    """Return the arguments that set these values; an export needs at least one."""
    return ["config", "set-all", *(word for key, value in plain.items() for word in ("--plaintext", f"{key}={value}"))]


def _pulumi(folder: Path, *arguments: str, content: bytes = b"") -> None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, and keys and values of the configuration
            ["pulumi", *arguments, "--non-interactive"],  # noqa: S607 - the CLI is found on PATH
            cwd=folder,
            input=content,
            capture_output=True,
            check=False,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        )
    except FileNotFoundError:
        raise StackError("--init needs the pulumi CLI, which is not on PATH") from None
    if done.returncode:
        message = " ".join(done.stderr.decode(errors="replace").replace("error: ", "").split())
        raise StackError(f"`pulumi {arguments[0]} {arguments[1]}` failed: {message}")
