"""Details of diffs: nested paths, additions, removals, and replacements."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.testing import UNKNOWN
from support.front_ends import FrontEnds

A, B, C = ({"key": name, "x": 0} for name in "abc")
TILES: list[tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, str]]] = [
    # A tile is identified by its key, or by its name: tiles behind a removed or new one have not changed.
    ([A, B, C], [B, C], {"tiles[0]": "DELETE"}),
    ([A, B, C], [A, C], {"tiles[1]": "DELETE"}),
    ([B, C], [A, B, C], {"tiles[0]": "ADD"}),
    ([A, B], [{"key": "n"}, {**B, "x": 1}], {"tiles[0].key": "UPDATE", "tiles[0].x": "DELETE", "tiles[1].x": "UPDATE"}),
    ([{"name": "a"}, {"name": "b"}], [{"name": "b"}], {"tiles[0]": "DELETE"}),
    ([{"name": "a"}, {"name": "b"}], [{"name": "b", "key": "k"}], {"tiles[0]": "UPDATE"}),
    ([{"x": 1}, {"x": 2}, {"x": 3}], [{"x": 2}, {"x": 3}], {"tiles[0]": "DELETE"}),
    ([A, B], [B, A], {"tiles": "UPDATE"}),
    ([A, B, C], [B, {**C, "x": UNKNOWN}], {"tiles[0]": "DELETE", "tiles[1].x": "ADD"}),
    # The engine reads both values of a path from one place, so an edited tile that has moved shows only its new value,
    # or only its old one if another tile was removed or added.
    ([A, B, C], [B, {**C, "x": 9}], {"tiles[0]": "DELETE", "tiles[1].x": "ADD"}),
    ([A, B, C], [{**B, "x": 9}, C], {"tiles[0]": "DELETE", "tiles[1].x": "DELETE"}),
    ([A, B, C], [{**B, "x": 1}, {**C, "x": 2}], {"tiles[0]": "DELETE", "tiles[1].x": "UPDATE"}),
    ([B, C], [A, B, {**C, "x": 9}], {"tiles[0]": "ADD", "tiles[1].x": "DELETE"}),
    ([A], [B, {**A, "y": 1}], {"tiles[0]": "ADD", "tiles[1]": "ADD"}),
    ([A, B, C], [{**B, "y": 9}, C], {"tiles[0]": "UPDATE"}),
]
DIFFS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = [
    ("Service", {"numReplicas": 2}, {"numReplicas": 3}, {"numReplicas": "UPDATE"}),
    ("Service", {"numReplicas": 2}, {"numReplicas": UNKNOWN}, {"numReplicas": "UPDATE"}),
    ("Service", {"numReplicas": 2}, {}, {"numReplicas": "DELETE"}),
    ("Service", {}, {"numReplicas": 2}, {"numReplicas": "ADD"}),
    (
        "Service",
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2", "description": "b"}]},
        {"ipAccessList": [{"source": "10.0.0.2/32", "description": "b"}, {"source": "10.0.0.3"}]},
        {"ipAccessList[0]": "DELETE", "ipAccessList[1]": "ADD"},
    ),
    (
        "Service",
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": "10.0.0.2"}]},
        {"ipAccessList": [{"source": "10.0.0.1"}, {"source": UNKNOWN, "description": "b"}]},
        {"ipAccessList[1].source": "UPDATE", "ipAccessList[1].description": "ADD"},
    ),
    ("PipeScaling", {"pipeId": "a"}, {"pipeId": "b"}, {"pipeId": "UPDATE_REPLACE"}),
    ("ApiKey", {"keyId": "a"}, {}, {"keyId": "DELETE_REPLACE"}),
    ("ApiKey", {}, {"rotation": "2027"}, {"rotation": "ADD_REPLACE"}),
    ("ApiKey", {"roles": ["admin", "developer"]}, {"roles": ["developer"]}, {"roles[0]": "DELETE"}),
    ("Dashboard", {"tiles": [{"name": "a"}, {"name": "b"}]}, {"tiles": [{"name": "a"}]}, {"tiles[1]": "DELETE"}),
    (
        "Dashboard",
        {"tiles": [{"name": "a"}, {"name": "b"}]},
        {"tiles": [{"name": "a", "key": "a"}, {"name": "b", "h": 2}]},
        {"tiles[1].h": "ADD"},
    ),
    (
        "Dashboard",
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1]}}}]},
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1, 2], "d": 0}}}]},
        {'tiles[0].config["a b"].c[1]': "ADD", 'tiles[0].config["a b"].d': "ADD"},
    ),
    *(("Dashboard", {"tiles": old}, {"tiles": new}, details) for old, new, details in TILES),
    ("Dashboard", {"tags": ["a", "b", "c"]}, {"tags": ["b", "c"]}, {"tags[0]": "DELETE"}),
    (
        "Dashboard",
        {"containers": [{"id": "one", "title": "One"}, {"id": "two", "title": "Two"}]},
        {"containers": [{"id": "two", "title": "Two"}]},
        {"containers[0]": "DELETE"},
    ),
    ("Alert", {"channel": {"type": "webhook"}}, {"channel": {"type": "email"}}, {"channel.type": "UPDATE"}),
]

NAMES = [f"{resource} {', '.join(details)} {number}" for number, (resource, _, _, details) in enumerate(DIFFS)]


@pytest.mark.parametrize("before", ["old inputs", "state"])
@pytest.mark.parametrize(("resource", "old", "new", "details"), DIFFS, ids=NAMES)
def test_details_of_a_diff(
    resource: str,
    old: dict[str, Any],
    new: dict[str, Any],
    details: dict[str, str],
    before: str,
    front_ends: FrontEnds,
) -> None:
    """The plugin reports them, also without the old inputs of newer engines; the dynamic front end has no details."""
    state = {**old, "__managed": sorted(old)}
    found = front_ends.native.diff(resource, "id", state, new, old if before == "old inputs" else None)
    assert (found.changes, found.details) == (True, details)
    assert set(found.replaces) == {path for path, kind in details.items() if kind.endswith("_REPLACE")}
    assert front_ends.dynamic.diff(resource, "id", state, new).changes


def test_no_change_has_no_details(front_ends: FrontEnds) -> None:
    """The engine then changes nothing."""
    found = front_ends.native.diff(
        "Service", "id", {"numReplicas": 2, "__managed": ["numReplicas"]}, {"numReplicas": 2}
    )
    assert (found.changes, found.replaces, found.details) == (False, (), {})
