"""Runs `clouddb export`, and holds what it has written against what exists."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from pulumi.dynamic.dynamic import PROVIDER_KEY
from typer.testing import CliRunner, Result

from pulumi_clouddb.commands.main import app
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.sandbox import Sandbox, SandboxControl
from pulumi_clouddb.schema.config import environment_name
from pulumi_clouddb.testing import Secret
from support.declared import Program, Reference, Setting, Typed

LANGUAGES = ("python", "python-plugin", "yaml", "typescript")
PROGRAMS = {
    "python": "__main__.py",
    "python-plugin": "__main__.py",
    "yaml": "Pulumi.yaml",
    "typescript": "index.ts",
}
"""The file that holds the program in each language."""

Key = tuple[str, str]
"""Type and name of a resource, as the import file has them."""


def environment(sandbox: SandboxControl) -> dict[str, str]:
    """Return the sandbox's configuration as environment variables, without pacing."""
    config = {**sandbox.config, "clouddb:pacing": "false"}
    return {environment_name(name.removeprefix("clouddb:")): value for name, value in config.items()}


def run(sandbox: SandboxControl, folder: Path, *arguments: str, **env: str) -> Result:
    """Run the command under a sandbox's configuration."""
    words = ["export", "--output", str(folder), *arguments]
    return CliRunner().invoke(app, words, env={**environment(sandbox), **env})


@dataclass(frozen=True)
class Exported:
    """A project that the command has written.

    Attributes:
        language: What its program is written in.
        folder: Where it is.
        said: What the command printed.
    """

    language: str
    folder: Path
    said: str

    @property
    def program(self) -> str:
        """The text of the program; one in several files with `__main__.py` first, and each behind what it imports."""
        main = self.folder / PROGRAMS[self.language]
        files = {each: each.read_text(encoding="utf-8") for each in (main, *self.folder.glob("*.py"))}
        used = {
            each: {main, *(other for other in files if f"from {other.stem} import" in files[each])} for each in files
        }
        return "\n\n".join(files[each] for each in TopologicalSorter({**used, main: set()}).static_order())

    @property
    def entries(self) -> dict[Key, dict[str, Any]]:
        """The entries of the import file."""
        document = json.loads((self.folder / "import.json").read_text(encoding="utf-8"))
        return {(each["type"], each["name"]): each for each in document["resources"]}


def export(sandbox: Sandbox, folder: Path, language: str = "python", *arguments: str) -> Exported:
    """Run the command, which must succeed."""
    done = run(sandbox, folder, "--language", language, *arguments)
    assert done.exit_code == 0, done.output
    return Exported(language, folder, done.stderr)


def resolved(value: Any, outputs: Mapping[str, Mapping[str, Any]], secrets: Mapping[str, str]) -> Any:
    """Return a value of a program with the outputs and settings that it names.

    Args:
        value: The value, as a reader of programs returns it.
        outputs: The outputs of each resource, by its variable, and its id.
        secrets: The settings.
    """
    if isinstance(value, Reference):
        found: Any = outputs[value.variable]
        for part in value.path:
            found = found[part]
        return found
    if isinstance(value, Setting):
        return secrets[value.key]
    if isinstance(value, Typed):
        return resolved(value.properties, outputs, secrets)
    if isinstance(value, Mapping):
        return {name: resolved(item, outputs, secrets) for name, item in value.items()}
    return [resolved(item, outputs, secrets) for item in value] if isinstance(value, list) else value


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties of the file without the provider, their secrets in plain text."""
    values = {name: value for name, value in codec.read(properties).items() if name != PROVIDER_KEY}
    return {name: value.value if isinstance(value, Secret) else value for name, value in values.items()}


def by_name(program: Program) -> dict[Key, dict[str, Any]]:
    """Return the properties of each resource by type and name; what is wrong with the program must be nothing."""
    return {(f"clouddb:index:{each.kind}", each.name): each.properties for each in program.resources.values()}
