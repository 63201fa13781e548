"""Runs `clouddb export`, and compares its project with the existing objects."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from pulumi.dynamic.dynamic import PROVIDER_KEY
from typer.testing import CliRunner, Result

from clouddb_tools.commands.main import app
from clouddb_tools.sandbox import Sandbox, SandboxControl
from clouddb_tools.testing import Secret
from pulumi_clouddb.engine.wire import codec
from pulumi_clouddb.schema.config import environment_name
from support.declared import Joined, Program, Reference, Setting, Typed

LANGUAGES = ("python", "python-plugin", "yaml", "typescript")
PROGRAMS = {
    "python": "__main__.py",
    "python-plugin": "__main__.py",
    "yaml": "Pulumi.yaml",
    "typescript": "index.ts",
}
"""The main file of the program by language."""

COMPLETED: dict[str, dict[str, tuple[object, ...]]] = {
    "Alert": {"source": ("tile", "saved_search", "inline")},
    "PipeSshKey": {"port": (22,)},
}
"""By resource, the inputs that check adds with one of these values, so that an export does not declare them."""

Key = tuple[str, str]
"""Type and name of a resource, as in the import file."""


def environment(sandbox: SandboxControl) -> dict[str, str]:
    """Return the sandbox's configuration as environment variables, without pacing."""
    config = {**sandbox.config, "clouddb:pacing": "false"}
    return {environment_name(name.removeprefix("clouddb:")): value for name, value in config.items()}


def run(sandbox: SandboxControl, folder: Path, *arguments: str, **env: str) -> Result:
    """Run the command with a sandbox's configuration."""
    words = ["export", "--output", str(folder), *arguments]
    return CliRunner().invoke(app, words, env={**environment(sandbox), **env})


_RECORDING = """#!{python}
import json, sys
with open({log!r}, "a") as log:
    text = sys.stdin.buffer.read().decode().removesuffix("\\n")
    print(json.dumps([sys.argv[1:], text]), file=log)
"""


def recording_cli(command: Path, log: Path) -> None:
    """Write a `pulumi` that only records its arguments and its standard input, one JSON line for each call."""
    command.parent.mkdir()
    command.write_text(_RECORDING.format(python=sys.executable, log=str(log)))
    command.chmod(0o755)


@dataclass(frozen=True)
class Exported:
    """A project that the command wrote.

    Attributes:
        language: The language of its program.
        folder: Its folder.
        stderr: What the command printed to standard error.
    """

    language: str
    folder: Path
    stderr: str

    @property
    def program(self) -> str:
        """The text of the program; of several files, `__main__.py` first, and each after those that it imports."""
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
    """Return a value of a program with its references and settings replaced by their values.

    Args:
        value: The value, from a reader of programs.
        outputs: The outputs and the id of each resource, by its variable.
        secrets: The settings by key.
    """
    if isinstance(value, Reference):
        result: Any = outputs[value.variable]
        for part in value.path:
            result = result[part]
        return result
    if isinstance(value, Joined):
        return "".join(resolved(part, outputs, secrets) for part in value.parts)
    if isinstance(value, Setting):
        return secrets[value.key]
    if isinstance(value, Typed):
        return resolved(value.properties, outputs, secrets)
    if isinstance(value, Mapping):
        return {name: resolved(item, outputs, secrets) for name, item in value.items()}
    return [resolved(item, outputs, secrets) for item in value] if isinstance(value, list) else value


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties of the import file without the provider, with secrets in plain text."""
    values = {name: value for name, value in codec.read(properties).items() if name != PROVIDER_KEY}
    return {name: value.value if isinstance(value, Secret) else value for name, value in values.items()}


def needed(kind: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of the import file that an export has to declare."""
    return {name: value for name, value in inputs.items() if value not in COMPLETED.get(kind, {}).get(name, ())}


def by_name(program: Program) -> dict[Key, dict[str, Any]]:
    """Return the properties of each resource by type and name."""
    return {(f"clouddb:index:{each.kind}", each.name): each.properties for each in program.resources.values()}
