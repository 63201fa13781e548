"""The whole life of each resource through the real native plugin, against the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lives import LIVES, Life
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.testing import UNKNOWN
from support.host import HostFailed
from support.plugin import NativePlugin

Inputs = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A life of `lives` in the words of the wire; a value such as `$pipe_id` is a name of its setting.

    Attributes:
        name: Its name there.
        before: The inputs at first.
        after: The inputs later.
        details: What the update's diff says of each property.
        left_alone: Outputs that the preview of the update knows.
        extra: Wire names of inputs that an import cannot tell, or tells otherwise.
    """

    name: str
    before: Inputs
    after: Inputs
    details: dict[str, str]
    left_alone: frozenset[str]
    extra: frozenset[str] = frozenset()

    @property
    def life(self) -> Life:
        """The life: what surrounds the object, and what strangers do to it."""
        return LIVES[self.name]

    @property
    def managed(self) -> bool:
        """Whether the object belongs to a service's stack, so that its id is imported as `serviceId/ID`."""
        return self.life.name in ("Dashboard", "Alert") and "serviceId" in self.before

    def inputs(self, which: Inputs, names: dict[str, str]) -> Inputs:
        """Return inputs with the names of the setting filled in."""
        return {
            name: names[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for name, value in which.items()
        }

    def __str__(self) -> str:
        """Name the test."""
        return self.name


def tile(name: str, **grid: Any) -> Inputs:
    """Return a tile with one series."""
    agg = grid.pop("agg", "count")
    series = [{"type": "number", "aggFn": agg, "field": "ms", "sourceId": "logs", "where": ""}]
    return {"key": name.lower(), "name": name, **grid, "series": series}


PIPE = {"serviceId": "$service_id", "pipeId": "$pipe_id"}
DASHBOARD: dict[str, Any] = {
    "before": {
        "name": "Orders",
        "tags": ["shop"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=3), tile("Speed", x=8, y=0, w=4, h=3)],
    },
    "after": {
        "name": "Orders",
        "tags": ["shop", "new"],
        "tiles": [tile("Errors", x=0, y=0, w=8, h=4), tile("Slow", x=8, y=0, w=4, h=3)],
    },
    "details": {"tags[1]": "ADD", "tiles[0].h": "UPDATE", "tiles[1].key": "UPDATE", "tiles[1].name": "UPDATE"},
}
CASES = [
    Case(
        "service",
        before={
            "name": "orders",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 16,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 2,
            "idleScaling": True,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.9.0.0/16", "description": "a"},
            ],
        },
        after={
            "name": "orders and returns",
            "provider": "aws",
            "region": "us-east-1",
            "minReplicaMemoryGb": 24,
            "maxReplicaMemoryGb": 32,
            "numReplicas": 3,
            "idleTimeoutMinutes": 20,
            "releaseChannel": "default",
            "endpoints": [{"protocol": "mysql", "enabled": False}],
            "ipAccessList": [
                {"source": "10.0.0.0/8", "description": "office"},
                {"source": "10.8.0.0/16", "description": "a"},
            ],
        },
        details={
            "name": "UPDATE",
            "minReplicaMemoryGb": "UPDATE",
            "numReplicas": "UPDATE",
            "idleScaling": "DELETE",
            "idleTimeoutMinutes": "ADD",
            "ipAccessList[1].source": "UPDATE",
        },
        left_alone=frozenset({"password", "endpoints", "createdAt", "iamRole"}),
        extra=frozenset({"provider", "region", "endpoints", "releaseChannel", "ipAccessList"}),
    ),
    Case(
        "scaling of a stream pipe",
        before={**PIPE, "replicas": 2},
        after={**PIPE, "replicas": 4, "replicaMemoryGb": 2.5},
        details={"replicas": "UPDATE", "replicaMemoryGb": "ADD"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
    Case(
        "scaling of an object-storage pipe",
        before={**PIPE, "concurrency": 0},
        after={**PIPE, "concurrency": 34},
        details={"concurrency": "UPDATE"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
    Case(
        "created key",
        before={"name": "ci", "roles": ["developer"], "expireAt": "2030-01-01T00:00:00Z"},
        after={
            "name": "ci and cd",
            "roles": ["query_endpoints", "developer"],
            "state": "disabled",
            "ipAccessList": [{"source": "192.0.2.0/24", "description": "runners"}],
        },
        details={
            "name": "UPDATE",
            "roles[0]": "ADD",
            "expireAt": "DELETE",
            "state": "ADD",
            "ipAccessList": "ADD",
        },
        left_alone=frozenset({"keySecret", "accessKeyId", "keySuffix", "createdAt", "adopted"}),
    ),
    Case(
        "adopted key",
        before={"keyId": "$key_id", "name": "found and kept"},
        after={"keyId": "$key_id", "name": "found again", "roles": ["query_endpoints"]},
        details={"name": "UPDATE", "roles": "ADD"},
        left_alone=frozenset({"original", "keySuffix", "adopted"}),
    ),
    Case("self-hosted dashboard", **DASHBOARD, left_alone=frozenset({"name", "tags"}), extra=frozenset({"tiles"})),
    Case(
        "managed dashboard",
        before={"serviceId": "$service_id", **DASHBOARD["before"]},
        after={"serviceId": "$service_id", **DASHBOARD["after"]},
        details=DASHBOARD["details"],
        left_alone=frozenset({"serviceId"}),
        extra=frozenset({"tiles"}),
    ),
    Case(
        "alert",
        before={
            "dashboardId": "$dashboard_id",
            "tileId": "$one",
            "threshold": 10,
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": "calm"},
            "name": "Too many",
        },
        after={
            "dashboardId": "$dashboard_id",
            "tileId": "$two",
            "threshold": 20.5,
            "interval": "5m",
            "thresholdType": "above",
            "channel": {"type": "webhook", "webhookId": "loud"},
            "message": "Look.",
        },
        details={
            "tileId": "UPDATE",
            "threshold": "UPDATE",
            "channel.webhookId": "UPDATE",
            "name": "DELETE",
            "message": "ADD",
        },
        left_alone=frozenset({"alertId", "dashboard", "createdAt", "team"}),
    ),
]


@pytest.fixture
def plugin(clouddb_sandbox: Sandbox, tmp_path: Path) -> Iterator[NativePlugin]:
    """Run the plugin against the sandbox."""
    with NativePlugin(clouddb_sandbox.config, tmp_path) as plugin:
        yield plugin


def unchanged(plugin: NativePlugin, case: Case, id_: str, state: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Tell whether a preview of these inputs shows no change."""
    checked = plugin.check(case.life.name, inputs)
    assert checked.failures == []
    return not plugin.diff(case.life.name, id_, state, checked.inputs, inputs).changes


@pytest.mark.parametrize("case", CASES, ids=str)
def test_whole_life(case: Case, clouddb_sandbox: Sandbox, plugin: NativePlugin, tmp_path: Path) -> None:
    """Create, change nothing, update, refresh, find drift, delete."""
    names = case.life.setting(clouddb_sandbox)
    there = clouddb_sandbox.objects(case.life.kind).keys()
    before, after = case.inputs(case.before, names), case.inputs(case.after, names)
    checked = plugin.check(case.life.name, before)
    assert checked.failures == []
    made = plugin.create(case.life.name, checked.inputs)
    assert made.id
    assert made.outputs.items() >= checked.inputs.items() or case.life.name == "Service"
    assert unchanged(plugin, case, made.id, made.outputs, before)

    checked = plugin.check(case.life.name, after, before)
    difference = plugin.diff(case.life.name, made.id, made.outputs, checked.inputs, before)
    assert dict(difference.details) == case.details
    assert (difference.changes, difference.replaces) == (True, ())
    updated = plugin.update(case.life.name, made.id, made.outputs, checked.inputs)
    assert unchanged(plugin, case, made.id, updated.outputs, after)

    read = plugin.read(case.life.name, made.id, updated.outputs, after)
    assert read.inputs is not None
    assert unchanged(plugin, case, made.id, read.outputs, after)
    case.life.drift(clouddb_sandbox, made.id)
    fresh = NativePlugin(clouddb_sandbox.config, tmp_path)  # a later command, which has read nothing yet
    read = fresh.read(case.life.name, made.id, read.outputs, read.inputs)
    assert read.inputs is not None
    drifted = fresh.diff(case.life.name, made.id, read.outputs, checked.inputs, read.inputs)
    assert drifted.changes
    assert {path.partition("[")[0].partition(".")[0] for path in drifted.details} == case.life.drifted
    fresh.update(case.life.name, made.id, read.outputs, checked.inputs)
    fresh.delete(case.life.name, made.id, read.outputs)
    fresh.delete(case.life.name, made.id, read.outputs)
    assert clouddb_sandbox.objects(case.life.kind).keys() == there
    fresh.stop()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_preview_sends_nothing(case: Case, clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """Neither check nor diff, nor the previews of create and update, ask the server."""
    names = case.life.setting(clouddb_sandbox)
    inputs = plugin.check(case.life.name, case.inputs(case.before, names)).inputs
    made = plugin.create(case.life.name, inputs)
    clouddb_sandbox.forget_requests()
    plugin.check(case.life.name, case.inputs(case.after, names))
    plugin.diff(case.life.name, made.id, made.outputs, case.inputs(case.after, names), inputs)
    plugin.create(case.life.name, inputs, preview=True)
    plugin.update(case.life.name, made.id, made.outputs, case.inputs(case.after, names), preview=True)
    assert clouddb_sandbox.requests == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_previews_say_nothing_that_does_not_come_true(
    case: Case, clouddb_sandbox: Sandbox, plugin: NativePlugin
) -> None:
    """Each output that a preview shows is what the operation leaves; the others are unknown, none is forgotten."""
    names = case.life.setting(clouddb_sandbox)
    before = plugin.check(case.life.name, case.inputs(case.before, names)).inputs
    after = plugin.check(case.life.name, case.inputs(case.after, names)).inputs
    foreseen = plugin.create(case.life.name, before, preview=True)
    assert foreseen.id == ""
    made = plugin.create(case.life.name, before)
    _holds(foreseen.outputs, made.outputs)
    foreseen = plugin.update(case.life.name, made.id, made.outputs, after, preview=True)
    updated = plugin.update(case.life.name, made.id, made.outputs, after)
    _holds(foreseen.outputs, updated.outputs)
    known = {name for name, value in foreseen.outputs.items() if value is not UNKNOWN}
    assert known >= case.left_alone


def _holds(foreseen: dict[str, Any], come: dict[str, Any]) -> None:
    for name, value in come.items():
        if not name.startswith("__"):
            assert name in foreseen, name
            assert _agrees(foreseen[name], value), (name, foreseen[name], value)


def _agrees(foreseen: Any, come: Any) -> bool:
    if foreseen is UNKNOWN:
        return True
    if isinstance(foreseen, dict) and isinstance(come, dict):
        return foreseen.keys() == come.keys() and all(_agrees(foreseen[name], come[name]) for name in come)
    return bool(foreseen == come)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_import_then_preview_is_clean(
    case: Case, clouddb_sandbox: Sandbox, plugin: NativePlugin, tmp_path: Path
) -> None:
    """An imported object's inputs pass check and show no change; nothing is written meanwhile."""
    names = case.life.setting(clouddb_sandbox)
    made = plugin.create(case.life.name, plugin.check(case.life.name, case.inputs(case.after, names)).inputs)
    where = f"{names['service_id']}/{made.id}" if case.managed else made.id
    with NativePlugin(clouddb_sandbox.config, tmp_path) as fresh:
        clouddb_sandbox.forget_requests()
        found = fresh.read(case.life.name, where, {})
        assert found.id == made.id
        assert found.inputs
        assert unchanged(fresh, case, found.id, found.outputs, found.inputs)
        assert {entry.method for entry in clouddb_sandbox.requests} <= {"GET"}
        wanted = fresh.check(case.life.name, case.inputs(case.after, names)).inputs
        assert {name: found.inputs.get(name) for name in wanted if name not in case.extra} == {
            name: value for name, value in wanted.items() if name not in case.extra
        }


@pytest.mark.parametrize("case", CASES, ids=str)
def test_import_of_what_is_not_there(case: Case, clouddb_sandbox: Sandbox, plugin: NativePlugin) -> None:
    """A missing object is a clear error at import, and gone at a refresh."""
    names = case.life.setting(clouddb_sandbox)
    short = case.life.name in ("Dashboard", "Alert")
    missing = "00000000000000000000dead" if short else "00000000-0000-4000-8000-00000000dead"
    where = f"{names['service_id']}/{missing}" if case.managed or case.life.name == "PipeScaling" else missing
    with pytest.raises(HostFailed, match=f"{case.life.name} .*{missing} does not exist\nCheck the id"):
        plugin.read(case.life.name, where, {})
    state: Inputs = {"__managed": [], "serviceId": names.get("service_id")} if case.managed else {"__managed": []}
    assert plugin.read(case.life.name, where.rpartition("/")[2] if case.managed else where, state).id == ""
