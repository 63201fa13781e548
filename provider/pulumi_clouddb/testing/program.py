"""Finding, or writing, the program of a stack."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

SETTINGS = "Pulumi.yaml"


class Program:
    """A project folder and the place in it from which the program runs.

    As with the CLI, Pulumi.yaml's `main` may name a folder or a file; program and dynamic provider host both run in
    that folder, so that modules beside the program can be imported by both.
    """

    def __init__(self, source: str | Path, folder: Path, project: str) -> None:
        if isinstance(source, str) and ("\n" in source or not os.path.isdir(source)):
            self.root = folder
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "__main__.py").write_text(source, encoding="utf-8")
            (folder / SETTINGS).write_text(f"name: {project}\nruntime: python\n", encoding="utf-8")
        else:
            self.root = Path(source).absolute()
        self.settings = self._settings()
        main = self.root / str(self.settings.get("main", "."))
        if not main.exists():
            raise FileNotFoundError(f"the program {main} does not exist")
        self.folder = main if main.is_dir() else main.parent
        self.entry = "." if main.is_dir() else main.name

    @property
    def project(self) -> str:
        """The project's name, as Pulumi.yaml has it."""
        return str(self.settings["name"])

    def _settings(self) -> dict[str, Any]:
        file = self.root / SETTINGS
        if not file.is_file():
            raise FileNotFoundError(f"{self.root} holds no {SETTINGS}: a program is a project's folder or Python text")
        return dict(yaml.safe_load(file.read_text(encoding="utf-8")))
