"""The registration that a program sends to the dynamic provider: the URN, and the names of secret inputs."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi
import pytest
from google.protobuf import json_format
from pulumi.output import UNKNOWN
from pulumi.runtime import mocks, proto, rpc

import pulumi_clouddb as clouddb
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, stack_config
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, Registration
from support.five import KINDS, SIZES, dynamic_program, five, setting
from support.host import DynamicHost
from support.mocked import Engine, mocked_engine

MakeStack = Callable[..., FakeEngineStack]
TYPE = "pulumi-python:dynamic/clouddb:Dashboard"
SENT: dict[str, Any] = {"urn": "urn:pulumi:dev::shop::x::orders", "secret": {"name": True, "tags": rpc.UNKNOWN}}


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


class Monitor(Engine):
    """A fake engine that keeps the registration of each resource."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, dict[str, Any]] = {}

    def RegisterResource(self, request: Any) -> proto.RegisterResourceResponse:  # noqa: N802 - gRPC's name
        """Keep the registration."""
        self.sent[request.name] = json_format.MessageToDict(request.object).get(REGISTRATION_KEY, {})
        response: proto.RegisterResourceResponse = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        return response

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Respond to a registration."""
        return f"{args.name}-id", {}


@pytest.fixture(params=[False, True], ids=["up", "preview"])
def monitor(request: pytest.FixtureRequest) -> Iterator[Monitor]:
    """Replace the engine by a recording one, for an update and for a preview."""
    recording = Monitor()
    with mocked_engine(recording, project="shop", stack="dev", preview=request.param, monitor=recording):
        yield recording


def hidden(value: Any) -> pulumi.Output[Any]:
    """Mark a value as secret."""
    return pulumi.Output.secret(value)


def output(value: Any) -> pulumi.Output[Any]:
    """Return an output with a value."""
    return pulumi.Output.from_input(value)


async def later(value: Any) -> Any:
    """Return a value asynchronously."""
    await asyncio.sleep(0)
    return value


SERIES = {"type": "time"}
INPUTS: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "no secrets": (lambda: {"name": "a", "tags": ["b"], "tiles": [{"name": "t", "series": [SERIES]}]}, {}),
    "a value": (lambda: {"name": hidden("a"), "tiles": []}, {"name": True}),
    "an element of a list": (lambda: {"name": "a", "tags": ["b", hidden("c")], "tiles": []}, {"tags": True}),
    "a field of an object": (
        lambda: {"name": "a", "tiles": [clouddb.TileArgs(name="t", series=[clouddb.SeriesArgs(where=hidden("w"))])]},
        {"tiles": True},
    ),
    "a field of a dict": (
        lambda: {"name": "a", "tiles": [{"name": "t", "config": {"where": hidden("w")}}]},
        {"tiles": True},
    ),
    "the result of apply": (
        lambda: {"name": output("a").apply(hidden), "tiles": [], "service_id": hidden("s")},
        {"name": True, "serviceId": True},
    ),
    "an output inside an output": (
        lambda: {"name": "a", "tiles": output(1).apply(lambda _: [{"name": hidden("t")}])},
        {"tiles": True},
    ),
    "a coroutine": (lambda: {"name": later("a"), "tiles": []}, {}),
    "an unknown value": (
        lambda: {"name": output(UNKNOWN), "tags": hidden(["t"]), "tiles": []},
        {"name": rpc.UNKNOWN, "tags": True},
    ),
    "an unknown value in a list": (
        lambda: {"name": "a", "tags": ["b", output(UNKNOWN)], "tiles": []},
        {"tags": rpc.UNKNOWN},
    ),
    "an unknown secret": (lambda: {"name": hidden(UNKNOWN), "tiles": []}, {"name": True}),
    "a secret beside an unknown value": (
        lambda: {"name": "a", "tags": [hidden("t"), output(UNKNOWN)], "tiles": []},
        {"tags": True},
    ),
}


@pytest.mark.parametrize(("inputs", "secret"), INPUTS.values(), ids=INPUTS)
def test_names_of_secret_inputs_are_sent(
    inputs: Callable[[], dict[str, Any]], secret: dict[str, Any], monitor: Monitor
) -> None:
    """They are the wire names of inputs that are or contain secrets; an unknown input may turn out to be secret."""

    def program() -> None:
        clouddb.Dashboard("board", **inputs())

    mocks.test(program)()  # type: ignore[no-untyped-call]
    assert monitor.sent["board"] == {"urn": f"urn:pulumi:dev::shop::{TYPE}::board", "secret": secret}


@pytest.mark.parametrize(("organization", "sent"), [("acme", {"organization": "acme"}), ("organization", {})])
def test_organization_is_sent_if_the_backend_has_one(organization: str, sent: dict[str, str]) -> None:
    """Backends without organizations all use the name `organization`."""
    recording = Monitor()
    with mocked_engine(recording, project="shop", stack="dev", organization=organization, monitor=recording):
        mocks.test(lambda: clouddb.Dashboard("board", name="a", tiles=[]) and None)()  # type: ignore[no-untyped-call]
    assert recording.sent["board"] == {"urn": f"urn:pulumi:dev::shop::{TYPE}::board", "secret": {}, **sent}


def test_secret_properties_of_the_schema_are_sent(monitor: Monitor) -> None:
    """A property that is always secret is sent as one, also from an arguments object."""

    def program() -> None:
        clouddb.Service("orders", clouddb.ServiceArgs(name="orders", encryption_key="k"))

    mocks.test(program)()  # type: ignore[no-untyped-call]
    assert monitor.sent["orders"]["secret"] == {"encryptionKey": True}


NESTED = """
import pulumi
import pulumi_clouddb as clouddb

class Shop(pulumi.ComponentResource):
    def __init__(self, name, opts=None):
        super().__init__("my:index:Shop", name, None, opts)

outer = Shop("eu::outer")
inner = Shop("inner", pulumi.ResourceOptions(parent=outer))
parents = {"none": None, "outer": outer, "inner": inner, "stack": pulumi.runtime.get_root_resource()}
for name, parent in parents.items():
    clouddb.ApiKey(f"of::{name}", name=name, roles=["developer"], opts=pulumi.ResourceOptions(parent=parent))
top = clouddb.ApiKey("top", name="top", roles=["developer"])
clouddb.ApiKey("below", name="below", roles=["developer"], opts=pulumi.ResourceOptions(parent=top))
"""


def registered(stack: FakeEngineStack | CliStack) -> dict[str, tuple[Registration, Registration]]:
    """Return the registrations in the inputs and outputs of every resource of this package, by URN."""
    resources = [each for each in stack.resources if "clouddb" in each.type]
    return {each.urn: (Registration.of(each.inputs), Registration.of(each.outputs)) for each in resources}


def test_sent_urn_is_the_engines(clouddb_stack: MakeStack) -> None:
    """Also for children of components, resources and the stack; sending the URN adds no dependencies."""
    stack = clouddb_stack(NESTED)
    stack.up()
    registrations = registered(stack)
    assert len(registrations) == 6
    assert registrations == {urn: (Registration(urn), Registration(urn)) for urn in registrations}
    assert {each.dependencies for each in stack.resources} == {()}
    assert stack.preview().no_changes


def without_registration(file: Path) -> None:
    """Convert state to that of a version without registrations."""

    def drop(properties: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in properties.items() if name != REGISTRATION_KEY}

    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8"), object_hook=drop)), encoding="utf-8")


def test_state_without_registrations_shows_no_change(
    clouddb_sandbox: Sandbox, clouddb_stack: MakeStack, tmp_path: Path
) -> None:
    """Preview, up and refresh change nothing, and updates add the registrations."""
    names = setting(clouddb_sandbox)
    file = tmp_path / "state.json"
    stack = clouddb_stack(dynamic_program(five(names)), state=file)
    stack.up()
    without_registration(file)
    assert {each for pair in registered(stack).values() for each in pair} == {Registration()}
    clouddb_sandbox.forget_requests()
    assert stack.preview().no_changes
    assert stack.up().no_changes
    assert clouddb_sandbox.requests == []
    assert stack.refresh().no_changes
    assert stack.preview().no_changes
    stack.set_program(dynamic_program(five(names, SIZES[1])))
    assert stack.up().changes["update"] == len(KINDS)
    registrations = registered(stack)
    assert {urn: outputs.urn for urn, (_, outputs) in registrations.items()} == {urn: urn for urn in registrations}
    stack.destroy()
    assert list(clouddb_sandbox.services) == [names["serviceId"]]


def test_renamed_resource_shows_no_change(clouddb_stack: MakeStack) -> None:
    """A resource with a new name in its program has another URN; that alone is not a change."""
    text = "import pulumi, pulumi_clouddb as clouddb\nclouddb.ApiKey({name!r}, name={value}, roles=['developer']{more})"
    stack = clouddb_stack(text.format(name="a", value="pulumi.Output.secret('ci')", more=""))
    stack.up()
    alias = ", opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name='a')])"
    stack.set_program(text.format(name="b", value="pulumi.Output.secret('ci')", more=alias))
    assert stack.preview().no_changes
    assert stack.up().no_changes
    [(urn, (inputs, _))] = registered(stack).items()
    assert inputs == Registration(urn, frozenset({"name"}))


def test_dynamic_host_keeps_the_registration(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """All its responses contain the registration, and no request to the server does."""
    inputs = {"name": "ci", "roles": ["developer"]}
    with DynamicHost(clouddb_sandbox.config, tmp_path) as host:
        checked = host.check("ApiKey", {**inputs, REGISTRATION_KEY: SENT})
        assert checked.failures == []
        assert checked.inputs[REGISTRATION_KEY]["secret"]["name"] is True
        known = {**SENT, "secret": {"name": True}}
        made = host.create("ApiKey", {**inputs, REGISTRATION_KEY: known})
        read = host.read("ApiKey", made.id, made.outputs)
        changed = {**inputs, "name": "cd", REGISTRATION_KEY: {**known, "urn": "urn:pulumi:dev::shop::x::other"}}
        moved = {**made.outputs, REGISTRATION_KEY: changed[REGISTRATION_KEY]}
        assert not host.diff("ApiKey", made.id, moved, {**inputs, REGISTRATION_KEY: known}).changes
        updated = host.update("ApiKey", made.id, made.outputs, changed)
        assert read.inputs is not None
        for values in (made.outputs, read.outputs, read.inputs):
            assert Registration.of(values) == Registration(SENT["urn"], frozenset({"name"}))
        assert Registration.of(updated.outputs).urn == "urn:pulumi:dev::shop::x::other"
        assert REGISTRATION_KEY not in updated.outputs["__managed"]
        host.delete("ApiKey", made.id, updated.outputs)
    sent = [entry.body for entry in clouddb_sandbox.requests if entry.body]
    assert not any("urn" in json.dumps(body) for body in sent)


def test_urn_of_the_request_counts(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """That in state may be older: here an object is deleted for one resource, and another one still has it."""
    old, new = (f"urn:pulumi:dev::shop::pulumi-python:dynamic/clouddb:ApiKey::{name}" for name in ("old", "new"))
    with DynamicHost(clouddb_sandbox.config, tmp_path) as host:
        made = host.create("ApiKey", {"name": "ci", "roles": ["developer"]}, urn=old)
        assert Registration.of(made.outputs).urn == old
        host.delete("ApiKey", made.id, made.outputs, urn=new)
        assert host.engine.warned == [new]
    assert made.id in clouddb_sandbox.keys


ODD: dict[str, Any] = {"none": {}, "text": {REGISTRATION_KEY: "x"}, "other members": {REGISTRATION_KEY: {"secret": 1}}}


@pytest.mark.parametrize("properties", ODD.values(), ids=ODD)
def test_invalid_registration_counts_as_empty(properties: dict[str, Any]) -> None:
    """State of another class has no URN and no secrets."""
    assert Registration.of(properties) == Registration(None, frozenset())


PLANNED = """
import pulumi
import pulumi_clouddb as clouddb

key = clouddb.ApiKey("ci", name="ci", roles=["developer"])
clouddb.ApiKey("copy", name=key.key_secret.apply(lambda text: text[:8]), roles=["developer"])
clouddb.ApiKey("plain", name=key.key_suffix, roles=["developer"])
"""


@pytest.mark.cli
def test_saved_plan_is_carried_out(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """An input that is unknown in the plan may turn out to be secret or not; registrations are not displayed."""
    stack = CliStack(PLANNED, config=stack_config(clouddb_sandbox), work_dir=tmp_path)
    stack.command("stack", "ls")
    file = str(tmp_path / "plan.json")

    def run(*words: str) -> str:
        where = ["--cwd", str(stack.program.root), "--config-file", str(tmp_path / "cli" / f"Pulumi.{stack.name}.yaml")]
        command = ["pulumi", *words, "--stack", stack.name, "--diff", "--non-interactive", *where]
        done = subprocess.run(command, env=stack.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    shown = run("preview", "--save-plan", file) + run("up", "--yes", "--skip-preview", "--plan", file)
    assert "registration" not in shown
    secrets = {urn.rpartition("::")[2]: inputs.secrets for urn, (inputs, _) in registered(stack).items()}
    assert secrets == {"ci": frozenset(), "copy": {"name"}, "plain": frozenset()}
