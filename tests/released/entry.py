"""One resource in the state of a release, with the server that has its object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
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
        step: What the last command did: `created`, `refreshed` after an update, or `interrupted` during the create, so
            that state has nothing.
        program: The inputs of the program at that time.
        next: The inputs of the update that follows; equal to `program` after it.
        id: The id in state.
        inputs: The inputs in state.
        outputs: The outputs in state.
        objects: The objects that a new sandbox does not have, or has otherwise: kind, id, parent, document.
        files: The files of the machine, by name.
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
    files: dict[str, str] = field(default_factory=dict)

    @property
    def made(self) -> float:
        """When the newest of its objects that has a date was created, in seconds since 1970; 0 without one."""
        dates = [str(each["createdAt"]) for *_, each in self.objects if "createdAt" in each]
        return max((datetime.fromisoformat(each.replace("Z", "+00:00")).timestamp() for each in dates), default=0.0)

    @property
    def vocabulary(self) -> VocabularyName:
        """The dialect."""
        return VocabularyName(self.dialect)

    def __str__(self) -> str:
        """Return the id of its tests."""
        return f"{self.release}: {self.life}, {self.dialect}, {self.front_end}, {self.step}"


def urn_of(resource: str) -> str:
    """Return the URN of the resource of an entry."""
    return f"urn:pulumi:dev::shop::clouddb:index:{resource}::it"


def entries() -> Iterator[Entry]:
    """Yield the entries of all releases."""
    for file in sorted(DATA.glob("*.*.*/*.json")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield Entry(**json.loads(line))


def write(release: str, name: str, made: list[Entry]) -> None:
    """Write entries of a release, one in each line, unless there are some: no state of a release is ever edited.

    Raises:
        FileExistsError: The release has a file of this name.
    """
    file = DATA / release / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    with file.open("x", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(asdict(each), sort_keys=True)}\n" for each in made)
