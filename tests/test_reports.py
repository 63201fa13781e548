"""A worker tells of each test what a run shows of it."""

from __future__ import annotations

from typing import Literal

import pytest

from support.cost import told

Outcome = Literal["passed", "failed", "skipped"]
CASES: dict[str, tuple[dict[str, Outcome], set[str]]] = {
    "it passed": ({"setup": "passed", "call": "passed", "teardown": "passed"}, {"call"}),
    "it failed": ({"setup": "passed", "call": "failed", "teardown": "passed"}, {"setup", "call", "teardown"}),
    "it skipped itself": ({"setup": "passed", "call": "skipped", "teardown": "passed"}, {"setup", "call", "teardown"}),
    "its setup failed": ({"setup": "failed", "teardown": "passed"}, {"setup", "teardown"}),
    "it is skipped": ({"setup": "skipped", "teardown": "passed"}, {"setup", "teardown"}),
    "its teardown failed": ({"setup": "passed", "call": "passed", "teardown": "failed"}, {"setup", "call", "teardown"}),
}


@pytest.mark.parametrize(("outcomes", "expected"), CASES.values(), ids=CASES)
def test_all_reports_of_a_test_that_did_not_pass_are_told(outcomes: dict[str, Outcome], expected: set[str]) -> None:
    """Of one that passed, the result is told alone."""
    reports = [
        pytest.TestReport("a", ("a.py", 1, "a"), {}, outcome, None, when)  # type: ignore[arg-type]
        for when, outcome in outcomes.items()
    ]
    assert {each.when for each in told(reports)} == expected
