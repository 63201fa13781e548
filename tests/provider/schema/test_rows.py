"""All rows of mistakes: what check says of each, and that each rule is broken by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clouddb_tools.testing import UNKNOWN
from description.mistakes import ROWS as OF_SENTENCES
from description.terraform import VALIDATORS
from pulumi_clouddb.registry import RESOURCES
from support import planted
from support.front_ends import MakeFrontEnds
from support.rows import Row, changed, play
from support.things import modules

ROWS: list[Row] = [
    *(row for module in modules("checks") for row in module.CASES),
    *planted.CASES,
    *OF_SENTENCES,
    *(each.here for each in VALIDATORS if isinstance(each.here, Row)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    """Check says it of the mistake, and nothing of the inputs that its message leads to, in this process."""
    play(row)


def one_of_each() -> Iterator[Row]:
    """Yield the first row of each resource that is refused, and the first that is warned of, in each dialect."""
    seen = set()
    for row in ROWS:
        kind = (row.resource, bool(row.refused), bool(row.warned), row.config.get("vocabulary"))
        if row.resource in RESOURCES and (row.refused or row.warned) and kind not in seen:
            seen.add(kind)
            yield row


@pytest.mark.parametrize("row", [*one_of_each()], ids=lambda row: row.name)
def test_both_front_ends_say_it(row: Row, front_ends_of: MakeFrontEnds) -> None:
    """A program gets what check says; an unknown value is no mistake."""
    ends = front_ends_of(**row.config)
    before = len(ends.warnings)
    for inputs in (row.valid, changed(row.valid, dict.fromkeys(row.change, UNKNOWN))):
        assert ends.check(row.resource, inputs).failures == []
    assert ends.warnings[before:] == []
    failures = ends.check(row.resource, row.wrong).failures
    for messages, parts in ((failures, row.refused), (ends.native.warnings[before:], row.warned)):
        assert [part for part in parts if not any(part in each for each in messages)] == []
