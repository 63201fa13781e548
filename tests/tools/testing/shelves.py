"""A folder of objects for tests of the fake engine, and a stack, real or fake, that manages them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clouddb_tools.testing import CliStack, FakeEngineStack, ResourceState, Secret

HEAD = """
import pulumi
from pulumi import Alias, Config, Output, ResourceOptions as Opts, export
from shelf import Box, Item, Lazy, Renamed
"""


class Shelf:
    """The objects, the calls of the provider, and the stack."""

    def __init__(self, kind: type[FakeEngineStack | CliStack], folder: Path, **options: Any) -> None:
        self.folder = folder / "objects"
        self.folder.mkdir()
        support = Path(__file__).with_name("program")
        self.env = {"SHELF": str(self.folder), "PYTHONPATH": str(support), "PYTHONDONTWRITEBYTECODE": "1"}
        self.stack: FakeEngineStack | CliStack = kind(HEAD, work_dir=folder / "stack", env=self.env, **options)

    def program(self, text: str) -> None:
        """Set the program, after the imports."""
        self.stack.set_program(HEAD + text)

    def up(self, text: str, **options: Any) -> Any:
        """Run `up` with this program, and drop the recorded calls of before."""
        self.program(text)
        self.forget()
        return self.stack.up(**options)

    def calls(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the calls of these kinds in order."""
        file = self.folder / "calls.jsonl"
        entries = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return [each for each in entries if not kinds or each["call"] in kinds]

    def done(self) -> list[str]:
        """Return the calls that change something, as text: `create a`, `delete a1`."""
        return [f"{c['call']} {c.get('id', c['name'])}" for c in self.calls("create", "update", "delete")]

    def forget(self) -> None:
        """Drop the recorded calls."""
        (self.folder / "calls.jsonl").unlink(missing_ok=True)

    def objects(self) -> list[str]:
        """Return the ids of the existing objects."""
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def change(self, id_: str, **values: Any) -> None:
        """Change an object outside of the stack."""
        file = self.folder / f"{id_}.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **values}))

    def remove(self, id_: str) -> None:
        """Remove an object outside of the stack."""
        (self.folder / f"{id_}.json").unlink()

    def break_(self, call: str, name: str, broken: bool = True) -> None:
        """Make the calls of a kind for an object fail, or succeed again."""
        mark = self.folder / f"fail-{call}-{name}"
        mark.touch() if broken else mark.unlink()

    def state(self, name: str) -> ResourceState:
        """Return the state of the resource with this name."""
        return self.stack.resource(name)

    def names(self) -> set[str]:
        """Return the names of the resources in state, without the stack itself."""
        return {each.name for each in self.stack.resources if each.type != "pulumi:pulumi:Stack"}


__all__ = ["Secret", "Shelf"]
