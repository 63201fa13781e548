"""By which keys a program takes tile ids, told past the engine to the command that draws its preview.

A tile that is not created yet has no id, and in a preview every unknown value is the same. What a program registers
must not differ between a preview and the update of a saved plan, so the keys do not go to the engine: the command names
a file in the environment, and the classes of this package write into it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

VARIABLE: Final = "CLOUDDB_TAKEN_KEYS"

TakenKeys = Mapping[str, Mapping[str, str]]
"""By URN, the keys of the properties that are values of a map."""


def tell(urn: str, keys: Mapping[str, str]) -> None:
    """Write the keys of a resource's properties into the file, if somebody wants them.

    A file that cannot be written is no reason for a program to fail.
    """
    file = os.environ.get(VARIABLE)
    if file and keys:
        with suppress(OSError), Path(file).open("a", encoding="utf-8") as told:
            told.write(json.dumps([urn, keys]) + "\n")


def told(file: Path) -> TakenKeys:
    """Return what a program has written; nothing where it has no such properties, or is in another language."""
    if not file.exists():
        return {}
    return dict(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
