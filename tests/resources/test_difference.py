"""What state keeps of a server's form: how it differs from the inputs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_clouddb.resource.state import applied, difference

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
