"""What a program tells the dynamic provider beside the properties: the URN, and which inputs are secret."""

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


class Monitor(Engine):
    """Plays the engine, and keeps what each resource sends beside its properties."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, dict[str, Any]] = {}

    def RegisterResource(self, request: Any) -> proto.RegisterResourceResponse:  # noqa: N802 - gRPC's name
        """Keep the registration as it came."""
        self.sent[request.name] = json_format.MessageToDict(request.object).get(REGISTRATION_KEY, {})
        response: proto.RegisterResourceResponse = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        return response

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Answer a registration."""
        return f"{args.name}-id", {}


@pytest.fixture(params=[False, True], ids=["up", "preview"])
def monitor(request: pytest.FixtureRequest) -> Iterator[Monitor]:
    """Put a recording engine in place of the real one, for an up and for a preview."""
    playing = Monitor()
    with mocked_engine(playing, project="shop", stack="dev", preview=request.param, monitor=playing):
        yield playing


def hidden(value: Any) -> pulumi.Output[Any]:
    """Mark a value as secret."""
    return pulumi.Output.secret(value)


def output(value: Any) -> pulumi.Output[Any]:
    """Make an output of a value."""
    return pulumi.Output.from_input(value)


async def later(value: Any) -> Any:
    """Give a value later."""
    await asyncio.sleep(0)
    return value


SERIES = {"type": "time"}
GIVEN: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "nothing secret": (lambda: {"name": "a", "tags": ["b"], "tiles": [{"name": "t", "series": [SERIES]}]}, {}),
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
    "what an output turns into": (
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


@pytest.mark.parametrize(("given", "secret"), GIVEN.values(), ids=GIVEN)
def test_the_names_of_secret_inputs_are_sent(
    given: Callable[[], dict[str, Any]], secret: dict[str, Any], monitor: Monitor
) -> None:
    """Send the wire names of inputs that are secret or hold a secret; one that is unknown may turn out to be."""

    def program() -> None:
        clouddb.Dashboard("board", **given())

    mocks.test(program)()  # type: ignore[no-untyped-call]
    assert monitor.sent["board"] == {"urn": f"urn:pulumi:dev::shop::{TYPE}::board", "secret": secret}


@pytest.mark.parametrize(("organization", "sent"), [("acme", {"organization": "acme"}), ("organization", {})])
def test_an_organization_is_sent_where_there_is_one(organization: str, sent: dict[str, str]) -> None:
    """Backends without organizations all give the same name."""
    playing = Monitor()
    with mocked_engine(playing, project="shop", stack="dev", organization=organization, monitor=playing):
        mocks.test(lambda: clouddb.Dashboard("board", name="a", tiles=[]) and None)()  # type: ignore[no-untyped-call]
    assert playing.sent["board"] == {"urn": f"urn:pulumi:dev::shop::{TYPE}::board", "secret": {}, **sent}


def test_what_the_schema_calls_secret_is_among_them(monitor: Monitor) -> None:
    """A property that is always secret is sent as one, also of arguments in an object."""

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
    found = [each for each in stack.resources if "clouddb" in each.type]
    return {each.urn: (Registration.of(each.inputs), Registration.of(each.outputs)) for each in found}


def test_the_urn_is_the_engines(clouddb_stack: MakeStack) -> None:
    """Send the very URN that state has, below components, resources and the stack, and depend on nothing for it."""
    stack = clouddb_stack(NESTED)
    stack.up()
    found = registered(stack)
    assert len(found) == 6
    assert found == {urn: (Registration(urn), Registration(urn)) for urn in found}
    assert {each.dependencies for each in stack.resources} == {()}
    assert stack.preview().no_changes


def without_registration(file: Path) -> None:
    """Turn a state into one that was written before there were registrations."""

    def drop(properties: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in properties.items() if name != REGISTRATION_KEY}

    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8"), object_hook=drop)), encoding="utf-8")


def test_state_from_before_shows_no_change(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack, tmp_path: Path) -> None:
    """State without registrations is as good: no step changes anything, and updates bring them along."""
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
    found = registered(stack)
    assert {urn: outputs.urn for urn, (_, outputs) in found.items()} == {urn: urn for urn in found}
    stack.destroy()
    assert list(clouddb_sandbox.services) == [names["serviceId"]]


def test_a_new_name_is_no_change(clouddb_stack: MakeStack) -> None:
    """A resource that gets another name in its program has another URN; that alone changes nothing."""
    text = "import pulumi, pulumi_clouddb as clouddb\nclouddb.ApiKey({name!r}, name={value}, roles=['developer']{more})"
    stack = clouddb_stack(text.format(name="a", value="pulumi.Output.secret('ci')", more=""))
    stack.up()
    alias = ", opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name='a')])"
    stack.set_program(text.format(name="b", value="pulumi.Output.secret('ci')", more=alias))
    assert stack.preview().no_changes
    assert stack.up().no_changes
    [(urn, (inputs, _))] = registered(stack).items()
    assert inputs == Registration(urn, frozenset({"name"}))


def test_the_host_carries_it_through_every_step(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """Check hands it on to create, every answer holds it again, and the resource itself never sees it."""
    wanted = {"name": "ci", "roles": ["developer"]}
    with DynamicHost(clouddb_sandbox.config, tmp_path) as host:
        checked = host.check("ApiKey", {**wanted, REGISTRATION_KEY: SENT})
        assert checked.failures == []
        assert checked.inputs[REGISTRATION_KEY]["secret"]["name"] is True
        known = {**SENT, "secret": {"name": True}}
        made = host.create("ApiKey", {**wanted, REGISTRATION_KEY: known})
        read = host.read("ApiKey", made.id, made.outputs)
        changed = {**wanted, "name": "cd", REGISTRATION_KEY: {**known, "urn": "urn:pulumi:dev::shop::x::other"}}
        moved = {**made.outputs, REGISTRATION_KEY: changed[REGISTRATION_KEY]}
        assert not host.diff("ApiKey", made.id, moved, {**wanted, REGISTRATION_KEY: known}).changes
        updated = host.update("ApiKey", made.id, made.outputs, changed)
        assert read.inputs is not None
        for held in (made.outputs, read.outputs, read.inputs):
            assert Registration.of(held) == Registration(SENT["urn"], frozenset({"name"}))
        assert Registration.of(updated.outputs).urn == "urn:pulumi:dev::shop::x::other"
        assert REGISTRATION_KEY not in updated.outputs["__managed"]
        host.delete("ApiKey", made.id, updated.outputs)
    sent = [entry.body for entry in clouddb_sandbox.requests if entry.body]
    assert not any("urn" in json.dumps(body) for body in sent)


ODD: dict[str, Any] = {"nothing": {}, "text": {REGISTRATION_KEY: "x"}, "other words": {REGISTRATION_KEY: {"secret": 1}}}


@pytest.mark.parametrize("properties", ODD.values(), ids=ODD)
def test_properties_without_it_have_an_empty_one(properties: dict[str, Any]) -> None:
    """State that another class has written has no URN and no secrets."""
    assert Registration.of(properties) == Registration(None, frozenset())


PLANNED = """
import pulumi
import pulumi_clouddb as clouddb

key = clouddb.ApiKey("ci", name="ci", roles=["developer"])
clouddb.ApiKey("copy", name=key.key_secret.apply(lambda text: text[:8]), roles=["developer"])
clouddb.ApiKey("plain", name=key.key_suffix, roles=["developer"])
"""


@pytest.mark.cli
def test_a_saved_plan_holds(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """A plan is carried out though an input is unknown in it, and turns out to be secret or not; none is displayed."""
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
