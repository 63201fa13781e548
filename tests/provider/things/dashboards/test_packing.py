"""What state stores of the last response of a dashboard: its difference from the inputs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.resource.state import refuse_unusable, state_from_wire, state_to_wire
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
    pytest.param([1, 1, 1, 2], [5, 5, 1, 3], {"*": [5], "2": {}, "3": [3]}, id="the server changes most elements"),
    pytest.param([0, 0], [1, True], {"0": [1], "1": [True]}, id="1 and true are different"),
    pytest.param({"a": 1, "key": "k"}, {"a": 1}, {"key": []}, id="the server omits our key"),
    pytest.param({"a": None}, {}, {"a": []}, id="null is a value"),
    pytest.param([1], [1, 2], [[1, 2]], id="a list of another length"),
    pytest.param({"a": 1}, {"a": True}, {"a": [True]}, id="true is not a number"),
    pytest.param({"a": 1}, {"a": 1.0}, {}, id="numbers have no type"),
]


@pytest.mark.parametrize(("base", "value", "expected"), DIFFERENCES)
def test_applied_difference_is_the_value(base: Any, value: Any, expected: Any) -> None:
    """Equal parts are left out."""
    assert difference(base, value) == expected
    assert applied(base, expected) == value


def test_difference_of_older_state_is_applied() -> None:
    """It contains each change of a list separately."""
    assert applied([TILE] * 2, {"0": {"w": [6]}, "1": {"w": [6]}}) == [{**TILE, "w": 6}] * 2


@given(JSON, JSON)
def test_any_value_is_restored(base: Any, value: Any) -> None:
    """The difference contains all of any response."""
    stored = json.loads(json.dumps(difference(base, value)))
    assert json.dumps(applied(base, stored), sort_keys=True) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("edited", ["text", 7, [1, 2], {"3": [1]}, {"0": "text"}])
def test_invalid_difference_is_rejected(edited: Any) -> None:
    """State may have been edited by hand."""
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


def test_state_with_an_invalid_difference_is_rejected() -> None:
    """The message names the entry."""
    edited = {**BOARD, "__served": {"tiles": {"7": {"w": [1]}}}}
    with pytest.raises(ResourceError, match="__served does not fit the inputs: no 7 in"):
        refuse_unusable(DASHBOARD, "d1", edited)
