"""The object of a deleted resource is kept, deleted or protected: one test for each row of the table.

Each row has the deciding facts, and those of later rows. Tests of whole runs: create/test_next_run.py,
test_same_object.py and test_replacements.py.
"""

from __future__ import annotations

import pytest

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.resource.deletion import DELETION_CASES, DeletionFacts, decide

REFUSAL = ResourceError("must not be replaced")
URN = "urn:pulumi:prod::shop::clouddb:index:Service::other"
CASES = {
    "it also belongs to another resource of the program": (
        DeletionFacts(other=URN, is_replaced_by_itself=True, refusal=REFUSAL),
        "kept",
    ),
    "it was replaced by itself": (DeletionFacts(is_replaced_by_itself=True, refusal=REFUSAL), "kept"),
    "a replacement may have left it before a rename": (
        DeletionFacts(is_leftover=True, has_old_urn=True, newer=[URN]),
        "refused",
    ),
    "a replacement that was allowed has left it": (DeletionFacts(is_leftover=True, refusal=REFUSAL), "deleted"),
    "a replacement that was not allowed has left it": (
        DeletionFacts(is_leftover=True, was_allowed=False, refusal=REFUSAL, newer=[URN], is_protected=True),
        "refused",
    ),
    "a replacement has left it, which the program allows by now": (
        DeletionFacts(is_leftover=True, was_allowed=False, newer=[URN]),
        "deleted",
    ),
    "the program has the resource, and it must not be replaced": (
        DeletionFacts(refusal=REFUSAL, newer=[URN], is_protected=True),
        "refused",
    ),
    "another one may have replaced it without leave": (DeletionFacts(newer=[URN], is_protected=True), "refused"),
    "it is protected": (DeletionFacts(is_protected=True), "refused"),
    "nobody else needs it": (DeletionFacts(), "deleted"),
}


@pytest.mark.parametrize("name", [case.name for case in DELETION_CASES])
def test_each_row_decides(name: str) -> None:
    """A kept object has a warning with the reason, and a refused deletion says why."""
    facts, decision = CASES[name]
    case = decide(facts)
    assert (case.name, bool(case.warning), case.refusal is not None) == (
        name,
        decision == "kept",
        decision == "refused",
    )


def test_every_row_is_tested() -> None:
    """CASES has exactly the rows of the table."""
    assert set(CASES) == {case.name for case in DELETION_CASES}
