"""An update that failed or died after it was sent: what no response shows is sent again, whatever its value."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import grpc
import pytest

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.user_defined_functions import code_of
from clouddb_tools.testing import CliStack, FakeEngineStack, Stack, stack_config
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.client.marks import hashed
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.create.updates import ENDING
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.doubt import write_only
from support.five import dynamic_program, native_program
from support.grpc_driver import GrpcDriver, HostError, NotReadyError
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.sessions import ProviderProcess, config_for

Values = dict[str, Any]
PLACE = {"provider": "aws", "region": "us-east-1"}


@dataclass(frozen=True)
class Row:
    """A property that no response shows.

    Attributes:
        resource: Its resource.
        inputs: The other inputs; `SERVICE` stands for the id of a service.
        name: The property.
        values: The value before, that of the update in doubt, and a third one; None stands for none.
        operation: The operation that sends it.
        shows: Returns whether the server has a value, given the id, the value and state.
    """

    resource: str
    inputs: Values
    name: str
    values: tuple[Any, Any, Any]
    operation: str
    shows: Callable[[Sandbox, str, Any, Values], bool] = lambda *_: True

    def given(self, value: Any) -> Values:
        """Return the inputs with a value."""
        return {**self.inputs, **({} if value is None else {self.name: value})}


def _stored(kind: str, name: str) -> Callable[[Sandbox, str, Any, Values], bool]:
    def shows(sandbox: Sandbox, id_: str, value: Any, _: Values) -> bool:
        return bool(sandbox.objects(kind)[id_].get(name) == value)

    return shows


def _works(sandbox: Sandbox, id_: str, value: Any, state: Values) -> bool:
    return sandbox.password_works(id_, value if isinstance(value, str) else state["password"])


def _works_hashed(sandbox: Sandbox, id_: str, value: Any, state: Values) -> bool:
    password = {hashed(each): each for each in PASSWORDS}[value] if value else state["password"]
    return sandbox.password_works(id_, password)


def _has_code(sandbox: Sandbox, id_: str, value: Any, _: Values) -> bool:
    return bool(code_of(sandbox.objects("user_defined_functions")[id_]) == value)


PASSWORDS = ("Former-password-1", "Password-in-doubt-2", "Third-password-3")
HASHES = (hashed(PASSWORDS[0]), hashed(PASSWORDS[1]), hashed(PASSWORDS[2]))
CONNECTION = {"name": "Reader", "host": "http://db.example.com:8123", "username": "reader"}
WEBHOOK = {"name": "Hook", "service": "generic", "url": "https://hook.example.com/a"}
SERVICE = {"name": "Orders", **PLACE}
POSTGRES = {"name": "orders", **PLACE, "size": "m6gd.large"}
KAFKA = {"kafka": {"type": "confluent", "format": "JSONEachRow", "brokers": "b:9092", "topics": "t"}}
TABLE = {"database": "default", "table": "t", "managedTable": True, "columns": [{"name": "id", "type": "String"}]}
FUNCTION = {
    "name": "twice",
    "runtime": "python3.11",
    "type": "executable",
    "arguments": [{"name": "x", "type": "UInt8"}],
    "returnType": "UInt8",
}
BUCKET = {"bucketProvider": "GCP", "bucketPath": "gs://backups", "accessKeyId": "key"}


def _of_each(make: Callable[[str], Any]) -> tuple[Any, Any, Any]:
    return make("one"), make("two"), make("three")


ROWS = {
    "Connection.password": Row(
        "Connection", CONNECTION, "password", PASSWORDS, "update_connection", _stored("connections", "password")
    ),
    "Webhook.headers": Row(
        "Webhook",
        WEBHOOK,
        "headers",
        _of_each(lambda each: {"Authorization": f"Bearer {each}"}),
        "self_hosted_update_webhook",
        _stored("webhooks", "headers"),
    ),
    "Webhook.queryParams": Row(
        "Webhook",
        WEBHOOK,
        "queryParams",
        _of_each(lambda each: {"token": each}),
        "self_hosted_update_webhook",
        _stored("webhooks", "queryParams"),
    ),
    "PostgresService.password": Row(
        "PostgresService", POSTGRES, "password", PASSWORDS, "set_postgres_password", _works
    ),
    "PostgresService.password, added": Row(
        "PostgresService", POSTGRES, "password", (None, *PASSWORDS[1:]), "set_postgres_password", _works
    ),
    "Service.passwordHash": Row("Service", SERVICE, "passwordHash", HASHES, "reset_password", _works_hashed),
    "Service.passwordHash, added": Row(
        "Service", SERVICE, "passwordHash", (None, *HASHES[1:]), "reset_password", _works_hashed
    ),
    "Service.passwordDoubleSha1Hash": Row(
        "Service",
        {**SERVICE, "passwordHash": HASHES[0]},
        "passwordDoubleSha1Hash",
        _of_each(lambda each: (each.encode().hex() + "0" * 40)[:40]),
        "reset_password",
    ),
    "Service.passwordRotation": Row(
        "Service",
        SERVICE,
        "passwordRotation",
        ("1", "2", "3"),
        "reset_password",
        lambda sandbox, id_, _, state: sandbox.password_works(id_, state["password"]),
    ),
    "Service.passwordRotation, added": Row(
        "Service",
        SERVICE,
        "passwordRotation",
        (None, "2", "3"),
        "reset_password",
        lambda sandbox, id_, _, state: sandbox.password_works(id_, state["password"]),
    ),
    "Service.backupBucketSecret": Row(
        "Service", {**SERVICE, "backupBucket": BUCKET}, "backupBucketSecret", PASSWORDS, "update_backup_bucket"
    ),
    "Pipe.credentials": Row(
        "Pipe",
        {"serviceId": "SERVICE", "name": "clicks", "source": KAFKA, "destination": TABLE},
        "credentials",
        _of_each(lambda each: {"username": "u", "password": each}),
        "update_pipe",
    ),
    "UserDefinedFunction.files": Row(
        "UserDefinedFunction",
        FUNCTION,
        "files",
        _of_each(lambda each: {"main.py": f"print('{each}')"}),
        "publish_user_defined_function",
        _has_code,
    ),
}

OF_NO_ROW = {
    "Service.privatePreviewTermsChecked": "only a create sends it",
    "Pipe.startPaused": "a change needs another pipe",
    "Pipe.stopped": "the state of the pipe shows it",
    "Service.stopped": "the state of the service shows it",
    "PrivateEndpoint.serviceId": "only a create sends it",
    "UserDefinedFunction.archive": "it is sent as the files are",
}
"""The properties that no row needs, and why."""


def test_each_property_that_no_response_shows_has_a_row() -> None:
    """The declarations name them; a new one needs a row or a reason."""
    declared = {f"{name}.{each}" for name in RESOURCES for each in write_only(RESOURCES[name].type)}
    assert declared == {each.partition(",")[0] for each in ROWS} | {*OF_NO_ROW}


class Played:
    """A stack with one resource, in one front end.

    Attributes:
        driver: The process of the current command.
        id: The id of the object.
        state: Its state.
    """

    def __init__(self, row: Row, driver: GrpcDriver, sandbox: Sandbox) -> None:
        self.row, self.driver, self.sandbox = row, driver, sandbox
        self._commands = 0
        inputs = driver.check(row.resource, row.given(row.values[0]))
        assert not inputs.failures
        made = driver.create(row.resource, inputs.inputs)
        self.id, self.state = made.id, made.outputs

    def new_command(self) -> None:
        """Configure the process as that of a new command."""
        self._commands += 1
        self.driver.configure({**self.driver.config, "clouddb:pollIntervalSeconds": f"0.05{self._commands}"})

    def differs(self, value: Any) -> bool:
        """Return whether a preview shows a change."""
        wanted = self.driver.check(self.row.resource, self.row.given(value), self.state).inputs
        return self.driver.diff(self.row.resource, self.id, self.state, wanted).changes

    def up(self, value: Any) -> bool:
        """Run `up`; return whether it updates the object."""
        self.new_command()
        wanted = self.driver.check(self.row.resource, self.row.given(value), self.state).inputs
        if not self.driver.diff(self.row.resource, self.id, self.state, wanted).changes:
            return False
        try:
            self.state = self.driver.update(self.row.resource, self.id, self.state, wanted).outputs
        except NotReadyError as error:  # the engine writes what it contains, see pkg/resource/deploy/step.go
            self.state = error.outputs.outputs
            raise
        return True

    def refresh(self) -> None:
        """Run `refresh`."""
        self.new_command()
        self.state = self.driver.read(self.row.resource, self.id, self.state).outputs


FAULTS = {
    "502 after the commit": ("commit_then_status", {"status": 502}),
    "cut": ("lose", {}),
    "killed": ("commit_then_hang", {}),
}
FRONT_ENDS: dict[str, type[GrpcDriver]] = {"dynamic": DynamicHost, "native": NativePlugin}


@pytest.fixture(params=FRONT_ENDS)
def start(request: pytest.FixtureRequest, sandbox: Sandbox, tmp_path: Path) -> Iterator[Callable[[], GrpcDriver]]:
    """Return a function that starts a process of each front end; all of a test share their records."""
    started: list[GrpcDriver] = []
    limits = {"clouddb:retryTimeoutSeconds": "0", "clouddb:requestTimeoutSeconds": "4"}
    config = {**sandbox.config, "clouddb:pollIntervalSeconds": "0.05", **limits}

    def start() -> GrpcDriver:
        started.append(FRONT_ENDS[request.param](config, tmp_path))
        return started[-1]

    yield start
    for driver in started:
        with suppress(Exception):
            driver.stop()


def fail(stack: Played, fault: str, start: Callable[[], GrpcDriver]) -> None:
    """Run `up` with the second value; the server carries it out, and nobody learns of it."""
    row, sandbox = stack.row, stack.sandbox
    kind, details = FAULTS[fault]
    before = sandbox.count(row.operation)
    sandbox.fault(row.operation, kind, times=50, **details)
    if fault == "killed":
        with ThreadPoolExecutor(1) as pool:
            dying = pool.submit(stack.up, row.values[1])
            while sandbox.count(row.operation) == before and not dying.done():
                time.sleep(0.01)
            os.kill(stack.driver.pid, signal.SIGKILL)
            with pytest.raises((HostError, grpc.RpcError)):
                dying.result()
        stack.driver = start()
    else:
        with pytest.raises(HostError):
            stack.up(row.values[1])
    sandbox.clear_faults()


def _slow(row: Row) -> tuple[pytest.MarkDecorator, ...]:
    """Mark functions as slow: an update waits until the server can no longer carry out an interrupted one."""
    return (pytest.mark.slow, pytest.mark.timeout(300)) if row.resource == "UserDefinedFunction" else ()


WAYS = (*product((False, True), range(3)),)
"""Whether a refresh comes between, and the index of the value that the program has then."""


def some_ways(name: str, fault: str) -> tuple[tuple[bool, int], ...]:
    """Return two of the ways: the faults of a row have all of them, and so have the rows of a fault."""
    turn = [*ROWS].index(name) + [*FAULTS].index(fault)
    return (False, turn % 3), (True, (turn + 1) % 3)


@pytest.mark.parametrize("extent", ["some", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", [pytest.param(name, marks=_slow(row)) for name, row in ROWS.items()])
def test_update_in_doubt_is_sent_again(
    name: str, fault: str, extent: str, start: Callable[[], GrpcDriver], sandbox: Sandbox
) -> None:
    """The person keeps the new value, puts the old one back, or chooses a third one, with and without a refresh."""
    service = sandbox.add("services", name="events", **PLACE)["id"]
    row, driver = ROWS[name], start()
    for number, (refreshed, chosen) in enumerate(WAYS if extent == "all" else some_ways(name, fault)):
        value = row.values[chosen]
        named = {**row.inputs, "name": f"{row.inputs['name']}{number}"}
        inputs = {key: service if each == "SERVICE" else each for key, each in named.items()}
        stack = Played(replace(row, inputs=inputs), driver, sandbox)
        fail(stack, fault, start)
        driver = stack.driver
        if refreshed:
            stack.refresh()
        sent = sandbox.count(row.operation)
        assert stack.up(value), f"{value} is not sent {'after a refresh' if refreshed else ''}"
        assert sandbox.count(row.operation) > sent
        assert row.shows(sandbox, stack.id, value, stack.state), f"the server does not have {value}"
        stack.new_command()
        assert not stack.differs(value)


def records(folder: Path) -> list[str]:
    """Return the texts of the records of updates."""
    return [each.read_text(encoding="utf-8") for each in (folder / "journal").glob(f"*{ENDING}")]


def test_record_is_removed_once_state_has_the_result(
    start: Callable[[], GrpcDriver], sandbox: Sandbox, tmp_path: Path
) -> None:
    """The next command with that state removes it; it has names and no value."""
    stack = Played(ROWS["Connection.password"], start(), sandbox)
    fail(stack, "cut", start)
    (record,) = records(tmp_path)
    assert json.loads(record)["names"] == ["password"]
    assert not any(each in record for each in PASSWORDS)
    assert stack.up(PASSWORDS[0])
    stack.new_command()
    assert not stack.differs(PASSWORDS[0])
    assert records(tmp_path) == []


def test_refused_update_is_not_in_doubt(start: Callable[[], GrpcDriver], sandbox: Sandbox, tmp_path: Path) -> None:
    """The server has certainly not carried it out, so that the former value is no change."""
    stack = Played(ROWS["Connection.password"], start(), sandbox)
    sandbox.fault("update_connection", "status", status=400, text="no")
    with pytest.raises(HostError) as error:
        stack.up(PASSWORDS[1])
    assert not isinstance(error.value, NotReadyError)
    assert records(tmp_path) == []
    assert not stack.up(PASSWORDS[0])


def test_deletion_removes_the_record(start: Callable[[], GrpcDriver], sandbox: Sandbox, tmp_path: Path) -> None:
    """Another object never gets the id."""
    stack = Played(ROWS["Connection.password"], start(), sandbox)
    fail(stack, "cut", start)
    stack.driver.delete("Connection", stack.id, stack.state)
    assert records(tmp_path) == []


def test_plugin_needs_no_disk(sandbox: Sandbox, tmp_path: Path) -> None:
    """State has what is in doubt; a refresh and a failed command before the update keep it."""
    (tmp_path / "journal").write_text("", encoding="utf-8")
    row, limits = ROWS["Connection.password"], {"clouddb:retryTimeoutSeconds": "0"}
    with NativePlugin({**sandbox.config, **limits}, tmp_path) as driver:
        stack = Played(row, driver, sandbox)
        fail(stack, "cut", lambda: driver)
        stack.refresh()
        sandbox.fault(row.operation, "status", status=400, text="no")
        with pytest.raises(HostError):
            stack.up(PASSWORDS[0])
        assert stack.up(PASSWORDS[0])
        assert row.shows(sandbox, stack.id, PASSWORDS[0], stack.state)
        stack.new_command()
        assert not stack.differs(PASSWORDS[0])


def test_several_writes_of_one_update_are_in_doubt_together(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The password was set, and the settings after it were refused: the former password is sent again."""
    former, new = ({**POSTGRES, "password": each} for each in PASSWORDS[:2])
    id_, state = process.create("PostgresService", former)
    sandbox.fault("update_postgres_config", "status", status=400, text="no")
    with pytest.raises(ApiError):
        process.update("PostgresService", id_, state, {**new, "pgConfig": {"lock_timeout": "1s"}})
    assert sandbox.password_works(id_, PASSWORDS[1])
    process.update("PostgresService", id_, state, former)
    assert sandbox.password_works(id_, PASSWORDS[0])


class Died(BaseException):
    """Raised in place of the death of a process."""


def test_version_that_is_found_is_not_in_doubt(process: ProviderProcess, sandbox: Sandbox, tmp_path: Path) -> None:
    """The process died while its version was built: the next update sends nothing, and no later one is needed."""

    def die(_: float) -> None:
        raise Died

    former, new = ({**FUNCTION, "files": {"main.py": each}} for each in ("print(1)", "print(2)"))
    id_, state = process.create("UserDefinedFunction", former)
    sandbox.set_latency(start=600)
    with pytest.raises(Died):
        ProviderProcess(process.config, tmp_path, sleep=die).update("UserDefinedFunction", id_, state, new)
    sandbox.advance(600)
    state = ProviderProcess(process.config, tmp_path).update("UserDefinedFunction", id_, state, new)
    assert sandbox.count("publish_user_defined_function") == 1
    later = ProviderProcess(process.config, tmp_path)
    assert lifecycle.diff(later, RESOURCES["UserDefinedFunction"], id_, state, new).changed == ()


def test_function_of_the_same_name_is_not_in_doubt(process: ProviderProcess, sandbox: Sandbox, tmp_path: Path) -> None:
    """Somebody has deleted the one that was updated, a refresh has dropped it from state, and it is made again."""
    former, new = ({**FUNCTION, "files": {"main.py": each}} for each in ("print(1)", "print(2)"))
    id_, state = process.create("UserDefinedFunction", former)
    state = process.update("UserDefinedFunction", id_, state, new)
    sandbox.remove("user_defined_functions", id_)
    refreshing = ProviderProcess(process.config, tmp_path)
    assert lifecycle.read(refreshing, RESOURCES["UserDefinedFunction"], id_, state, {}) == (id_, None)
    id_, state = refreshing.create("UserDefinedFunction", new)
    later = ProviderProcess(process.config, tmp_path)
    assert lifecycle.diff(later, RESOURCES["UserDefinedFunction"], id_, state, new).changed == ()


@pytest.mark.parametrize(
    ("engine", "program"),
    [
        pytest.param(FakeEngineStack, dynamic_program, id="fake engine"),
        pytest.param(CliStack, dynamic_program, id="cli, dynamic", marks=pytest.mark.cli),
        pytest.param(CliStack, native_program, id="cli, plugin", marks=pytest.mark.cli),
    ],
)
def test_program_with_the_former_value_sends_it(
    engine: type[Stack], program: Callable[[Sequence[Step]], str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """The engine keeps what the failed update has left in state, and updates the object once."""
    config = {**stack_config(sandbox), "clouddb:retryTimeoutSeconds": "0"}
    former, new = (program([Step("it", "Connection", {**CONNECTION, "password": each})]) for each in PASSWORDS[:2])
    stack = engine(former, config=config, work_dir=tmp_path)
    stack.up()
    id_ = stack.resource("it").id
    sandbox.fault("update_connection", "commit_then_status", times=50, status=502)
    stack.set_program(new)
    stack.up(expect_failure=True)
    sandbox.clear_faults()
    assert sandbox.objects("connections")[id_]["password"] == PASSWORDS[1]
    stack.set_program(former)
    assert stack.preview(refresh=True).changes.get("update") == 1
    assert stack.up().changes.get("update") == 1
    assert sandbox.objects("connections")[id_]["password"] == PASSWORDS[0]
    assert stack.preview().changes.get("update") is None


PIPE, KEY = {"serviceId": "SERVICE", "pipeId": "PIPE"}, {"keyId": "KEY"}
OVERRIDES: dict[str, tuple[str, Values, Values]] = {
    "a property is added": ("PipeScaling", {**PIPE, "replicas": 3}, {**PIPE, "replicas": 3, "replicaMemoryGb": 8}),
    "it had its original value": ("PipeScaling", {**PIPE, "replicas": 1}, {**PIPE, "replicas": 3}),
    "a scaling of database pipes": (
        "PipeCdcScaling",
        {"serviceId": "SERVICE", "replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
        {"serviceId": "SERVICE", "replicaCpuMillicores": 4000, "replicaMemoryGb": 16},
    ),
    "an adopted key": ("ApiKey", {**KEY, "name": "ours"}, {**KEY, "name": "ours", "state": "disabled"}),
    "an adopted key with its original value": ("ApiKey", {**KEY, "state": "enabled"}, {**KEY, "state": "disabled"}),
}
"""What the update in doubt changes: the resource, and its inputs before and after."""


@pytest.mark.parametrize("way", ["destroyed", "put back", "another override of the object"])
@pytest.mark.parametrize(("kind", "before", "after"), OVERRIDES.values(), ids=OVERRIDES)
def test_override_restores_what_an_update_in_doubt_has_sent(
    kind: str, before: Values, after: Values, way: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """The process died before state had the result: its record tells what the deletion, or an update, restores."""
    service = sandbox.add("services", name="events", **PLACE)["id"]
    pipe = sandbox.add_pipe(service, name="clicks")["id"]
    sandbox.add_pipe(service, "postgres", name="orders")
    ids = {"SERVICE": service, "PIPE": pipe, "KEY": sandbox.add_key(name="ci")["key"]["id"]}
    first, then = ({name: ids.get(str(each), each) for name, each in given.items()} for given in (before, after))

    def served() -> list[Any]:
        pipes, scalings, keys = (sandbox.objects(each) for each in ("pipes", "pipe_cdc_scalings", "keys"))
        key = keys[ids["KEY"]]
        return deepcopy([pipes[pipe]["scaling"], scalings[service]["replicaMemoryGb"], key["name"], key["state"]])

    def process() -> ProviderProcess:
        return ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)

    resource, untouched = RESOURCES[kind], served()
    id_, state = process().create(kind, first, urn="urn:it")
    known = served()
    lifecycle.update(process().for_resource("urn:it"), resource, id_, state, then)
    assert served() != known
    if way == "destroyed":
        lifecycle.delete(process().for_resource("urn:it"), resource, id_, state)
        assert served() == untouched
    elif way == "put back":
        assert lifecycle.diff(process().for_resource("urn:it"), resource, id_, state, first).changed
        state = lifecycle.update(process().for_resource("urn:it"), resource, id_, state, first)
        assert served() == known
        assert not lifecycle.diff(process().for_resource("urn:it"), resource, id_, state, first).changed
    else:
        assert not lifecycle.diff(process().for_resource("urn:other"), resource, id_, state, first).changed


def test_replacement_after_an_update_in_doubt_keeps_the_original_values(sandbox: Sandbox, tmp_path: Path) -> None:
    """It deletes first, and dies after its create; the engine compares the state of the deleted override again."""
    service = sandbox.add("services", name="events", **PLACE)["id"]
    pipe = sandbox.add_pipe(service, name="clicks")["id"]
    untouched = deepcopy(sandbox.pipes[pipe]["scaling"])
    first = {"serviceId": service, "pipeId": pipe, "replicas": 3}
    then, resource = {**first, "replicas": 5}, RESOURCES["PipeScaling"]

    def run() -> Session:
        """Return the session of a run that has compared the override in state, which it replaces."""
        session = ProviderProcess(config_for(sandbox), tmp_path).for_resource("urn:it")
        lifecycle.diff(session, resource, id_, state, then)
        return session

    id_, state = ProviderProcess(config_for(sandbox), tmp_path).create("PipeScaling", first, urn="urn:it")
    lifecycle.update(run(), resource, id_, state, {**first, "replicaMemoryGb": 8})
    session = run()
    lifecycle.delete(session, resource, id_, state)
    lifecycle.create(session, resource, then)
    _, state = lifecycle.create(run(), resource, then)
    lifecycle.delete(run(), resource, id_, state)
    assert sandbox.pipes[pipe]["scaling"] == untouched
