"""Two resources of one program that are the same object: what happens to it when one of them goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

SERVICE: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY: WireDict = {"name": "ci", "roles": ["developer"]}
OLD, NEW = "urn:old", "urn:new"


@dataclass(frozen=True)
class World:
    """A sandbox, and processes that each are one run of a stack on this machine."""

    sandbox: Sandbox
    folder: Path

    def run(self) -> ProviderProcess:
        """Begin a run."""
        return ProviderProcess(config_for(self.sandbox), self.folder)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A sandbox of its own."""
    with Sandbox() as sandbox:
        yield World(sandbox, tmp_path)


def kept(
    run: ProviderProcess, kind: str, object_id: str, state: WireDict, inputs: WireDict, urn: str, stored: str = ""
) -> None:
    """Let the program keep a resource: the engine asks for its diff."""
    lifecycle.diff(run.for_resource(urn), RESOURCES[kind], object_id, state, inputs, stored)


def gone(run: ProviderProcess, kind: str, object_id: str, state: WireDict, urn: str) -> None:
    """Let the engine delete a resource."""
    lifecycle.delete(run.for_resource(urn), RESOURCES[kind], object_id, state)


def test_an_import_under_another_name_keeps_the_database(world: World) -> None:
    """A renamed resource without an alias is imported; the engine then deletes the old name."""
    service_id, state = world.run().create("Service", SERVICE, urn=OLD)
    run = world.run()
    kept(run, "Service", service_id, state, SERVICE, NEW)
    gone(run, "Service", service_id, state, OLD)
    assert list(world.sandbox.services) == [service_id]
    assert run.warnings == [
        (
            f"Service {service_id} is kept: it is also {NEW}, which stays in the program.\n"
            "To rename a resource, give it an alias of its old name."
        )
    ]


def test_a_destroy_deletes_what_two_resources_are(world: World) -> None:
    """It asks for no diff: the first deletes, and the second finds nothing."""
    service_id, state = world.run().create("Service", SERVICE, urn=OLD)
    run = world.run()
    gone(run, "Service", service_id, state, NEW)
    gone(run, "Service", service_id, state, OLD)
    assert world.sandbox.services == {}


def test_an_override_of_another_name_stays(world: World) -> None:
    """The pipe keeps the scaling of the program, and the warning tells what it was."""
    service = world.sandbox.add("services", **SERVICE)["id"]
    pipe = next(each for each in world.sandbox.pipes.values() if each["name"] == "events")
    scaling: WireDict = {"serviceId": service, "pipeId": pipe["id"], "replicas": 5}
    before = pipe["scaling"]["replicas"]
    object_id, state = world.run().create("PipeScaling", scaling, urn=OLD)
    run = world.run()
    run.create("PipeScaling", scaling, urn=NEW)
    gone(run, "PipeScaling", object_id, state, OLD)
    assert world.sandbox.pipes[pipe["id"]]["scaling"]["replicas"] == 5
    assert f'State no longer has its original values: {{"replicas": {before}}}.' in run.warnings[0]


def test_an_adopted_key_of_another_name_stays(world: World) -> None:
    """`onDelete` means the key that no resource has any more."""
    key = world.sandbox.add("keys", name="theirs", roles=["developer"])["key"]["id"]
    adopted: WireDict = {"keyId": key, "name": "ours", "onDelete": "disable"}
    _, state = world.run().create("ApiKey", adopted, urn=OLD)
    run = world.run()
    run.create("ApiKey", adopted, urn=NEW)
    gone(run, "ApiKey", key, state, OLD)
    assert (world.sandbox.keys[key]["state"], world.sandbox.keys[key]["name"]) == ("enabled", "ours")
    assert 'its original values: {"name": "theirs"}.' in run.warnings[0]


REPLACED = {
    "the provider asks for it": ({**KEY, "rotation": "2"}, ""),
    "the engine forces it": ({**KEY, "name": "cd"}, ""),
    "state names the older URN": ({**KEY, "name": "cd"}, OLD),
}


@pytest.mark.parametrize(("inputs", "stored"), REPLACED.values(), ids=REPLACED)
def test_a_replacement_under_an_alias_deletes_the_old_object(world: World, inputs: WireDict, stored: str) -> None:
    """The engine deletes what is replaced under the URN that it had before."""
    old, state = world.run().create("ApiKey", {**KEY, "rotation": "1"}, urn=OLD)
    run = world.run()
    kept(run, "ApiKey", old, state, {"rotation": "1", **inputs}, NEW, stored)
    new, _ = run.create("ApiKey", inputs, urn=NEW)
    gone(run, "ApiKey", old, state, OLD)
    assert old not in world.sandbox.keys
    assert new in world.sandbox.keys
    assert run.warnings == []


def test_a_deletion_under_an_alias_that_state_names(world: World) -> None:
    """In dynamic mode state keeps the URN that a resource had when it was written last."""
    old, state = world.run().create("ApiKey", KEY, urn=OLD)
    run = world.run()
    kept(run, "ApiKey", old, state, KEY, NEW, OLD)
    gone(run, "ApiKey", old, state, OLD)
    assert old not in world.sandbox.keys


def test_a_database_that_is_replaced_under_an_alias_is_deleted_first(world: World) -> None:
    """The engine deletes it before it creates the other one, so that nothing but the diff tells of it."""
    old, state = world.run().create("Service", SERVICE, urn=OLD)
    moved: WireDict = {**SERVICE, "region": "eu-central-1", "allowReplacement": True}
    run = world.run()
    kept(run, "Service", old, state, moved, NEW)
    gone(run, "Service", old, state, OLD)
    assert world.sandbox.services == {}
