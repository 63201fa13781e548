"""The modules of one name in the folders of things."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

THINGS = Path(__file__).parents[1] / "provider" / "things"
"""The folder with a folder of tests for each thing."""


def modules(name: str) -> Iterator[ModuleType]:
    """Yield the modules of this name, in alphabetical order of the things' folders."""
    for file in sorted(THINGS.rglob(f"{name}.py")):
        yield import_module(".".join(file.with_suffix("").relative_to(THINGS.parent).parts))
