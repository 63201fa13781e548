"""Both front ends return and send the same in every case of the table, except for the listed differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lives.table import WIRE_LIVES
from pulumi_clouddb.registry import FUNCTIONS
from support.front_ends import FrontEnds

from .case import Case
from .differences import DIFFERENCES, OTHER_DIFFERENCES, Difference, OtherDifference
from .play import FrontEndPair, assert_agreement, differences_of
from .table import CASES, OF_ALL, OF_ONE


@pytest.fixture(scope="session")
def pair(processes: FrontEnds) -> Iterator[FrontEndPair]:
    """Return the player of cases."""
    pair = FrontEndPair(processes)
    yield pair
    pair.close()


def _marked(cases: list[Case], slow: Callable[[Case], bool]) -> list[Any]:
    beyond = pytest.mark.beyond_the_description
    return [
        pytest.param(case, id=str(case), marks=[beyond] * case.beyond + [pytest.mark.slow] * slow(case))
        for case in cases
    ]


@pytest.mark.parametrize(
    "case",
    [*_marked(OF_ALL, lambda case: case.slow), *_marked(OF_ONE, lambda case: not case.differs)],
)
def test_both_front_ends_agree(case: Case, pair: FrontEndPair) -> None:
    """Responses, requests and warnings are equal, and as the case expects."""
    assert_agreement(case, *pair.play(case))


@pytest.mark.parametrize("case", _marked([case for case in OF_ONE if not case.differs], lambda case: case.slow))
def test_plugin_does_what_is_expected(case: Case, pair: FrontEndPair) -> None:
    """Its responses, requests and warnings are as the case expects."""
    native = pair.play_native(case)
    assert_agreement(case, native, native)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.name)
def test_each_difference_is_present(difference: Difference, pair: FrontEndPair) -> None:
    """A difference that is no longer present must be removed from the list."""
    if difference.everywhere:
        case = next(case for case in CASES if case.has("diff") and any(step.fails for step in case.steps))
    else:
        case = next(case for case in CASES if difference.name in case.differs)
    assert difference.name in differences_of(case, *pair.play(case))


@pytest.mark.parametrize("difference", OTHER_DIFFERENCES, ids=lambda each: each.name)
def test_each_other_difference_is_present(difference: OtherDifference, pair: FrontEndPair) -> None:
    """Differences outside responses are measured directly."""
    assert pair.measure(difference.measure) == (difference.dynamic, difference.native)


def test_table_is_complete() -> None:
    """It has more than 150 cases with unique names, for all resources and all functions."""
    assert len(CASES) > 150
    assert [name for name, count in Counter(map(str, CASES)).items() if count > 1] == []
    assert {case.resource for case in CASES} >= {life.life.name for life in WIRE_LIVES}
    assert {step.what for case in CASES for step in case.steps} >= set(FUNCTIONS)
