"""Two resources of a program that are the same object: deleting one of them keeps the object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import DiffResult
from pulumi_clouddb.schema.values import WireDict
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.ids import LOGS
from support.sessions import ProviderProcess, config_for

SERVICE: WireDict = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY: WireDict = {"name": "ci", "roles": ["developer"]}
OLD, NEW = "urn:old", "urn:new"


@dataclass(frozen=True)
class Machine:
    """A sandbox and a folder; each process is one run of a stack on this machine."""

    sandbox: Sandbox
    folder: Path

    def run(self) -> ProviderProcess:
        """Start a run."""
        return ProviderProcess(config_for(self.sandbox), self.folder)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Return a machine with its own sandbox."""
    with Sandbox(vocabulary="neutral") as sandbox:
        yield Machine(sandbox, tmp_path)


def diff(
    run: ProviderProcess, kind: str, object_id: str, state: WireDict, inputs: WireDict, urn: str, stored: str = ""
) -> DiffResult:
    """Ask for the check and the diff of a resource that the program keeps, like the engine."""
    lifecycle.check(run.for_resource(urn), RESOURCES[kind], inputs, old=inputs)
    return lifecycle.diff(run.for_resource(urn), RESOURCES[kind], object_id, state, inputs, stored)


def refresh(run: ProviderProcess, kind: str, object_id: str, state: WireDict, inputs: WireDict, urn: str) -> None:
    """Ask for what a refresh before the program asks: no check."""
    lifecycle.read(run.for_resource(urn), RESOURCES[kind], object_id, state, inputs)
    lifecycle.diff(run.for_resource(urn), RESOURCES[kind], object_id, state, inputs)


def delete(run: ProviderProcess, kind: str, object_id: str, state: WireDict, urn: str) -> None:
    """Delete a resource, like the engine."""
    lifecycle.delete(run.for_resource(urn), RESOURCES[kind], object_id, state)


@pytest.mark.parametrize("refreshed", [False, True])
@pytest.mark.parametrize("allowed", [False, True])
def test_import_under_another_name_keeps_the_database(machine: Machine, allowed: bool, refreshed: bool) -> None:
    """A resource that was renamed without an alias is imported; the engine then deletes the old name.

    A refresh in the same run compares it under the old name, which the program no longer has.
    """
    inputs = {**SERVICE, "allowReplacement": allowed}
    service_id, state = machine.run().create("Service", inputs, urn=OLD)
    run = machine.run()
    if refreshed:
        refresh(run, "Service", service_id, state, inputs, OLD)
    diff(run, "Service", service_id, state, inputs, NEW)
    delete(run, "Service", service_id, state, OLD)
    assert list(machine.sandbox.services) == [service_id]
    assert run.warnings == [
        (
            f"Service {service_id} is kept: it is also {NEW}, which stays in the program.\n"
            "To rename a resource, give it an alias of its old name."
        )
    ]


def test_destroy_deletes_an_object_of_two_resources(machine: Machine) -> None:
    """It asks for no diff: the first delete succeeds, and the second one finds nothing."""
    service_id, state = machine.run().create("Service", SERVICE, urn=OLD)
    run = machine.run()
    delete(run, "Service", service_id, state, NEW)
    delete(run, "Service", service_id, state, OLD)
    assert machine.sandbox.services == {}


def test_override_under_another_name_is_kept(machine: Machine) -> None:
    """The pipe keeps the program's scaling, and the warning has the original values."""
    service = machine.sandbox.add("services", **SERVICE)["id"]
    pipe = next(each for each in machine.sandbox.pipes.values() if each["name"] == "events")
    scaling: WireDict = {"serviceId": service, "pipeId": pipe["id"], "replicas": 5}
    before = pipe["scaling"]["replicas"]
    object_id, state = machine.run().create("PipeScaling", scaling, urn=OLD)
    run = machine.run()
    lifecycle.check(run.for_resource(NEW), RESOURCES["PipeScaling"], scaling)
    run.create("PipeScaling", scaling, urn=NEW)
    delete(run, "PipeScaling", object_id, state, OLD)
    assert machine.sandbox.pipes[pipe["id"]]["scaling"]["replicas"] == 5
    assert f'State no longer has its original values: {{"replicas": {before}}}.' in run.warnings[0]


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("is_moved", [False, True])
def test_property_that_another_override_takes_over_stays(machine: Machine, is_new: bool, is_moved: bool) -> None:
    """The program moves it to another override of the pipe, and removes the first one; what is not moved goes back."""
    service = machine.sandbox.add("services", **SERVICE)["id"]
    pipe = machine.sandbox.add_pipe(service, name="clicks")["id"]
    replicas = machine.sandbox.pipes[pipe]["scaling"]["replicas"]
    place: WireDict = {"serviceId": service, "pipeId": pipe}
    other: WireDict = {**place, "replicaMemoryGb": 8}
    wanted = {**other, "replicas": 5} if is_moved else other
    object_id, removed = machine.run().create("PipeScaling", {**place, "replicas": 5}, urn=OLD)
    state = {} if is_new else machine.run().create("PipeScaling", other, urn=NEW)[1]
    run, scaling = machine.run(), RESOURCES["PipeScaling"]
    if is_new:
        lifecycle.check(run.for_resource(NEW), scaling, wanted)
        lifecycle.create(run.for_resource(NEW), scaling, wanted)
    elif diff(run, "PipeScaling", object_id, state, wanted, NEW).changed:
        lifecycle.update(run.for_resource(NEW), scaling, object_id, state, wanted)
    delete(run, "PipeScaling", object_id, removed, OLD)
    left = machine.sandbox.pipes[pipe]["scaling"]
    assert (left["replicas"], left["replicaMemoryGb"]) == (5 if is_moved else replicas, 8)


MOVES: dict[str, tuple[str, WireDict, WireDict, WireDict]] = {
    "a scaling": ("PipeScaling", {"replicaMemoryGb": 8}, {"replicaCpuMillicores": 1000}, {"replicas": 5}),
    "an adopted key": ("ApiKey", {"name": "one"}, {"roles": ["admin"]}, {"state": "disabled"}),
}
"""What each of two overrides of an object keeps, and what moves from the first one to the second."""


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["leaves first", "arrives first"])
@pytest.mark.parametrize(("kind", "one", "other", "moves"), MOVES.values(), ids=MOVES)
def test_property_moves_between_overrides_that_stay(
    machine: Machine,
    kind: str,
    one: WireDict,
    other: WireDict,
    moves: WireDict,
    order: tuple[int, int],
    is_new: bool,
) -> None:
    """The engine updates the two in any order, and the server has what the program sets."""
    service = machine.sandbox.add("services", **SERVICE)["id"]
    pipe = machine.sandbox.add_pipe(service, name="clicks")["id"]
    key = machine.sandbox.add("keys", name="before", roles=["developer"])["key"]["id"]
    place: WireDict = {"keyId": key} if kind == "ApiKey" else {"serviceId": service, "pipeId": pipe}
    served = machine.sandbox.keys[key] if kind == "ApiKey" else machine.sandbox.pipes[pipe]["scaling"]
    original = {name: served[name] for name in moves}
    object_id, state = machine.run().create(kind, {**place, **one, **moves}, urn=OLD)
    beside = None if is_new else machine.run().create(kind, {**place, **other}, urn=NEW)[1]
    run, resource = machine.run(), RESOURCES[kind]

    def leaves() -> None:
        diff(run, kind, object_id, state, {**place, **one}, OLD)
        lifecycle.update(run.for_resource(OLD), resource, object_id, state, {**place, **one})

    def arrives() -> None:
        wanted = {**place, **other, **moves}
        if beside is None:
            lifecycle.check(run.for_resource(NEW), resource, wanted)
            lifecycle.create(run.for_resource(NEW), resource, wanted)
        else:
            diff(run, kind, object_id, beside, wanted, NEW)
            lifecycle.update(run.for_resource(NEW), resource, object_id, beside, wanted)

    for which in order:
        (leaves, arrives)[which]()
    served = machine.sandbox.keys[key] if kind == "ApiKey" else machine.sandbox.pipes[pipe]["scaling"]
    wanted = {**one, **other, **moves}
    assert {name: served[name] for name in wanted} == wanted
    lost = f"State no longer has the original values: {json.dumps(original)}."
    assert [lost in each for each in run.warnings] == ([True] if order == (1, 0) else [])


def test_override_restores_what_no_other_one_sets(machine: Machine) -> None:
    """Of the two others of the pipe, one has got one of its properties, and the other one none."""
    service = machine.sandbox.add("services", **SERVICE)["id"]
    pipe = machine.sandbox.add_pipe(service, name="clicks")["id"]
    before = machine.sandbox.pipes[pipe]["scaling"]
    place: WireDict = {"serviceId": service, "pipeId": pipe}
    object_id, removed = machine.run().create("PipeScaling", {**place, "replicas": 5, "replicaMemoryGb": 8}, urn=OLD)
    others: list[tuple[str, WireDict]] = [
        ("urn:first", {**place, "replicaCpuMillicores": 1000}),
        ("urn:second", {**place, "replicas": 5}),
    ]
    run, resource = machine.run(), RESOURCES["PipeScaling"]
    for urn, inputs in others:
        lifecycle.check(run.for_resource(urn), resource, inputs)
        lifecycle.create(run.for_resource(urn), resource, inputs)
    delete(run, "PipeScaling", object_id, removed, OLD)
    left = machine.sandbox.pipes[pipe]["scaling"]
    assert (left["replicas"], left["replicaMemoryGb"]) == (5, before["replicaMemoryGb"])
    assert f'original values: {{"replicas": {before["replicas"]}}}.' in run.warnings[0]


@pytest.mark.parametrize("is_adopted", [False, True])
def test_override_with_the_id_of_a_database_goes(tmp_path: Path, is_adopted: bool) -> None:
    """The scaling of database pipes has the id of their service, which stays and must not be replaced.

    `--replace` of the service adopts it instead, if its create is pending from a run that failed.
    """
    with Sandbox(vocabulary="clickhouse") as sandbox:
        machine = Machine(sandbox, tmp_path)
        service_id, service = machine.run().create("Service", SERVICE, urn=NEW)
        sandbox.add_pipe(service_id, "postgres", name="orders")
        large: WireDict = {"serviceId": service_id, "replicaCpuMillicores": 4000, "replicaMemoryGb": 16}
        object_id, state = machine.run().create("PipeCdcScaling", large, urn=OLD)
        run = machine.run()
        if is_adopted:
            assert run.create("Service", SERVICE, urn=NEW)[0] == service_id
        else:
            diff(run, "Service", service_id, service, SERVICE, NEW)
        delete(run, "PipeCdcScaling", object_id, state, OLD)
        assert (
            sandbox.objects("pipe_cdc_scalings")[service_id]["replicaMemoryGb"] == state["original"]["replicaMemoryGb"]
        )


TWO_LINKS = {"other links": ("metricSourceId", ""), "the same link": ("traceSourceId", "5" * 24)}


@pytest.mark.parametrize(("name", "left"), TWO_LINKS.values(), ids=TWO_LINKS)
def test_overrides_of_other_properties_are_separate(tmp_path: Path, name: str, left: str) -> None:
    """The last one that sets a link restores it, also while another one sets other links of the source."""
    with Sandbox(vocabulary="clickhouse") as sandbox:
        remove_one_of_two_links(Machine(sandbox, tmp_path), name, left)


def remove_one_of_two_links(machine: Machine, name: str, left: str) -> None:
    """Play the removal, and check the links that are left."""
    source = LOGS
    removed: WireDict = {"sourceId": source, "traceSourceId": "5" * 24}
    kept: WireDict = {"sourceId": source, name: "5" * 24}
    object_id, state = machine.run().create("SourceLinks", removed, urn=OLD)
    _, other = machine.run().create("SourceLinks", kept, urn=NEW)
    run = machine.run()
    diff(run, "SourceLinks", object_id, other, kept, NEW)
    delete(run, "SourceLinks", object_id, state, OLD)
    document = machine.sandbox.objects("sources")[source]
    assert (document.get("traceSourceId") or "", document[name]) == (left, "5" * 24)
    assert bool(run.warnings) is bool(left)


def test_adopted_key_under_another_name_is_kept(machine: Machine) -> None:
    """`onDelete` applies only to a key that no resource has any more."""
    key = machine.sandbox.add("keys", name="before", roles=["developer"])["key"]["id"]
    adopted: WireDict = {"keyId": key, "name": "managed", "onDelete": "disable"}
    _, state = machine.run().create("ApiKey", adopted, urn=OLD)
    run = machine.run()
    run.create("ApiKey", adopted, urn=NEW)
    delete(run, "ApiKey", key, state, OLD)
    assert (machine.sandbox.keys[key]["state"], machine.sandbox.keys[key]["name"]) == ("enabled", "managed")
    assert 'its original values: {"name": "before"}.' in run.warnings[0]


def test_replacement_by_hand_keeps_an_adopted_key(machine: Machine) -> None:
    """The key is not deleted before it is adopted again, nor afterwards, though the program owns it wholly."""
    key = machine.sandbox.add("keys", name="before", roles=["developer"])["key"]["id"]
    owned: WireDict = {"keyId": key, "name": "managed", "onDelete": "delete"}
    _, state = machine.run().create("ApiKey", owned, urn=OLD)
    run = machine.run()
    assert not diff(run, "ApiKey", key, state, owned, OLD).delete_before_replace
    _, again = run.create("ApiKey", owned, urn=OLD)
    delete(run, "ApiKey", key, state, OLD)
    assert key in machine.sandbox.keys
    delete(machine.run(), "ApiKey", key, again, OLD)
    assert key not in machine.sandbox.keys


def test_both_front_ends_warn_of_a_kept_object(neutral_sandbox: Sandbox, processes: FrontEnds) -> None:
    """After `--replace` the new resource is the same object: the warning names it, the reason and its lost values."""

    def replaced(driver: GrpcDriver) -> tuple[str, list[str]]:
        key = neutral_sandbox.add("keys", name="before", roles=["developer"])["key"]["id"]
        adopted: WireDict = {"keyId": key, "name": "managed"}
        driver.configure(neutral_sandbox.config)
        old = driver.create("ApiKey", adopted, urn=OLD).outputs
        driver.configure({**neutral_sandbox.config, "clouddb:requestTimeoutSeconds": "31"})  # as in a new process
        driver.create("ApiKey", adopted, urn=OLD)
        driver.delete("ApiKey", key, old, urn=OLD)
        assert neutral_sandbox.keys[key]["name"] == "managed"
        return key, driver.warnings

    for key, warnings in processes.both(replaced):
        (warning,) = warnings
        reason = f"ApiKey {key} is kept: its replacement is the same object."
        assert warning.startswith(f'{reason} State no longer has its original values: {{"name": "before"}}.\n')


REPLACED = {
    "the provider requires it": ({**KEY, "rotation": "2"}, ""),
    "the engine forces it": ({**KEY, "name": "cd"}, ""),
    "state has the old URN": ({**KEY, "name": "cd"}, OLD),
}


@pytest.mark.parametrize("first", ["create", "delete"])
@pytest.mark.parametrize(("inputs", "stored"), REPLACED.values(), ids=REPLACED)
def test_replacement_under_an_alias_deletes_the_old_object(
    machine: Machine, inputs: WireDict, stored: str, first: str
) -> None:
    """The engine deletes the replaced resource under its old URN, with `deleteBeforeReplace` before the create."""
    old, state = machine.run().create("ApiKey", {**KEY, "rotation": "1"}, urn=OLD)
    run = machine.run()
    diff(run, "ApiKey", old, state, {"rotation": "1", **inputs}, NEW, stored)
    assert not lifecycle.check(run.for_resource(NEW), RESOURCES["ApiKey"], inputs).failures
    if first == "delete":
        delete(run, "ApiKey", old, state, OLD)
    new, _ = run.create("ApiKey", inputs, urn=NEW)
    if first == "create":
        delete(run, "ApiKey", old, state, OLD)
    assert old not in machine.sandbox.keys
    assert new in machine.sandbox.keys
    assert run.warnings == []


def test_deletion_under_an_alias_in_state(machine: Machine) -> None:
    """In dynamic mode, state keeps the URN that a resource had when it was last written."""
    old, state = machine.run().create("ApiKey", KEY, urn=OLD)
    run = machine.run()
    diff(run, "ApiKey", old, state, KEY, NEW, OLD)
    delete(run, "ApiKey", old, state, OLD)
    assert old not in machine.sandbox.keys


@pytest.mark.parametrize("stored", ["", OLD])
def test_override_that_is_replaced_first_under_an_alias_is_restored(machine: Machine, stored: str) -> None:
    """The new one sets the same properties, but finds the object as it was."""
    service = machine.sandbox.add("services", **SERVICE)["id"]
    pipe = machine.sandbox.add_pipe(service, name="clicks")["id"]
    before = machine.sandbox.pipes[pipe]["scaling"]
    scaling: WireDict = {"serviceId": service, "pipeId": pipe, "replicas": 5}
    object_id, state = machine.run().create("PipeScaling", scaling, urn=OLD)
    run, changed = machine.run(), {**scaling, "replicas": 4}
    diff(run, "PipeScaling", object_id, state, changed, NEW, stored)
    lifecycle.check(run.for_resource(NEW), RESOURCES["PipeScaling"], changed)
    delete(run, "PipeScaling", object_id, state, OLD)
    assert machine.sandbox.pipes[pipe]["scaling"] == before
    _, state = run.create("PipeScaling", changed, urn=NEW)
    delete(machine.run(), "PipeScaling", object_id, state, NEW)
    assert machine.sandbox.pipes[pipe]["scaling"] == before
    assert run.warnings == []


def test_removed_resource_with_a_former_urn_is_no_leftover(machine: Machine) -> None:
    """In dynamic mode, state keeps the URN before an alias, and another resource has got that URN since."""
    run = machine.run()
    renamed, state = run.create("ApiKey", KEY, urn=OLD)
    run.pending.run_ended()
    removed, other = machine.run().create("ApiKey", {**KEY, "name": "other"}, urn=OLD)
    run = machine.run()
    diff(run, "ApiKey", renamed, state, KEY, NEW, OLD)
    delete(run, "ApiKey", removed, other, OLD)
    assert removed not in machine.sandbox.keys
    assert renamed in machine.sandbox.keys
    assert run.warnings == []


def test_database_replaced_under_an_alias_is_deleted_first(machine: Machine) -> None:
    """The engine deletes it before it creates the new one, so that only the diff announces the replacement."""
    old, state = machine.run().create("Service", SERVICE, urn=OLD)
    moved: WireDict = {**SERVICE, "region": "eu-central-1", "allowReplacement": True}
    run = machine.run()
    diff(run, "Service", old, state, moved, NEW)
    delete(run, "Service", old, state, OLD)
    assert machine.sandbox.services == {}
