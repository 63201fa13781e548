"""Both front ends answer, and send, the same in every case of the table, but for the differences that are listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lives.table import WIRE_LIVES
from pulumi_clouddb.registry import FUNCTIONS
from support.front_ends import FrontEnds

from .case import Case
from .differences import BEYOND_ANSWERS, DIFFERENCES, Beyond, Difference
from .play import FrontEndPair, agree, shown
from .table import CASES, OF_ALL, OF_ONE


@pytest.fixture(scope="session")
def pair(processes: FrontEnds) -> Iterator[FrontEndPair]:
    """Where cases are played."""
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
    """The same answers, the same requests, the same warnings; and what the case expects of them."""
    agree(case, *pair.play(case))


@pytest.mark.parametrize("case", _marked([case for case in OF_ONE if not case.differs], lambda case: case.slow))
def test_the_plugin_does_what_is_expected(case: Case, pair: FrontEndPair) -> None:
    """What the case expects of the answers, requests and warnings of one front end."""
    native = pair.play_native(case)
    agree(case, native, native)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.name)
def test_each_difference_is_there(difference: Difference, pair: FrontEndPair) -> None:
    """Where nothing shows it any more, it must go from the list."""
    if difference.everywhere:
        case = next(case for case in CASES if case.has("diff") and any(step.fails for step in case.steps))
    else:
        case = next(case for case in CASES if difference.name in case.differs)
    assert difference.name in shown(case, *pair.play(case))


@pytest.mark.parametrize("beyond", BEYOND_ANSWERS, ids=lambda each: each.name)
def test_each_difference_beyond_answers_is_there(beyond: Beyond, pair: FrontEndPair) -> None:
    """What no answer of the table shows is shown by itself."""
    assert pair.ask(beyond.there) == (beyond.dynamic, beyond.native)


def test_the_table_is_long_and_complete() -> None:
    """More than 150 cases, no two of one name, of all resources and all functions."""
    assert len(CASES) > 150
    assert [name for name, count in Counter(map(str, CASES)).items() if count > 1] == []
    assert {case.resource for case in CASES} >= {life.life.name for life in WIRE_LIVES}
    assert {step.what for case in CASES for step in case.steps} >= set(FUNCTIONS)
