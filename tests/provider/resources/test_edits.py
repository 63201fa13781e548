"""What an update makes of the program's changes and somebody else's edits: a table of named cases.

Whole updates, with what the server returns of tiles, are in contract/cases_versions.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pulumi_clouddb.resource.edits import Edits, combined


@dataclass(frozen=True)
class Case:
    """The inputs of the last update, of this one, and of the last one with the edits; and what follows.

    Attributes:
        before: Inputs of the last update.
        program: Inputs of this update.
        edited: Inputs of the last update with the edits.
        sent: Inputs that are sent.
        kept: Edited parts that the update keeps.
        lost: Parts that both have changed.
    """

    before: dict[str, Any]
    program: dict[str, Any]
    edited: dict[str, Any]
    sent: dict[str, Any]
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def tiles(*letters: str) -> dict[str, Any]:
    """Return a dashboard; `A` is a tile, and `A2` the same one with another content."""
    return {"tiles": [{"name": each[0], "content": each[1:]} for each in letters]}


CASES = {
    "each changes another tile": Case(
        tiles("A", "B"), tiles("A2", "B"), tiles("A", "B2"), sent=tiles("A2", "B2"), kept=("tile 'B'",)
    ),
    "both change one tile": Case(tiles("A"), tiles("A2"), tiles("A3"), sent=tiles("A2"), lost=("tile 'A'",)),
    "both make one change": Case(tiles("A"), tiles("A2"), tiles("A2"), sent=tiles("A2")),
    "the program has another order": Case(tiles("A", "B"), tiles("B", "A"), tiles("A", "B"), sent=tiles("B", "A")),
    "somebody has added a tile": Case(
        tiles("A"), tiles("A", "B"), tiles("N", "A"), sent=tiles("A", "B", "N"), kept=("tile 'N'",)
    ),
    "somebody has taken a tile out": Case(
        tiles("A", "B"), tiles("A2", "B"), tiles("A"), sent=tiles("A2"), kept=("tile 'B'",)
    ),
    "somebody has added a property": Case({}, {}, {"tags": ["a"]}, sent={"tags": ["a"]}, kept=("tags",)),
    "somebody has taken a property out": Case({"tags": ["a"]}, {"tags": ["a"]}, {}, sent={}, kept=("tags",)),
    "the program takes a property out": Case({"tags": ["a"]}, {}, {"tags": ["a"]}, sent={}),
    "both change a property": Case(
        {"tags": ["a"]}, {"tags": ["b"]}, {"tags": ["c"]}, sent={"tags": ["b"]}, lost=("tags",)
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_program_and_edits_are_combined(case: Case) -> None:
    """Only what both have changed, each in another way, is lost; the caller then sends nothing."""
    found = combined(case.before, case.program, case.edited, lambda _, one, other: one == other)
    assert found == Edits(case.sent, [*case.kept], [*case.lost])
