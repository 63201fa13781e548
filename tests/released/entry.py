"""One resource in the state of a release, with the server that has its object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lives.life import Inputs
from pulumi_clouddb.schema.vocabulary import VocabularyName

DATA = Path(__file__).parents[1] / "data" / "state"


@dataclass(frozen=True)
class Entry:
    """A resource in state.

    Attributes:
        release: The version that wrote it.
        life: The name of its life.
        resource: The Pulumi name.
        dialect: The dialect of its server.
        organization: The id of the organization.
        front_end: The front end that wrote it.
        step: What the last command did: `created`, or `refreshed` after an update.
        program: The inputs of the program at that time.
        next: The inputs of the update that follows; equal to `program` after it.
        id: The id in state.
        inputs: The inputs in state.
        outputs: The outputs in state.
        objects: The objects that a new sandbox does not have, or has otherwise: kind, id, parent, document.
    """

    release: str
    life: str
    resource: str
    dialect: str
    organization: str
    front_end: str
    step: str
    program: Inputs
    next: Inputs
    id: str
    inputs: Inputs
    outputs: Inputs
    objects: list[tuple[str, str, str, dict[str, Any]]]

    @property
    def vocabulary(self) -> VocabularyName:
        """The dialect."""
        return VocabularyName(self.dialect)

    def __str__(self) -> str:
        """Return the id of its tests."""
        return f"{self.release}: {self.life}, {self.dialect}, {self.front_end}, {self.step}"


def file_of(release: str, dialect: str) -> Path:
    """Return the file with the entries of a release on servers of one dialect."""
    return DATA / release / f"{dialect}.json"


def entries() -> Iterator[Entry]:
    """Yield the entries of all releases."""
    for file in sorted(DATA.glob("*.*.*/*.json")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield Entry(**json.loads(line))


def write(release: str, dialect: str, made: list[Entry]) -> None:
    """Write the entries of a release, one in each line, unless there are some: no state of a release is ever edited.

    Raises:
        FileExistsError: The release has them.
    """
    file = file_of(release, dialect)
    file.parent.mkdir(exist_ok=True)
    with file.open("x", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(asdict(each), sort_keys=True)}\n" for each in made)
