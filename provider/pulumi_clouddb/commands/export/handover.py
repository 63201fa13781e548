"""What a user does with an exported project: the commands, and a stack that is made for them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.convert import to_wire

from .import_file import import_command
from .inventory import Progress
from .language import Language
from .project import IMPORT_FILE

SDK = 'pulumi package add "$(command -v pulumi-resource-clouddb)"'
"""Generates the SDK of the plugin; by its bare name Pulumi would look for it in the registry."""

MOST_LINES = 8
"""So many secrets are named each in a line of its own."""


class StackError(CloudDBError):
    """The stack of an exported project could not be made."""


@dataclass(frozen=True)
class Settings:
    """The configuration of a stack: that of the export.

    Attributes:
        plain: Values by their keys.
        secret: The same of secrets.
    """

    plain: Mapping[str, str]
    secret: Mapping[str, str]


def settings_of(config: ProviderConfig) -> Settings:
    """Return the configuration of a stack that leads to the same objects, and sends requests in the same way."""
    hidden = names_marked(type(config), "secret")
    said = {name: value for name, value in to_wire(config).items() if value is not None}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in said.items()}
    return Settings(
        {f"clouddb:{name}": text for name, text in texts.items() if name not in hidden},
        {f"clouddb:{name}": text for name, text in texts.items() if name in hidden},
    )


def written_as(language: Language, secrets: Mapping[str, str]) -> Mapping[str, str]:
    """Return secrets of a program as the configuration of its stack must hold them.

    Pulumi's YAML takes a value of the configuration for a number, a flag or an object where it reads like one, also
    where the program says that it is text (pkg/server/server.go of pulumi-yaml). In quotes it is text.
    """
    return {key: json.dumps(text) for key, text in secrets.items()} if language == Language.YAML else secrets


def commands(
    folder: Path, language: Language, settings: Settings, secrets: Sequence[str], stack: str | None, *, protect: bool
) -> list[str]:
    """Return the commands that lead from the project to a clean preview.

    Args:
        folder: Where the project is.
        language: What it is written in.
        settings: The configuration that leads to the objects.
        secrets: The keys of the secrets that the program takes.
        stack: The stack, if it has been made and configured.
        protect: Whether services are protected from deletion.
    """
    lines = [shlex.join(["cd", str(folder)])]
    if language in (Language.PYTHON_PLUGIN, Language.TYPESCRIPT):
        lines.append(SDK)
    if stack is None:
        lines.append("pulumi stack init dev")
        lines.append(shlex.join(["pulumi", *_set_all(settings.plain)]))
        keys = [*settings.secret, *secrets]
        lines += [f"pulumi config set --secret {key}" for key in keys[:MOST_LINES]]
        if len(keys) > MOST_LINES:
            lines.append(f"# … and {len(keys) - MOST_LINES} more, which the program names; --init sets all of them")
    return [*lines, import_command(IMPORT_FILE, protect=protect), "pulumi preview"]


def make_stack(folder: Path, stack: str, settings: Settings, secrets: Mapping[str, str], progress: Progress) -> None:
    """Make a stack of the project, and put into its configuration where the objects are and their secrets, encrypted.

    Raises:
        StackError: Pulumi cannot be run, or refuses.
    """
    _pulumi(folder, "stack", "init", stack)
    _pulumi(folder, *_set_all(settings.plain), "--stack", stack)
    hidden = {**settings.secret, **secrets}
    for number, (key, value) in enumerate(hidden.items()):
        progress(f"setting {key}", number, len(hidden))
        # Through the input: other users of this machine can read the words of a command.
        _pulumi(folder, "config", "set", "--secret", key, "--stack", stack, text=value)


def _set_all(plain: Mapping[str, str]) -> list[str]:
    """Return the words of the command that sets these values; there is always one, as something is exported."""
    return ["config", "set-all", *(word for key, value in plain.items() for word in ("--plaintext", f"{key}={value}"))]


def _pulumi(folder: Path, *words: str, text: str = "") -> None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, and keys and values of the configuration
            ["pulumi", *words, "--non-interactive"],  # noqa: S607 - the CLI on PATH is meant
            cwd=folder,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        )
    except FileNotFoundError:
        raise StackError("--init needs the pulumi CLI, and it is not on PATH") from None
    if done.returncode:
        said = " ".join(done.stderr.replace("error: ", "").split())
        raise StackError(f"`pulumi {words[0]} {words[1]}` failed: {said}")
