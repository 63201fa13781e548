"""What the plugin's previews show: outputs as far as they can be told, and every property that changes, by its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conftest import NOWHERE
from pulumi_clouddb.testing import UNKNOWN
from support.host import HostFailed
from support.plugin import NativePlugin

SERVICE = {"name": "orders", "provider": "aws", "region": "us-east-1"}
SERIES = [{"type": "number", "aggFn": "count", "where": ""}]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NativePlugin]:
    """Run the plugin once for all tests; it reaches no server."""
    with NativePlugin({"clouddb:baseUrl": NOWHERE}, tmp_path_factory.mktemp("plugin")) as plugin:
        yield plugin


def test_preview_of_a_new_object(plugin: NativePlugin) -> None:
    """No id, the inputs as they are, and everything that only the server knows unknown."""
    foreseen = plugin.create("Service", {**SERVICE, "numReplicas": 2}, preview=True)
    assert foreseen.id == ""
    assert foreseen.outputs.items() >= {**SERVICE, "numReplicas": 2}.items()
    assert {foreseen.outputs[name] for name in ("password", "endpoints", "state", "minReplicaMemoryGb")} == {UNKNOWN}
    assert "id" not in foreseen.outputs
    assert "lastError" not in foreseen.outputs


def test_preview_of_a_dashboard_keeps_the_ids_of_its_tiles(plugin: NativePlugin) -> None:
    """Tiles that keep their key keep their id; a new one has none yet; with an unknown key nothing is said."""
    tiles = [{"name": name, "x": 0, "y": 0, "w": 4, "h": 2, "series": SERIES} for name in ("a", "b")]
    ids = {"a": "1", "b": "2"}
    state = {"name": "Orders", "tiles": tiles, "tileIds": ids, "__managed": ["name", "tiles"]}

    def foreseen(*changed: dict[str, Any]) -> Any:
        inputs = {"name": "Other", "tiles": list(changed)}
        return plugin.update("Dashboard", "id", state, inputs, preview=True).outputs["tileIds"]

    assert foreseen(*tiles) == ids
    assert foreseen({**tiles[1], "name": "B", "key": "b"}, {**tiles[0], "h": UNKNOWN}) == {"b": ids["b"], "a": ids["a"]}
    assert foreseen(tiles[0], {"name": "c"}) == {"a": ids["a"], "c": UNKNOWN}
    assert foreseen(tiles[0], {"name": UNKNOWN}) is UNKNOWN


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
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1]}}}]},
        {"tiles": [{"name": "a", "config": {"a b": {"c": [1, 2], "d": 0}}}]},
        {'tiles[0].config["a b"].c[1]': "ADD", 'tiles[0].config["a b"].d': "ADD"},
    ),
    ("Alert", {"channel": {"type": "webhook"}}, {"channel": {"type": "email"}}, {"channel.type": "UPDATE"}),
]


@pytest.mark.parametrize(("resource", "old", "new", "details"), DIFFS, ids=[" ".join(each[3]) for each in DIFFS])
def test_diffs_name_each_property(
    resource: str, old: dict[str, Any], new: dict[str, Any], details: dict[str, str], plugin: NativePlugin
) -> None:
    """Nested paths, additions, removals, and what makes another object; with and without the old inputs."""
    state = {**old, "__managed": sorted(old)}
    for old_inputs in (old, None):
        difference = plugin.diff(resource, "id", state, new, old_inputs)
        assert dict(difference.details) == details
        assert bool(difference.replaces) == any(kind.endswith("REPLACE") for kind in details.values())


def test_a_replacement_of_a_database_is_refused_or_deletes_first(plugin: NativePlugin) -> None:
    """Refused in two lines; allowed, the old service of the same name goes first."""
    state = {**SERVICE, "state": "running", "__managed": sorted(SERVICE)}
    with pytest.raises(HostFailed) as refused:
        plugin.diff("Service", "id", state, {**SERVICE, "region": "us-east-2"})
    assert len(str(refused.value).splitlines()) == 2
    difference = plugin.diff("Service", "id", state, {**SERVICE, "region": "us-east-2", "allowReplacement": True})
    assert (difference.replaces, difference.delete_first) == (("region",), True)
    assert difference.details == {"region": "UPDATE_REPLACE", "allowReplacement": "ADD"}


def test_state_of_the_dynamic_front_end_is_taken_over(plugin: NativePlugin) -> None:
    """What it keeps beside the properties is no change, and does not come back."""
    state = {**SERVICE, "state": "running", "__managed": sorted(SERVICE), "__provider": "gASV"}
    inputs = {**SERVICE, "__provider": "gASV"}
    assert not plugin.diff("Service", "id", state, SERVICE, inputs).changes
    assert "__provider" not in plugin.update("Service", "id", state, SERVICE, preview=True).outputs
