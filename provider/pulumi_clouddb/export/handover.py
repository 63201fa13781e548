"""What a user does with an exported project: the commands, and a stack that is made for them."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pulumi_clouddb.api.errors import CloudDBError
from pulumi_clouddb.models.base import names_marked
from pulumi_clouddb.models.config import ProviderConfig
from pulumi_clouddb.models.convert import to_wire

from .import_file import import_command
from .inventory import Progress
from .language import Language
from .project import IMPORT_FILE

SDK = 'pulumi package add "$(command -v pulumi-resource-clouddb)"'
"""Generates the SDK of the plugin; by its bare name Pulumi would look for it in the registry."""

_WHERE = ("baseUrl", "organizationId", "stackUrl", "vocabulary", "organizationTier", "keyId", "keySecret", "stackToken")
"""The settings that lead to the objects; the others are how requests are sent."""

MOST_LINES = 8
"""So many secrets are named each in a line of its own."""


class StackError(CloudDBError):
    """The stack of an exported project could not be made."""


@dataclass(frozen=True)
class Settings:
    """The configuration of a stack that leads to the objects.

    Attributes:
        plain: Values by their keys.
        secret: The same of secrets.
    """

    plain: Mapping[str, str]
    secret: Mapping[str, str]


def settings_of(config: ProviderConfig) -> Settings:
    """Return the configuration of a stack that leads to the same objects."""
    hidden = names_marked(type(config), "secret")
    said = {name: value for name, value in to_wire(config).items() if name in _WHERE and value is not None}
    texts = {name: str(getattr(value, "value", value)) for name, value in said.items()}
    return Settings(
        {f"clouddb:{name}": text for name, text in texts.items() if name not in hidden},
        {f"clouddb:{name}": text for name, text in texts.items() if name in hidden},
    )


def commands(
    folder: Path, language: Language, settings: Settings, secrets: Sequence[str], stack: str | None
) -> list[str]:
    """Return the commands that lead from the project to a clean preview.

    Args:
        folder: Where the project is.
        language: What it is written in.
        settings: The configuration that leads to the objects.
        secrets: The keys of the secrets that the program takes.
        stack: The stack, if it has been made and configured.
    """
    lines = [shlex.join(["cd", str(folder)])]
    if language in (Language.PYTHON_PLUGIN, Language.TYPESCRIPT):
        lines.append(SDK)
    if stack is None:
        lines.append("pulumi stack init dev")
        lines += [shlex.join(["pulumi", "config", "set", key, value]) for key, value in settings.plain.items()]
        keys = [*settings.secret, *secrets]
        lines += [f"pulumi config set --secret {key}" for key in keys[:MOST_LINES]]
        if len(keys) > MOST_LINES:
            lines.append(f"# … and {len(keys) - MOST_LINES} more, which the program names; --init sets all of them")
    return [*lines, import_command(IMPORT_FILE), "pulumi preview"]


def make_stack(folder: Path, stack: str, settings: Settings, secrets: Mapping[str, str], progress: Progress) -> None:
    """Make a stack of the project, and put into its configuration where the objects are and their secrets, encrypted.

    Raises:
        StackError: Pulumi cannot be run, or refuses.
    """
    _pulumi(folder, "stack", "init", stack)
    for key, value in settings.plain.items():
        _pulumi(folder, "config", "set", key, value, "--stack", stack)
    hidden = {**settings.secret, **secrets}
    for number, (key, value) in enumerate(hidden.items()):
        progress(f"setting {key}", number, len(hidden))
        # Through the input: other users of this machine can read the words of a command.
        _pulumi(folder, "config", "set", "--secret", key, "--stack", stack, text=value)


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
