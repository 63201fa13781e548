"""What state stores of the last response of a dashboard: its difference from the inputs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.resource.state import refuse_misfits, state_from_wire, state_to_wire
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.dashboards.packing import applied, difference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "0"]), inner, max_size=3),
    max_leaves=12,
)

TILE = {"name": "errors", "x": 0, "series": [{"type": "time"}]}
DIFFERENCES = [
    pytest.param(TILE, TILE, {}, id="equal"),
    pytest.param([TILE], [{**TILE, "id": "t1"}], {"0": {"id": ["t1"]}}, id="the server adds an id"),
    pytest.param([TILE] * 3, [{**TILE, "w": 6}] * 3, {"*": {"w": [6]}}, id="the server adds a default to each"),
    pytest.param([1, 1, 1, 2], [5, 5, 1, 3], {"*": [5], "2": {}, "3": [3]}, id="the server changes most"),
    pytest.param([0, 0], [1, True], {"0": [1], "1": [True]}, id="one and true are two changes"),
    pytest.param({"a": 1, "key": "k"}, {"a": 1}, {"key": []}, id="the server leaves out what is ours"),
    pytest.param({"a": None}, {}, {"a": []}, id="null is something"),
    pytest.param([1], [1, 2], [[1, 2]], id="a list of another length"),
    pytest.param({"a": 1}, {"a": True}, {"a": [True]}, id="true is no number"),
    pytest.param({"a": 1}, {"a": 1.0}, {}, id="numbers have no type"),
]


@pytest.mark.parametrize(("base", "value", "expected"), DIFFERENCES)
def test_a_difference(base: Any, value: Any, expected: Any) -> None:
    """What is equal is left out."""
    assert difference(base, value) == expected
    assert applied(base, expected) == value


def test_older_state_has_each_change_of_a_list() -> None:
    """It is read as before."""
    assert applied([TILE] * 2, {"0": {"w": [6]}, "1": {"w": [6]}}) == [{**TILE, "w": 6}] * 2


@given(JSON, JSON)
def test_any_value_is_found_again(base: Any, value: Any) -> None:
    """Whatever a server answers, state has all of it."""
    kept = json.loads(json.dumps(difference(base, value)))
    assert json.dumps(applied(base, kept), sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("edited", ["text", 7, [1, 2], {"3": [1]}, {"0": "text"}])
def test_what_is_no_difference_is_refused(edited: Any) -> None:
    """State can be edited by hand."""
    with pytest.raises(ValueError, match=r"\S"):
        applied([1, 2], edited)


BOARD: dict[str, Any] = {
    "name": "Orders",
    "tiles": [{"name": "errors", "w": 6}, {"name": "calls", "key": "all", "w": 6}],
    "tileIds": {"errors": "t1", "all": "t2"},
    "__managed": ["name", "tiles"],
}
SERVED = {"name": "Orders", "tiles": [{"id": "t1", "name": "errors", "w": 6}, {"id": "t2", "name": "calls", "w": 6}]}
STORED = [
    pytest.param({"__served": {}}, SERVED, id="a response that the server has not changed"),
    pytest.param({"__served": {"tags": [["new"]]}}, {**SERVED, "tags": ["new"]}, id="a response with more"),
    pytest.param({"__server": SERVED}, SERVED, id="older state has the whole response"),
    pytest.param({"__server": {"name": "Old"}, "__served": {}}, SERVED, id="the newer entry is later"),
]


@pytest.mark.parametrize(("entries", "served"), STORED)
def test_state_has_the_difference_of_the_last_response(entries: dict[str, Any], served: dict[str, Any]) -> None:
    """The response is read from it, and stored as the difference again."""
    state = state_from_wire(DASHBOARD, {**BOARD, **entries})
    assert state.actual.server_form == served
    assert state_to_wire(DASHBOARD, state) == {**BOARD, "__served": entries.get("__served", {})}


def test_state_with_a_difference_that_fits_no_dashboard_is_refused() -> None:
    """Its message names the entry to correct."""
    edited = {**BOARD, "__served": {"tiles": {"7": {"w": [1]}}}}
    with pytest.raises(ResourceError, match="__served does not fit the inputs: no 7 in"):
        refuse_misfits(DASHBOARD, "d1", edited)
