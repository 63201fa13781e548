"""Both front ends return and send the same in every case of the table, except for the listed differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clouddb_tools.sandbox.store import Store
from lives.table import WIRE_LIVES
from pulumi_clouddb.registry import FUNCTIONS
from support.front_ends import FrontEnds

from . import cases_kept
from .case import Case
from .differences import DIFFERENCES, OTHER_DIFFERENCES, Difference, OtherDifference
from .play import FrontEndPair, assert_agreement, assert_expected, differences_of, first_difference
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


FIRST = {case.differs: case for case in reversed(OF_ONE) if case.differs}
"""The first case of each way in which the front ends differ."""
OTHERS = [case for case in OF_ONE if FIRST.get(case.differs) is not case]


@pytest.mark.parametrize(
    "case",
    [*_marked([*OF_ALL, *FIRST.values()], lambda case: case.slow), *_marked(OTHERS, lambda _: True)],
)
def test_both_front_ends_agree(case: Case, pair: FrontEndPair) -> None:
    """Responses, requests and warnings are equal, and as the case expects."""
    _play_both(case, pair)


@pytest.mark.parametrize("case", _marked(OTHERS, lambda case: case.slow))
def test_plugin_does_what_is_expected(case: Case, pair: FrontEndPair) -> None:
    """Its responses, requests and warnings are as the case expects."""
    _play_native(case, pair)


def _play_native(case: Case, pair: FrontEndPair) -> None:
    assert_expected(case, pair.play_native(case))


def _play_both(case: Case, pair: FrontEndPair) -> None:
    assert_agreement(case, *pair.play(case))


@pytest.mark.beyond_the_description
@pytest.mark.parametrize(
    "play",
    [pytest.param(_play_native, id="plugin"), pytest.param(_play_both, id="both", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(
    "ignored",
    [pytest.param(each, id=str(each.case), marks=[pytest.mark.slow] * each.case.slow) for each in cases_kept.CASES],
)
def test_property_that_the_server_ignores_is_not_updated_for_ever(
    ignored: cases_kept.Ignored,
    play: Callable[[Case, FrontEndPair], None],
    pair: FrontEndPair,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three rounds of refresh and `up` send no update, and warn that the server keeps its own value."""
    monkeypatch.setattr(Store, "put", lambda store, *document: ignored.put(store, *document))  # noqa: PLW0108 (bound)
    play(ignored.case, pair)


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


DIFFERENT: dict[str, tuple[Any, Any, str]] = {
    "a property": (
        {"outputs": {"key": "a", "name": "n"}},
        {"outputs": {"key": "b", "name": "n"}},
        "outputs.key is 'a' ",
    ),
    "an item": ([{"path": "/a"}, {"path": "/b"}], [{"path": "/a"}, {"path": "/c"}], "1.path is '/b' "),
    "a missing property": ({"id": "a"}, {}, "id is 'a' in the dynamic front end and '(absent)' in the plugin"),
    "a null": ({"id": None}, {}, "id is None in"),
    "one request more": ({"sent": [1]}, {"sent": [1, 2]}, "sent is [1] "),
    "nothing": ({"id": ["a"]}, {"id": ["a"]}, ""),
}


@pytest.mark.parametrize(("dynamic", "native", "message"), DIFFERENT.values(), ids=DIFFERENT)
def test_first_difference_is_named(dynamic: Any, native: Any, message: str) -> None:
    """A failure names the property, both values, and what to do if they are random."""
    text = first_difference(dynamic, native)
    assert text.startswith(message)
    assert ("GENERATED" in text) is bool(message)


def test_cases_are_selected_by_resource() -> None:
    """`-k Name` selects those of every resource."""
    assert [case for case in CASES if not str(case).startswith(case.resource)] == []
