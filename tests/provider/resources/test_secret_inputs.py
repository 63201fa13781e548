"""Inputs that a program marks as secret stay secret in every copy in state and in every message."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import CliStack, FakeEngineStack, Result, Secret, stack_config
from lives.table import LIVES, OF_NO_INPUT
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.public_names import in_python
from pulumi_clouddb.schema.secrets import redaction
from pulumi_clouddb.schema.secrets.redaction import hide, secret_scope
from support.canaries import CANARIES, Canary, create_objects, program, registered, shows, value
from support.front_ends import FrontEnds, without_yaml
from support.grpc_driver import GrpcDriver, HostError
from support.listening import Listening

MakeStack = Callable[..., FakeEngineStack]
ID = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
FAST = {"clouddb:pollIntervalSeconds": "0.05", "clouddb:retryTimeoutSeconds": "1"}


# -- outputs that copy inputs ------------------------------------------------------------------------------------------


OF_SERVERS = {"id", "createdAt", "updatedAt"}
"""Outputs that only servers set, for any resource."""


@pytest.fixture
def clouddb_sandbox(neutral_sandbox: Sandbox) -> Sandbox:
    """The sandbox of `clouddb_stack`: that of the interface's dialect."""
    return neutral_sandbox


@pytest.mark.parametrize("name", {life.name: None for life in LIVES.values()})
def test_every_output_declares_the_inputs_it_copies(name: str) -> None:
    """An output names the inputs that it copies, or is on the list of those that copy none."""
    type_ = RESOURCES[name].type
    others = {*type_.output_only} - type_.copies.keys() - OF_SERVERS
    without = OF_NO_INPUT.get(name, frozenset())
    assert others == without, "an output has neither `copies`, nor a place in OF_NO_INPUT of life.py"
    assert {each for inputs in type_.copies.values() for each in inputs} <= set(wire_names(type_.inputs))


# -- dynamic mode: whole programs --------------------------------------------------------------------------------------


def printed(result: Result) -> str:
    """Return everything that a run shows to users."""
    return "\n".join([*map(str, result.diagnostics), *result.stdout, repr(result.steps), repr(result.outputs)])


def found_in(text: str, names: Mapping[str, str], *, later: bool) -> list[str]:
    """Return the resources whose secret value is in a text."""
    return [
        name
        for name, canary in CANARIES.items()
        if "$dashboard" not in canary.values and shows(text, value(canary, later, names))
    ]


def test_dynamic_state_and_output_contain_no_secret_input(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> None:
    """This holds through create, update, drift and refresh."""
    names = create_objects(clouddb_sandbox)
    stack = clouddb_stack(program(names, later=False), config=FAST)
    results = [stack.preview(), stack.up()]
    assert found_in(stack.state_text, names, later=False) == []
    dashboard = stack.resource("alert-dashboard").outputs["dashboard"]
    assert dashboard == Secret(names["dashboard_id"])
    stack.set_program(program(names, later=True))
    results += [stack.preview(), stack.up()]
    assert results[-1].changes["update"] == len(CANARIES) - 2
    for dashboard in list(clouddb_sandbox.dashboards.values()):
        if dashboard["name"] != "Watched":
            tiles = [{**tile, "w": 5} for tile in dashboard["tiles"]]
            clouddb_sandbox.change("dashboards", dashboard["id"], tiles=tiles[::-1])
    results += [stack.refresh(), stack.preview(), stack.up(), stack.preview()]
    assert results[-1].no_changes
    for later in (False, True):
        assert found_in(stack.state_text, names, later=later) == []
        assert found_in("\n".join(map(printed, results)), names, later=later) == []


MARKING = """
import pulumi, pulumi_clouddb as clouddb
def mark(it): return {mark}
clouddb.Dashboard("board", name="Orders", tags=["shop", mark("canary")], tiles=[])
"""


def test_later_secret_mark_reaches_dynamic_state(clouddb_sandbox: Sandbox, clouddb_stack: MakeStack) -> None:
    """Marking a value that is in plain text in state is an update without a request."""
    stack = clouddb_stack(MARKING.format(mark="it"))
    stack.up()
    assert "canary" in stack.state_text
    stack.set_program(MARKING.format(mark="pulumi.Output.secret(it)"))
    clouddb_sandbox.forget_requests()
    assert stack.up().changes["update"] == 1
    assert clouddb_sandbox.requests == []
    assert "canary" not in stack.state_text
    assert stack.preview().no_changes


# -- plugin mode: over gRPC, and with the CLI --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sandbox, Listening]]:
    """Run one sandbox and one plugin for all cases."""
    with (
        Sandbox(vocabulary="neutral") as sandbox,
        Listening({**sandbox.config, **FAST}, tmp_path_factory.mktemp("plugin")) as plugin,
    ):
        yield sandbox, plugin


@pytest.mark.parametrize("canary", CANARIES.values(), ids=CANARIES)
def test_plugin_responses_contain_no_secret_input(canary: Canary, shared: tuple[Sandbox, Listening]) -> None:
    """This holds through check, preview, create, read, diff, update and delete."""
    sandbox, plugin = shared
    names = create_objects(sandbox)
    plugin.plain_texts.clear()
    first, second = (canary.inputs(names, Secret(value(canary, later, names))) for later in (False, True))
    kind, inputs = canary.kind, plugin.check(canary.kind, first).inputs
    plugin.create(kind, inputs, preview=True)
    made = plugin.create(kind, inputs)
    assert not plugin.diff(kind, made.id, made.outputs, inputs, inputs).changes
    read = plugin.read(kind, made.id, made.outputs, inputs)
    assert not plugin.diff(kind, made.id, read.outputs, inputs, inputs).changes
    news = plugin.check(kind, second, inputs).inputs
    plugin.diff(kind, made.id, read.outputs, news, inputs)
    plugin.update(kind, made.id, read.outputs, news, preview=True)
    updated = plugin.update(kind, made.id, read.outputs, news)
    plugin.read(kind, made.id, updated.outputs, news)
    plugin.delete(kind, made.id, updated.outputs)
    for later in (False, True):
        assert not shows("\n".join(plugin.plain_texts), value(canary, later, names))


def test_later_secret_mark_reaches_the_plugins_state(shared: tuple[Sandbox, Listening]) -> None:
    """Marking a value that is in plain text in state is an update without a request."""
    sandbox, plugin = shared
    inputs = {"name": "Orders", "tags": ["shop", "canary"], "tiles": []}
    made = plugin.create("Dashboard", inputs)
    marked = {**inputs, "tags": ["shop", Secret("canary")]}
    sandbox.forget_requests()
    diff = plugin.diff("Dashboard", made.id, made.outputs, marked, inputs)
    assert (diff.changes, diff.details) == (True, {})
    updated = plugin.update("Dashboard", made.id, made.outputs, marked)
    assert sandbox.requests == []
    assert updated.secrets == {"tags", "__served"}
    assert not plugin.diff("Dashboard", made.id, updated.outputs, marked, marked).changes


def test_path_of_a_difference_ends_at_a_secret(shared: tuple[Sandbox, Listening]) -> None:
    """The names within a secret object are secret, too."""
    _, plugin = shared
    boards = [
        {"name": "Orders", "tiles": [{"name": "t", "config": Secret({"canary": text})}]} for text in ("one", "two")
    ]
    made = plugin.create("Dashboard", boards[0])
    diff = plugin.diff("Dashboard", made.id, made.outputs, boards[1], boards[0])
    assert diff.details == {"tiles[0].config": "UPDATE"}


# -- messages ----------------------------------------------------------------------------------------------------------

WRONG = {name: canary for name, canary in CANARIES.items() if canary.wrong is not None}


@pytest.mark.parametrize("canary", WRONG.values(), ids=WRONG)
def test_check_failures_quote_no_secret(
    canary: Canary, front_ends: FrontEnds, shared: tuple[Sandbox, Listening]
) -> None:
    """Both front ends report what is wrong with a secret input without its value; other values are quoted."""
    ids = dict.fromkeys(("serviceId", "pipeId", "keyId", "dashboard_id", "one"), ID)
    inputs = canary.inputs(ids, Secret(canary.wrong))
    native = shared[1].check(canary.kind, inputs)
    dynamic = front_ends.dynamic.check(canary.kind, registered(inputs))
    assert list(map(in_python, without_yaml(native.failures))) == dynamic.failures != []
    assert not any(repr(canary.wrong) in failure for failure in native.failures)
    shown = front_ends.check(canary.kind, canary.inputs(ids, canary.wrong))
    assert any(repr(canary.wrong) in failure for failure in shown.failures)


LONG = "canary " * 20
RULES = {
    "two tiles with one key": (
        "Dashboard",
        {"name": "a", "tiles": Secret([{"name": "canary"}, {"name": "canary"}])},
    ),
    "a minimum above the maximum": (
        "Service",
        {"name": "a", "minReplicaMemoryGb": Secret(348), "maxReplicaMemoryGb": 8},
    ),
    "a long text": (
        "Alert",
        {"interval": Secret(LONG), "threshold": 1, "thresholdType": "above", "channel": {"type": "x"}},
    ),
}


@pytest.mark.parametrize(("kind", "inputs"), RULES.values(), ids=RULES)
def test_rules_quote_no_secret(
    kind: str, inputs: dict[str, Any], front_ends: FrontEnds, shared: tuple[Sandbox, Listening]
) -> None:
    """This holds for rules over several inputs, and for a text that is cut."""
    native = shared[1].check(kind, inputs)
    dynamic = front_ends.dynamic.check(kind, registered(inputs))
    assert list(map(in_python, without_yaml(native.failures))) == dynamic.failures != []
    assert not any("canary" in failure or "348" in failure for failure in native.failures)


def test_errors_and_warnings_quote_no_secret(
    clouddb_sandbox: Sandbox, processes: FrontEnds, shared: tuple[Sandbox, Listening]
) -> None:
    """These are a refused replacement, an error with the server's message, and a name that is taken."""
    clouddb_sandbox.add("services", name="Canary1", provider="aws", region="us-east-1")
    old = {"name": Secret("Canary1"), "provider": "aws", "region": "us-east-1", "dataWarehouseId": Secret("canary-2")}
    new = {**old, "dataWarehouseId": Secret("canary-3")}
    state = {**old, "__managed": sorted(old)}
    processes.configure({**clouddb_sandbox.config, **FAST})
    native: GrpcDriver = shared[1]
    native.configure({**clouddb_sandbox.config, **FAST})
    dynamic: GrpcDriver = processes.dynamic
    form: Callable[[dict[str, Any]], dict[str, Any]]
    messages: list[str] = []
    for driver, form in ((dynamic, registered), (native, dict)):
        with pytest.raises(HostError, match=r"cannot change data_?[wW]arehouse_?[iI]d") as refused:
            driver.diff("Service", "id", form(state), form(new), form(old))
        messages.append(str(refused.value))
        with pytest.raises(HostError, match="exists") as taken:
            driver.create("Service", form({**old, "dataWarehouseId": None} | {"idleScaling": True}))
        messages.append(str(taken.value))
        clouddb_sandbox.fault("create_key", "status", status=400, text='BAD_REQUEST: "canary-4" is no name')
        with pytest.raises(HostError, match="is no name") as failed:
            driver.create("ApiKey", form({"name": Secret("canary-4"), "roles": ["developer"]}))
        messages.append(str(failed.value))
    assert "anary" not in "\n".join([*messages, *dynamic.warnings, *native.warnings])
    shared[1].configure({**shared[0].config, **FAST})


QUOTED = 'it\'s \\ "so"\n'


def test_pending_create_contains_no_secret(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The record of a create is not encrypted."""
    with Listening({**clouddb_sandbox.config, **FAST}, tmp_path) as plugin:
        plugin.create("Dashboard", {"name": Secret("canary"), "tiles": []})
        records = [file.read_text(encoding="utf-8") for file in tmp_path.rglob("*.json")]
    assert any("dashboard '[secret]'" in text for text in records)
    assert "canary" not in "".join(records)


HIDDEN: dict[str, tuple[Any, str, str]] = {
    "a text": ("a secret text", "no 'a secret text' here", "no '[secret]' here"),
    "inside a word": ("a secret text", "xa secret texty", "x[secret]y"),
    "a short text": ("dev", "'dev' is no developer", "'[secret]' is no developer"),
    "a text too short to hide": ("ci", "ci is decided", "ci is decided"),
    "a number": (4711.0, "must be at most 10, not 4711", "must be at most 10, not [secret]"),
    "a flag": (True, "must be True", "must be True"),
    "a quoted text": (QUOTED, f"not {QUOTED!r}", "not '[secret]'"),
    "the shortest text that is hidden": ("abc", "abc abcd", "[secret] abcd"),
    "JSON": ('Über\n"x"', json.dumps('Über\n"x"'), '"[secret]"'),
    "tokens of an object": (
        {"a": ["canary-1a", {"b": "canary-2b"}], "c": None},
        "canary-1a, canary-2b, c",
        "[secret], [secret], c",
    ),
    "no words of an object": ({"a": ["one", {"environment": "production"}]}, "one production", "one production"),
    "a password of an object": ({"user": "orders", "password": "swordfish"}, "orders swordfish", "orders [secret]"),
    "the names in an object": ({"X-Canary-1a": "canary-2b"}, "X-Canary-1a: canary-2b", "[secret]: [secret]"),
    "no property names": ({"displayType": "canary-2b"}, "displayType: canary-2b", "displayType: [secret]"),
    "the longer one first": (["canary-1a", "canary-1ab2"], "canary-1ab2, canary-1a", "[secret], [secret]"),
}


@pytest.mark.parametrize(("hidden", "text", "shown"), HIDDEN.values(), ids=HIDDEN)
def test_hidden_values_are_redacted(hidden: Any, text: str, shown: str) -> None:
    """Values are redacted in plain and in quoted form, but only within their scope."""
    with secret_scope():
        hide(hidden)
        assert redaction.redact(text) == shown
    assert redaction.redact(text) == text


NATIVE = """
import pulumi

class Board(pulumi.CustomResource):
    def __init__(self, resource_name, **props):
        super().__init__("clouddb:index:Dashboard", resource_name, {{"tileIds": None, **props}})

tile = {{"name": pulumi.Output.secret("canary-tile"), "w": {w}, "series": []}}
Board("name", name=pulumi.Output.secret("canary-name"), tags=["x"], tiles=[{{"name": "t", "w": {w}}}])
Board("tags", name="b", tags=["x", pulumi.Output.secret("canary-tag")], tiles=[{{"name": "t", "w": {w}}}])
Board("tiles", name="c", tags=["x"], tiles=[tile])
"""


@pytest.mark.cli
def test_cli_shows_and_stores_no_secret_input_of_the_plugin(clouddb_sandbox: Sandbox, tmp_path: Path) -> None:
    """The real engine writes no copy of a secret input in plain text."""
    stack = CliStack(NATIVE.format(w=6), config=stack_config(clouddb_sandbox), work_dir=tmp_path)
    results = [stack.preview(), stack.up(), stack.refresh(), stack.preview()]
    assert results[-1].no_changes
    stack.set_program(NATIVE.format(w=5))
    results += [stack.preview(), stack.up(), stack.preview()]
    assert results[-1].no_changes
    assert "canary" not in stack.state_text + "\n".join(map(printed, results))
    assert stack.resource("tiles").outputs["tileIds"] == Secret({"canary-tile": stack_ids(clouddb_sandbox, "c")})
    stack.destroy()


def stack_ids(sandbox: Sandbox, name: str) -> str:
    """Return the id of the first tile of a dashboard."""
    return next(str(each["tiles"][0]["id"]) for each in sandbox.dashboards.values() if each["name"] == name)
