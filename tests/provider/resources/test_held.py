"""Changes that are sent with what was read of an object: on this machine, nothing of another change is lost.

The writes that read first are found by playing all lives, and the pairs of resources that share an object follow from
their declarations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import CancelledError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.replaced import ReplacedResource
from pulumi_clouddb.resource.state import MANAGED
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver
from support.ids import CONNECTION, LOGS, METRICS, TRACES
from support.played import PlayedLife
from support.plugin import NativePlugin
from support.sessions import ProviderProcess, config_for

# -- the writes that read first ---------------------------------------------------------------------------------------

_OWN = "it has only values of the program, and the server keeps the others"
WITHOUT_A_HOLD: Mapping[tuple[str, str], str] = {
    ("BYOC infrastructure", "byocInfrastructure/ID"): _OWN,
    ("pipe of a stream", "clickpipes/ID"): "lists are changed by what it adds and removes; the rest is of the program",
    ("pipe of a stream", "clickpipes/ID/scaling"): _OWN,
    ("pipe of a stream", "clickpipes/ID/state"): "it is a command",
    (
        "pipe of a database",
        "clickpipes/ID",
    ): "lists are changed by what it adds and removes; the rest is of the program",
    ("pipe of a database", "clickpipes/ID/state"): "it is a command",
    ("private endpoint", "organizations/ID"): "it names the endpoint to remove, with a place that nobody can change",
    ("service", "services/ID/state"): "it is a command",
    ("service", "services/ID/replicaScaling"): _OWN,
    ("attachment of a function", "attachments/ID"): "it creates the attachment",
}
"""The lives and ends of paths of the writes that contain nothing that was read and could be lost, and why."""


@dataclass(frozen=True)
class Write:
    """A write of an existing object.

    Attributes:
        method: Its method.
        path: Its path.
        has_read: Whether the same operation has read the object, or a list with it, before.
        is_held: Whether the object was held.
    """

    method: str
    path: str
    has_read: bool
    is_held: bool


class Recorded(PlayedLife):
    """A life whose writes are recorded, with the holds during each."""

    def __init__(self, life: WireLife, dialect: VocabularyName, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.held: set[tuple[str, ...]] = set()
        self.reads: list[str] = []
        self.writes: list[Write] = []
        super().__init__(life, dialect, folder, patch)
        self.writes.clear()
        holding = Session.holding

        @contextmanager
        def recorded(session: Session, key: tuple[str, ...]) -> Iterator[None]:
            with holding(session, key):
                assert not self.held, f"{key} is held within {self.held}: two such holds may wait for each other"
                self.held.add(key)
                try:
                    yield
                finally:
                    self.held.remove(key)

        patch.setattr(Session, "holding", recorded)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Record a request, and respond to it."""
        path = request.url.path
        if request.method == "GET":
            self.reads.append(path)
        elif request.method in ("PUT", "PATCH"):
            has_read = any(path.startswith(each) or each.startswith(path) for each in self.reads)
            self.writes.append(Write(request.method, path, has_read, bool(self.held)))
        return super().handle_request(request)

    def play(self) -> list[Write]:
        """Create, update, remove a property of, and delete the object; return the writes of existing objects."""
        before, after = self.lives
        id_, state = self.begin(lambda session: lifecycle.create(session, self.resource, before))
        state = self.begin(lambda session: lifecycle.update(session, self.resource, id_, state, after))
        state = self.begin(lambda session: lifecycle.update(session, self.resource, id_, state, before))
        self.begin(lambda session: lifecycle.delete(session, self.resource, id_, state))
        return self.writes

    def begin(self, operate: Callable[[Session], Any]) -> Any:
        """Run one operation in a new process."""
        self.reads.clear()
        return operate(self.session)


DIALECTS = [
    pytest.param(life, dialect, id=f"{life.name} ({dialect.value})")
    for life in WIRE_LIVES
    for dialect in VocabularyName
    if (life.life.only or dialect) is dialect
]


@pytest.mark.parametrize(("life", "dialect"), DIALECTS)
def test_writes_that_read_first_hold_the_object(
    life: WireLife, dialect: VocabularyName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new resource is in the table by its life, and needs a hold or a reason. No hold is within another one."""
    played = Recorded(life, dialect, tmp_path, monkeypatch)
    bare = {re.sub("[0-9a-f]{8}[-0-9a-f]+", "ID", each.path) for each in played.play() if each.has_read > each.is_held}
    without = {end for name, end in WITHOUT_A_HOLD if name == life.name}
    assert {each for each in bare if not each.endswith(tuple(without) or "\0")} == set()
    assert {end for end in without if not any(each.endswith(end) for each in bare)} == set()


# -- two changes of one object ----------------------------------------------------------------------------------------

Values = dict[str, Any]
SPANS: Values = {
    "name": "Spans",
    "kind": "trace",
    "connection": CONNECTION,
    "from": {"databaseName": "shop", "tableName": "spans"},
    **{f"{name}Expression": name for name in ("timestampValue", "duration", "traceId", "spanId", "parentSpanId")},
    **{f"{name}Expression": name for name in ("spanName", "spanKind", "defaultTableSelect")},
    "durationPrecision": 9,
}


@dataclass(frozen=True)
class Part:
    """One of two resources that set a part of one object.

    Attributes:
        resource: Its resource.
        inputs: Its inputs beside the part; `ID` stands for the id of the object.
        name: Wire name of the part.
        values: What it sets there first, and after an update.
    """

    resource: str
    inputs: Values
    name: str
    values: tuple[Any, Any]

    def given(self, object_id: str, index: int) -> Values:
        """Return the inputs with one of the values."""
        inputs = {name: object_id if value == "ID" else value for name, value in self.inputs.items()}
        return {**inputs, self.name: self.values[index]}


@dataclass(frozen=True)
class Overrides:
    """Two overrides of one object.

    Attributes:
        make: Create the object, and return its id.
        show: Return the part of each.
        writes: The operation of the writes.
        parts: The two.
    """

    make: Callable[[Sandbox], str]
    show: Callable[[Sandbox, str], list[Any]]
    writes: str
    parts: tuple[Part, Part]


def _links(sandbox: Sandbox, id_: str) -> list[Any]:
    return [sandbox.objects("sources")[id_].get(name) for name in ("logSourceId", "metricSourceId")]


def _key(sandbox: Sandbox, id_: str) -> list[Any]:
    return [sandbox.keys[id_]["name"], sandbox.keys[id_]["state"]]


def _settings(sandbox: Sandbox, _: str) -> list[Any]:
    with sandbox.management() as http:
        found = http.get("").json()["result"]
    return [found.get("name"), found.get("enableCoreDumps")]


OVERRIDES = {
    "links of a source": Overrides(
        lambda sandbox: str(sandbox.add("sources", **SPANS)["id"]),
        _links,
        "self_hosted_update_source",
        (
            Part("SourceLinks", {"sourceId": "ID"}, "logSourceId", (LOGS, TRACES)),
            Part("SourceLinks", {"sourceId": "ID"}, "metricSourceId", (METRICS, LOGS)),
        ),
    ),
    "adopted key": Overrides(
        lambda sandbox: str(sandbox.add_key(name="found", roles=["developer"])["key"]["id"]),
        _key,
        "update_key",
        (
            Part("ApiKey", {"keyId": "ID"}, "name", ("one", "two")),
            Part("ApiKey", {"keyId": "ID"}, "state", ("disabled", "enabled")),
        ),
    ),
    "settings of the organization": Overrides(
        lambda sandbox: "",
        _settings,
        "update_organization",
        (
            Part("OrganizationSettings", {}, "name", ("One", "Two")),
            Part("OrganizationSettings", {}, "enableCoreDumps", (True, False)),
        ),
    ),
}


@pytest.fixture(params=["dynamic", "native"])
def driver(request: pytest.FixtureRequest, processes: FrontEnds, sandbox: Sandbox) -> GrpcDriver:
    """Return each front end."""
    driver: GrpcDriver = getattr(processes, request.param)
    driver.configure({**sandbox.config, "clouddb:pollIntervalSeconds": "0.05"})
    return driver


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Make calls at once, and return their results."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [each.result() for each in [pool.submit(call) for call in calls]]


@pytest.mark.parametrize("pair", OVERRIDES.values(), ids=OVERRIDES)
def test_two_overrides_of_one_object_lose_nothing(pair: Overrides, driver: GrpcDriver, sandbox: Sandbox) -> None:
    """Both are created, updated and destroyed at once; each write takes long enough for the read of the other one."""
    id_ = pair.make(sandbox)
    before = pair.show(sandbox, id_)
    sandbox.fault(pair.writes, "delay", times=6, wait=0.2)

    def made(index: int, part: Part) -> Any:
        checked = driver.check(part.resource, part.given(id_, 0))
        assert not checked.failures
        return driver.create(part.resource, checked.inputs, urn=f"urn:pulumi:dev::shop::clouddb:index:It::{index}")

    one, two = pair.parts
    states = at_once(lambda: made(1, one), lambda: made(2, two))
    assert pair.show(sandbox, id_) == [one.values[0], two.values[0]]

    def updated(part: Part, state: Any) -> Any:
        return driver.update(part.resource, state.id, state.outputs, part.given(id_, 1))

    states = at_once(*(lambda each=each: updated(*each) for each in zip(pair.parts, states, strict=True)))
    assert pair.show(sandbox, id_) == [one.values[1], two.values[1]]

    def destroyed(part: Part, state: Any) -> None:
        driver.delete(part.resource, state.id, state.outputs)

    at_once(*(lambda each=each: destroyed(*each) for each in zip(pair.parts, states, strict=True)))
    assert pair.show(sandbox, id_) == before


# -- two resources that replace one object ----------------------------------------------------------------------------


def removable(life: WireLife) -> list[str]:
    """Return the properties of the update that a program can take out again, and whose removal a read shows."""
    type_ = RESOURCES[life.life.name].type
    fixed = {*type_.required, *type_.immutable, *type_.provider_only, *type_.unanswered, *type_.state_inputs}
    return [name for name in life.after if name not in fixed and not type_.clearing_values([name])]


SHARED = {
    "where",
    "whereLanguage",
    "source",
    "chartConfig",
    "filters",
    "logSourceId",
    "tileId",
    "channel",
    "dashboardId",
}
"""Properties that a program cannot take out alone: others need them, or the server has a default."""

REPLACED = {
    life.name: (life, names[:2])
    for life in WIRE_LIVES
    if isinstance(RESOURCES[life.life.name], ReplacedResource)
    if len(names := [each for each in removable(life) if each not in SHARED and not each.endswith("Expression")]) > 1
}


@pytest.mark.parametrize(("life", "names"), REPLACED.values(), ids=REPLACED)
def test_two_resources_that_replace_one_object_lose_nothing(
    life: WireLife, names: list[str], driver: GrpcDriver, sandbox: Sandbox
) -> None:
    """Each takes another property out: no request brings back what the other one has cleared."""
    values = fill(life.after, life.life.setting(sandbox))
    made = driver.create(life.life.name, driver.check(life.life.name, values).inputs)
    sandbox.fault(life.operations[1], "delay", times=2, wait=0.2)

    def without(mine: str, other: str) -> None:
        managed = [name for name in made.outputs[MANAGED] if name != other]
        wanted = {name: value for name, value in values.items() if name not in (mine, other)}
        driver.update(life.life.name, made.id, {**made.outputs, MANAGED: managed}, wanted)

    one, two = names
    at_once(lambda: without(one, two), lambda: without(two, one))
    seen = driver.read(life.life.name, made.id, {**made.outputs, MANAGED: []}).outputs
    assert [seen.get(name) for name in names if seen.get(name) == values[name]] == []


def test_source_and_its_links_lose_nothing(driver: GrpcDriver, sandbox: Sandbox) -> None:
    """An update of the source keeps a link that is set at that moment, and the link its new name."""
    made = driver.create("Source", driver.check("Source", SPANS).inputs)
    sandbox.fault("self_hosted_update_source", "delay", times=2, wait=0.2)
    links = {"sourceId": made.id, "logSourceId": LOGS}
    at_once(
        lambda: driver.update("Source", made.id, made.outputs, {**SPANS, "name": "Other"}),
        lambda: driver.create("SourceLinks", links, urn="urn:pulumi:dev::shop::clouddb:index:SourceLinks::it"),
    )
    source = sandbox.objects("sources")[made.id]
    assert (source["name"], source["logSourceId"]) == ("Other", LOGS)


POSTGRES = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}


def test_two_postgres_services_of_one_object_lose_nothing(driver: GrpcDriver, sandbox: Sandbox) -> None:
    """An update contains the tags of others."""
    made = driver.create("PostgresService", driver.check("PostgresService", POSTGRES).inputs)
    sandbox.fault("update_postgres_service", "delay", wait=0.4, match={"haType": "sync"})
    tag = {"key": "team", "value": "shop"}

    def updated(part: Values) -> None:
        wanted = driver.check("PostgresService", {**POSTGRES, **part}).inputs
        driver.update("PostgresService", made.id, made.outputs, wanted)

    at_once(lambda: updated({"tags": [tag]}), lambda: updated({"haType": "sync"}))
    found = sandbox.objects("postgres_services")[made.id]
    assert tag in found["tags"]
    assert found["haType"] == "sync"


# -- the hold itself --------------------------------------------------------------------------------------------------


def test_two_processes_of_one_machine_lose_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """Two stacks set a link each of one source."""
    pair, one_folder = OVERRIDES["links of a source"], {"CLOUDDB_JOURNAL": str(tmp_path / "journal")}
    id_ = pair.make(sandbox)
    sandbox.fault(pair.writes, "delay", times=2, wait=0.3)
    folders = [tmp_path / each for each in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    with (
        NativePlugin(sandbox.config, folders[0], one_folder) as first,
        NativePlugin(sandbox.config, folders[1], one_folder) as second,
    ):
        at_once(
            *(
                lambda part=part, driver=driver: driver.create(
                    part.resource, part.given(id_, 0), urn=f"urn:{part.name}"
                )
                for part, driver in zip(pair.parts, (first, second), strict=True)
            )
        )
    assert pair.show(sandbox, id_) == [LOGS, METRICS]


def test_machine_without_a_disk_holds_within_a_process(sandbox: Sandbox, tmp_path: Path) -> None:
    """Its folder is a file, so that nothing can be written there."""
    (tmp_path / "pending").write_text("", encoding="utf-8")
    process = ProviderProcess(config_for(sandbox), tmp_path)
    pair = OVERRIDES["links of a source"]
    id_ = pair.make(sandbox)
    sandbox.fault(pair.writes, "delay", times=2, wait=0.2)
    at_once(*(lambda part=part: process.create(part.resource, part.given(id_, 0)) for part in pair.parts))
    assert pair.show(sandbox, id_) == [LOGS, METRICS]


def test_wait_for_a_hold_ends(process: ProviderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with a cancellation, and after the time of a wait; the hold itself ends with its block."""

    def cancelled(_: float) -> None:
        raise CancelledError("the operation was cancelled")

    with process.holding(("sources", "", "1")):
        monkeypatch.setattr(process.runtime, "sleep", cancelled)
        with pytest.raises(CancelledError), process.holding(("sources", "", "1")):
            raise AssertionError
        monkeypatch.setattr(type(process), "wait_minutes", 0.0)
        with pytest.raises(ResourceError, match="still changes the same object"), process.holding(("sources", "", "1")):
            raise AssertionError
    with pytest.raises(KeyError), process.holding(("sources", "", "1")):
        raise KeyError
    with process.holding(("sources", "", "1")):
        pass


def test_hold_ends_while_the_server_is_busy(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Another change goes on while a refused one waits, which then reads the object again."""
    pair = OVERRIDES["links of a source"]
    id_ = pair.make(sandbox)
    sandbox.fault(pair.writes, "status", times=1, status=423, text="at work")
    waiting: list[str] = []

    def other_change(seconds: float) -> None:
        if not waiting:
            waiting.append(f"{seconds:.0f}")
            other, part = process.for_resource("urn:other"), pair.parts[1]
            lifecycle.create(other, RESOURCES[part.resource], part.given(id_, 0))

    process.runtime.sleep = other_change  # type: ignore[method-assign]
    part = pair.parts[0]
    lifecycle.create(process.for_resource("urn:one"), RESOURCES[part.resource], part.given(id_, 0))
    assert waiting
    assert pair.show(sandbox, id_) == [LOGS, METRICS]
