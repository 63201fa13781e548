"""Creating by evidence: nothing lost, nothing twice, and nobody else's object taken, reset or deleted.

A sample in real time, of services and keys. tests/simulation plays lives of all that is created, under a virtual clock,
and tests/faults every fault at every request.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from pulumi_clouddb.client import client
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ApiError, CloudDBError, ResourceError
from pulumi_clouddb.client.responses import date_of
from pulumi_clouddb.keys.api import Keys
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.services.api import Services
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY = {"name": "ci", "roles": ["developer"]}


class Died(BaseException):
    """The process of a provider has died at this point."""


@dataclass(frozen=True)
class Kind:
    """A resource that is created.

    Attributes:
        resource: Its name.
        objects: The sandbox's name for its objects.
        create: The operation that creates it.
        listed: The operation that lists it.
        inputs: What is asked for.
        other: An object of the same name that a colleague makes by hand.
        another: What allows a second one of the name.
    """

    resource: str
    objects: str
    create: str
    listed: str
    inputs: dict[str, Any]
    other: dict[str, Any]
    another: dict[str, Any] = field(default_factory=dict)


KINDS = {
    "service": Kind(
        *("Service", "services", "create_service", "list_services", SERVICE),
        other={**SERVICE, "numReplicas": 5},
        another={"allowDuplicateName": True},
    ),
    "key": Kind("ApiKey", "keys", "create_key", "list_keys", KEY, {"name": "ci", "roles": ["admin"]}),
}


@pytest.fixture(params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox of each dialect."""
    with Sandbox(vocabulary=request.param) as running:
        yield running


MakeProcess = Callable[..., ProviderProcess]


@pytest.fixture
def process_of(sandbox: Sandbox, tmp_path: Path) -> MakeProcess:
    """Make the session of a process on this machine, or on another one: `process_of(machine="b")`."""

    def make(machine: str = "a", sleep: Callable[[float], None] = time.sleep, **config: Any) -> ProviderProcess:
        folder = tmp_path / machine
        folder.mkdir(exist_ok=True)
        settings = {"requestTimeoutSeconds": 2, "retryTimeoutSeconds": 1, **config}
        return ProviderProcess(config_for(sandbox, **settings), folder, sleep=sleep)

    return make


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each resource that is created with what no server answers twice: a password, a secret."""
    found: Kind = request.param
    return found


def made(sandbox: Sandbox, kind: Kind, before: set[str]) -> set[str]:
    """Return the ids of the objects that are new."""
    return set(sandbox.objects(kind.objects)) - before


def assert_works(sandbox: Sandbox, kind: Kind, object_id: str, state: dict[str, Any]) -> None:
    """The secrets in state work."""
    if kind.resource == "Service":
        assert sandbox.password_works(object_id, state["password"])
    if kind.resource == "ApiKey":
        with sandbox.management(state["accessKeyId"], state["keySecret"]) as client:
            assert client.get("/services").status_code == 200


def colleague(sandbox: Sandbox, kind: Kind, fields: dict[str, Any]) -> dict[str, Any]:
    """Let a colleague make an object by hand, and return it as the server keeps it."""
    answer = sandbox.add(kind.objects, **fields)
    document = answer.get("key", answer)
    return dict(sandbox.objects(kind.objects)[document["id"]])


# -- a lost response -----------------------------------------------------------------------------------------------


LOST: dict[str, tuple[str, dict[str, int]]] = {
    "the connection is reset": ("lose", {}),
    "500 is answered": ("commit_then_status", {"status": 500}),
    "the response breaks off": ("broken_json", {}),
    "the response holds nothing": ("malformed", {}),
}


@pytest.mark.parametrize(("fault", "details"), LOST.values(), ids=LOST)
def test_a_lost_response_loses_nothing(
    fault: str, details: dict[str, int], sandbox: Sandbox, kind: Kind, process_of: MakeProcess
) -> None:
    """The object is found by evidence; its secrets work. A key of the vendor's dialect is not even made anew."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, fault, **details)
    object_id, state = process_of().create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)
    if kind.resource == "ApiKey" and sandbox.vocabulary == "clickhouse":
        assert sandbox.count("delete_key") == 0


def test_it_is_found_where_a_newer_server_answers_more(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark and the evidence count what they know of an object, also of the parts of it."""
    collection: Any = {"services": Services, "keys": Keys}[kind.objects]
    parsed = collection.parsed
    monkeypatch.setattr(collection, "parsed", lambda objects, record: parsed(objects, _with_more(record)))
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    inputs = {**kind.inputs, "ipAccessList": [{"source": "0.0.0.0/0", "description": "all"}]}
    object_id, state = process_of().create(kind.resource, inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


def _with_more(value: Any) -> Any:
    if isinstance(value, dict):
        return {**{name: _with_more(item) for name, item in value.items()}, "newer": {"than": "this package"}}
    return [_with_more(item) for item in value] if isinstance(value, list) else value


def test_no_key_stays_behind_while_each_response_is_lost(process_of: MakeProcess) -> None:
    """Keys whose secret nobody knows are deleted again; the next run makes one that works."""
    with Sandbox() as sandbox:
        before = set(sandbox.keys)
        sandbox.fault("create_key", "lose", times=3)
        with pytest.raises(CloudDBError, match="its secret was lost with the response each time"):
            process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert set(sandbox.keys) == before
        object_id, state = process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert set(sandbox.keys) == {*before, object_id}
        assert_works(sandbox, KINDS["key"], object_id, state)


def test_the_secret_of_a_key_never_crosses_the_wire(process_of: MakeProcess, sandbox: Sandbox) -> None:
    """In the vendor's dialect the server gets hashes, and answers neither id nor secret."""
    _, state = process_of().create("ApiKey", KEY)
    (request,) = [each for each in sandbox.requests if each.operation == "create_key"]
    if sandbox.vocabulary == "clickhouse":
        assert set(request.body["hashData"]) == {"keyIdHash", "keyIdSuffix", "keySecretHash"}
    else:
        assert "hashData" not in request.body
    assert state["keySecret"] not in str(request.body)


def test_a_late_commit_makes_no_duplicate(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies while its request is under way; the next run begins before the server carries it out."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "commit_late", wait=1.5)
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", _died)  # as soon as the connection breaks
    with pytest.raises(Died):
        first.create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == set()
    second = process_of()
    if sandbox.vocabulary == "neutral":
        # A password would be reset, or a key deleted: after a death only a mark is enough for that.
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            second.create(kind.resource, kind.inputs)
        (late,) = made(sandbox, kind, before)
        assert late in str(refused.value)
        sandbox.remove(kind.objects, late)  # "delete those that nobody needs"
    object_id, state = second.create(kind.resource, kind.inputs)
    assert "a moment ago; waiting to see whether the server carries it out." in second.warnings[0]
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


def test_a_clock_that_was_set_back_makes_no_long_wait(
    sandbox: Sandbox, process_of: MakeProcess, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died before the server got its request; the record of it is from the future by now."""
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", _died)
    sandbox.fault("create_service", "html")
    with pytest.raises(Died):
        first.create("Service", SERVICE)

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        assert clock.total < 60

    second = process_of(sleep=sleep)
    monkeypatch.setattr(second.runtime, "time", lambda: time.time() - 86_400)
    service_id, _ = second.create("Service", SERVICE)
    assert list(sandbox.services) == [service_id]


def died(_: float) -> None:
    """Die in place of waiting."""
    raise Died


def test_one_look_is_not_enough_for_a_list_that_lags(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The list shows new objects only after a while: four looks, one poll interval apart, find it."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    sandbox.fault(kind.listed, "lag", seconds=5.0, wait=0.5)
    object_id, state = process_of(pollIntervalSeconds=0.3).create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


@pytest.mark.parametrize("status", [400, *(pytest.param(status, marks=pytest.mark.slow) for status in (404, 429))])
def test_a_refusal_of_a_request_that_was_carried_out(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, status: int
) -> None:
    """A gateway refuses, or is busy, after the server has created the object: it is found all the same."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "commit_then_status", status=status)
    if sandbox.vocabulary == "neutral":
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            process_of().create(kind.resource, kind.inputs)
        (committed,) = made(sandbox, kind, before)
        assert committed in str(refused.value)
        sandbox.remove(kind.objects, committed)  # "delete those that nobody needs"
    object_id, state = process_of().create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


def test_a_request_that_waited_for_its_turn_is_found(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, clock: FakeClock
) -> None:
    """The time of the request is that at which it is sent: a large stack waits for the limit for minutes."""

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        sandbox.advance(seconds)

    process = process_of(sleep=sleep, pacing=True, pollIntervalSeconds=0.5)
    before = set(sandbox.objects(kind.objects))
    for _ in range(9):
        process.api.client.call(OPERATIONS[kind.listed])
    sandbox.fault(kind.create, "lose")
    object_id, state = process.create(kind.resource, kind.inputs)
    assert clock.total > 9  # the limit allows ten requests in ten seconds
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


@pytest.mark.parametrize("ahead", [-300, 300])
def test_a_gateway_with_another_clock_makes_no_duplicate(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, ahead: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes the Date header, and the server createdAt: no run creates a second one, and each names the first."""
    if sandbox.vocabulary == "clickhouse":
        pytest.skip("its marks need no clock")
    monkeypatch.setattr(client, "date_of", lambda headers: (date_of(headers) or 0.0) + ahead)
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    for _ in range(2):
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            process_of().create(kind.resource, kind.inputs)
        (first,) = made(sandbox, kind, before)
        assert first in str(refused.value)


# -- somebody else's object ----------------------------------------------------------------------------------------


def test_an_object_of_the_same_name_is_never_touched(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The server never carried the create out; a colleague makes one of that name before the next run."""
    sandbox.fault(kind.create, "status", status=502)
    process = process_of()
    with pytest.raises(CloudDBError, match="Run again: the next run checks once more before it creates another one"):
        process.create(kind.resource, kind.inputs)
    theirs = colleague(sandbox, kind, kind.other)
    before = set(sandbox.objects(kind.objects))
    if kind.resource == "Service":
        with pytest.raises(ResourceError, match=theirs["id"]):
            process_of().create(kind.resource, kind.inputs)
    else:
        object_id, _ = process_of().create(kind.resource, kind.inputs)
        assert made(sandbox, kind, before) == {object_id}
    assert sandbox.objects(kind.objects)[theirs["id"]] == theirs
    assert sandbox.count("reset_password") == sandbox.count("delete_key") == 0


def test_an_object_that_the_server_returns_again_is_not_taken(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another server may return the object of that name instead of a new one; it stays its owner's."""
    theirs = colleague(sandbox, kind, kind.other)
    monkeypatch.setattr(Collection, "posted", lambda *_: {"service": theirs, "key": theirs, **theirs})
    with pytest.raises(ResourceError, match="the list shows no new one"):
        process_of().create(kind.resource, {**kind.inputs, **kind.another})
    assert sandbox.objects(kind.objects)[theirs["id"]] == theirs


def test_a_key_that_was_used_is_somebody_elses(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Nobody knows the secret of a key whose response was lost, so nobody can have used it: this one stays."""
    sandbox.fault("create_key", "status", status=502)
    with pytest.raises(CloudDBError):
        process_of().create("ApiKey", KEY)
    theirs = sandbox.add("keys", **KEY)
    with sandbox.management(theirs["keyId"], theirs["keySecret"]) as client:
        assert client.get("/services").status_code == 200
    object_id, _ = process_of().create("ApiKey", KEY)
    assert {object_id, theirs["key"]["id"]} <= set(sandbox.keys)


def test_two_that_may_be_it_are_both_left_alone(process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mark, two new equal objects are no evidence: the error names both, and the way on leads out."""
    with Sandbox() as sandbox:
        first = process_of(baseUrl=sandbox.url, **_identity(sandbox))
        monkeypatch.setattr(first.api.lists, "invalidate", _died)  # as soon as the response is lost
        sandbox.fault("create_key", "lose")
        with pytest.raises(Died):
            first.create("ApiKey", KEY)
        theirs = sandbox.add("keys", **KEY)["key"]["id"]
        candidates = {key for key, value in sandbox.keys.items() if value["name"] == "ci"}
        assert theirs in candidates
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert all(each in str(refused.value) for each in candidates)
        assert sandbox.count("delete_key") == 0
        for key in candidates - {theirs}:  # "delete those that nobody needs"
            sandbox.remove("keys", key)
        (record,) = first.pending.folder.glob("*.json")
        way_on = f"Delete those that nobody needs, or adopt one with keyId. If none is yours, delete {record}."
        assert str(refused.value).endswith(f"\n{way_on} Then run again.")
        record.unlink()
        object_id, state = process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert theirs in sandbox.keys
        assert_works(sandbox, KINDS["key"], object_id, state)


def _identity(sandbox: Sandbox) -> dict[str, str]:
    names = ("organizationId", "keyId", "keySecret", "vocabulary")
    return {name: sandbox.config[f"clouddb:{name}"] for name in names}


def _died(_: object) -> None:
    raise Died


def test_a_name_that_is_taken_is_refused_with_the_way_to_import(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """A service that state no longer holds is neither adopted nor given another password."""
    process = process_of()
    service_id, state = process.create("Service", SERVICE)
    lifecycle.diff(process.for_resource("urn:Service:Orders"), RESOURCES["Service"], service_id, state, SERVICE)
    with pytest.raises(ResourceError, match=f"exists already, with the id {service_id}") as refused:
        process_of().create("Service", SERVICE)  # as after `pulumi state delete`
    assert str(refused.value).endswith(
        "\nIf resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, "
        "each with an alias of its old name. "
        "To replace it, set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource. "
        f"If it is yours, import it (`pulumi import`, or `clouddb import-file`, with the id {service_id}), "
        "or delete it. Else choose another name, or set allowDuplicateName. "
        "`CLOUDDB_PREVIEW_ONLY=true pulumi preview` lists all of a program that exist already."
    )
    assert sandbox.password_works(service_id, state["password"])
    assert sandbox.count("reset_password") == 0
    imported, live = lifecycle.read(process_of(), RESOURCES["Service"], service_id, {}, {})
    assert (imported, live and live.inputs["name"]) == (service_id, "Orders")
    another, _ = process_of().create("Service", {**SERVICE, "allowDuplicateName": True})
    assert set(sandbox.services) == {service_id, another}


def test_a_password_that_is_reset_late_is_the_one_in_state(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """The reset of the lost password is lost as well, and is carried out after the next one was sent."""
    sandbox.fault("create_service", "lose")
    sandbox.fault("reset_password", "commit_late", wait=1.0)
    service_id, state = process_of(requestTimeoutSeconds=1).create("Service", SERVICE)
    while sandbox.count("reset_password") < 2:
        time.sleep(0.05)
    time.sleep(1.2)
    assert sandbox.password_works(service_id, state["password"])


# -- repeated names and several stacks -----------------------------------------------------------------------------


def test_many_keys_of_one_name(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Two stacks on one machine make twelve keys of one name, four at a time, and two responses are lost."""
    patient = {"retryTimeoutSeconds": 20}  # where the machine is busy, a list takes longer than a request may
    stacks = [process_of(**patient), process_of(**patient)]
    sandbox.fault("create_key", "lose", times=2)

    def create(number: int) -> tuple[str, dict[str, Any]]:
        return stacks[number % 2].create("ApiKey", KEY, urn=f"urn:pulumi:stack{number % 2}::p::ApiKey::key{number}")

    with ThreadPoolExecutor(4) as threads:
        created = list(threads.map(create, range(12)))
    assert {object_id for object_id, _ in created} == {
        object_id for object_id, key in sandbox.keys.items() if key["name"] == "ci"
    }
    assert len({object_id for object_id, _ in created}) == 12
    for object_id, state in created:
        assert_works(sandbox, KINDS["key"], object_id, state)


def test_ten_services_of_one_name(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Where duplicates are asked for, each is one of its own, with a password of its own."""
    sandbox.set_latency(provision=0.3)
    process = process_of()
    inputs = {**SERVICE, "allowDuplicateName": True}
    with ThreadPoolExecutor(4) as threads:
        created = list(threads.map(lambda n: process.create("Service", inputs, urn=f"urn:{n}"), range(10)))
    assert set(sandbox.services) == {object_id for object_id, _ in created}
    assert all(sandbox.password_works(object_id, state["password"]) for object_id, state in created)


def test_a_second_service_of_one_name_under_way_is_refused(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """One program asks for two services of one name: one is made, although the list does not show it yet."""
    sandbox.set_latency(provision=1.0)
    sandbox.fault("list_services", "lag", seconds=30.0, wait=30.0)
    process = process_of()

    def create(number: int) -> str:
        try:
            return process.create("Service", SERVICE, urn=f"urn:{number}")[0]
        except ResourceError as error:
            return str(error)

    with ThreadPoolExecutor(2) as threads:
        answers = sorted(threads.map(create, range(2)), key=len)
    assert list(sandbox.services) == answers[:1]
    assert answers[1] == (
        "service 'Orders' is being created by this program already; a second one of the same name is not created\n"
        "Two resources of the program have this name: give one of them another name, or set allowDuplicateName on both."
    )
    both = {**SERVICE, "allowDuplicateName": True}
    with ThreadPoolExecutor(2) as threads:
        created = set(
            threads.map(lambda number: process_of().create("Service", both, urn=f"urn:b{number}")[0], range(2))
        )
    assert set(sandbox.services) == {answers[0], *created}
    assert len(created) == 2


def test_another_stack_takes_nothing(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """A service of stack A is being created when stack B asks for one of that name: B is refused, A resumes."""
    sandbox.set_latency(provision=30)
    first = process_of(sleep=died)
    with pytest.raises(Died):
        first.create("Service", SERVICE, urn="urn:pulumi:a::p::Service::orders")
    (service_id,) = sandbox.services
    with pytest.raises(ResourceError, match="exists already"):
        process_of().create("Service", SERVICE, urn="urn:pulumi:b::p::Service::orders")
    sandbox.advance(60)
    resumed, state = process_of().create("Service", SERVICE, urn="urn:pulumi:a::p::Service::orders")
    assert resumed == service_id
    assert_works(sandbox, KINDS["service"], service_id, state)


def test_an_open_create_of_another_stack_is_not_taken(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """The responses of two stacks are lost, whose services are equal, and the list shows only that of the other one."""
    if sandbox.config["clouddb:vocabulary"] == "clickhouse":
        pytest.skip("its tag tells each service from the other")
    first = process_of(sleep=died)
    sandbox.fault("create_service", "lose")
    sandbox.fault("list_services", "lag", wait=60.0, times=3)
    with pytest.raises(Died):
        first.create("Service", {**SERVICE, "allowDuplicateName": True}, urn="urn:pulumi:a::p::Service::orders")
    (theirs,) = sandbox.services
    sandbox.fault("create_service", "refuse")  # of which the client knows no more than of a lost response
    with pytest.raises(ResourceError, match=f"nothing proves that it is one of: {theirs}"):
        process_of().create("Service", {**SERVICE, "allowDuplicateName": True}, urn="urn:pulumi:b::p::Service::orders")
    assert sandbox.count("reset_password") == 0


def test_another_machine_creates_the_same_name_at_once(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Nothing can prevent it; a warning tells both ids afterwards."""
    sandbox.set_latency(provision=0.5)
    benches = [process_of("a"), process_of("b")]
    sandbox.fault("create_service", "delay", wait=0.3, times=2)
    with ThreadPoolExecutor(2) as threads:
        one, two = (made for made, _ in threads.map(lambda process: process.create("Service", SERVICE), benches))
    assert set(sandbox.services) == {one, two}
    warnings = {text for process in benches for text in process.warnings}
    assert warnings & {
        f"Another service is named 'Orders', too: {theirs}. It was created at the same moment as {own}, somewhere "
        "else. Delete the one that nobody needs."
        for own, theirs in ((one, two), (two, one))
    }


@pytest.fixture
def scaling(sandbox: Sandbox) -> WireDict:
    """Inputs of a scaling, of a pipe that a service came with."""
    service = sandbox.add("services", **SERVICE)["id"]
    pipe = next(id_ for id_, each in sandbox.pipes.items() if each["serviceId"] == service)
    return {"serviceId": service, "pipeId": pipe, "replicas": 3}


# -- state that is true --------------------------------------------------------------------------------------------


def test_what_an_adopted_service_lacks_stays_a_difference(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Its update was refused after it was found: state says what the server has, and the next update sends it again."""
    open_to_all = {**SERVICE, "ipAccessList": [{"source": "0.0.0.0/0"}]}
    office = {**SERVICE, "ipAccessList": [{"source": "203.0.113.0/24"}]}
    sandbox.set_latency(provision=30)
    first = process_of(sleep=died)
    with pytest.raises(Died):
        first.create("Service", open_to_all)
    sandbox.advance(60)
    sandbox.fault("update_service", "status", status=500)
    process = process_of()
    service_id, state = process.create("Service", office)
    assert "not brought up to date" in state["lastError"]
    assert "ipAccessList" in process.changes("Service", state, office)
    state = process.update("Service", service_id, state, office)
    assert [each["source"] for each in sandbox.services[service_id]["ipAccessList"]] == ["203.0.113.0/24"]
    assert process.changes("Service", state, office) == ()


def test_what_is_put_back_is_what_the_last_attempt_found(
    sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess
) -> None:
    """An attempt was refused; then somebody changed the pipe, and the key: that is what destroy puts back."""
    pipe = sandbox.pipes[scaling["pipeId"]]
    key = sandbox.add_key(name="old", roles=["developer"])["key"]
    adoption = {"keyId": key["id"], "roles": ["query_endpoints"]}
    for operation, resource, inputs in (("scale_pipe", "PipeScaling", scaling), ("update_key", "ApiKey", adoption)):
        sandbox.fault(operation, "status", status=500)
        with pytest.raises(ApiError):
            process_of().create(resource, inputs)
    sandbox.change("pipes", pipe["id"], scaling={**pipe["scaling"], "replicas": 7})
    sandbox.change("keys", key["id"], roles=["admin"])
    process = process_of()
    for resource, inputs in (("PipeScaling", scaling), ("ApiKey", adoption)):
        object_id, state = process.create(resource, inputs)
        process.delete(resource, object_id, state)
    assert sandbox.pipes[pipe["id"]]["scaling"]["replicas"] == 7
    assert sandbox.keys[key["id"]]["roles"] == ["admin"]


def test_what_cannot_be_read_is_not_overridden(sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess) -> None:
    """A scaling that cannot be read could not be put back: nothing is changed."""
    pipe = sandbox.pipes[scaling["pipeId"]]
    sandbox.fault("get_pipe", "wrong_types")
    with pytest.raises(CloudDBError) as refused:
        process_of().create("PipeScaling", scaling)
    assert str(refused.value) == (
        "PipeScaling: the server returned scaling with an unexpected type, so that destroying could not restore it\n"
        "Nothing was changed. Run again; if it happens again, a newer version of this package may read it."
    )
    assert sandbox.pipes[pipe["id"]] == pipe
    process_of().create("PipeScaling", scaling)
    assert sandbox.pipes[pipe["id"]]["scaling"]["replicas"] == 3


def test_one_404_is_not_enough_to_leave_an_override(
    sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess
) -> None:
    """The request that puts the pipe and the key back is answered 404 once: the next destroy puts them back."""
    pipe = sandbox.pipes[scaling["pipeId"]]
    key = sandbox.add_key(name="old", roles=["developer"])["key"]
    adoption = {"keyId": key["id"], "roles": ["admin"]}
    process = process_of()
    for operation, resource, inputs in (("scale_pipe", "PipeScaling", scaling), ("update_key", "ApiKey", adoption)):
        object_id, state = process.create(resource, inputs)
        sandbox.fault(operation, "not_found")
        with pytest.raises(CloudDBError):
            process.delete(resource, object_id, state)
        process.delete(resource, object_id, state)
    assert sandbox.pipes[pipe["id"]]["scaling"] == pipe["scaling"]
    assert sandbox.keys[key["id"]]["roles"] == ["developer"]


@pytest.mark.parametrize(
    "then", [None, {"kind": "refuse", "times": 2}, {"kind": "status", "status": 400}], ids=["", "lost", "refused"]
)
def test_what_is_put_back_is_remembered_over_a_death(
    sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess, then: dict[str, Any] | None
) -> None:
    """The first attempt arrived, and its process died; the next one, with another wish, did not: the first found it."""
    found = sandbox.pipes[scaling["pipeId"]]["scaling"]["replicas"]
    process_of().create("PipeScaling", scaling, urn="urn:pipe")  # state was never written
    if then:
        sandbox.fault("scale_pipe", **then)
        with pytest.raises(CloudDBError):
            process_of().create("PipeScaling", {**scaling, "replicas": 4}, urn="urn:pipe")
    process = process_of()
    object_id, state = process.create("PipeScaling", {**scaling, "replicas": 5}, urn="urn:pipe")
    process.delete("PipeScaling", object_id, state)
    assert sandbox.pipes[scaling["pipeId"]]["scaling"]["replicas"] == found


def test_a_key_that_was_adopted_is_never_taken_for_a_created_one(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """A run that adopted a key was interrupted; then the program asks for a new one instead: the old one stays."""
    theirs = sandbox.add_key(name="old", roles=["developer"])["key"]
    process_of().create("ApiKey", {"keyId": theirs["id"], "name": "ci", "roles": ["developer"]}, urn="urn:k")
    before = sandbox.keys[theirs["id"]]
    object_id, state = process_of().create("ApiKey", KEY, urn="urn:k")
    assert object_id != theirs["id"]
    assert sandbox.keys[theirs["id"]] == before
    assert_works(sandbox, KINDS["key"], object_id, state)
    process = process_of()  # and the other way round: what was created is named
    process.create("ApiKey", {"keyId": theirs["id"], "name": "ci"}, urn="urn:k")
    assert process.warnings == [
        (
            f"An interrupted run was creating API key 'ci' (id {object_id}); the program no longer asks for it. "
            "If it is there and nobody needs it, delete it by hand."
        )
    ]
    assert object_id in sandbox.keys


def test_nothing_is_waited_for_where_nobody_wants_to(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """`waitTimeoutMinutes: 0` is no failure, neither at creation nor at later updates."""
    sandbox.set_latency(provision=600)
    process = process_of()
    inputs = {**SERVICE, "waitTimeoutMinutes": 0}
    service_id, state = process.create("Service", inputs)
    assert (state["state"], state.get("lastError")) == ("provisioning", None)
    assert process.changes("Service", state, inputs) == ()
    state = process.update("Service", service_id, state, {**inputs, "name": "Other"})
    assert (state["name"], state.get("lastError")) == ("Other", None)


def test_odd_words_of_a_server_lose_no_service(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """What a server says while a service is waited for goes into state as it is: no object is lost for it."""
    sandbox.set_latency(provision=600)
    sandbox.fault("list_services", "status", status=400, text="no\0text", form="text", after=1, times=9)
    service_id, state = process_of(pollIntervalSeconds=0.05).create("Service", SERVICE)
    assert "no\\u0000text" in state["lastError"]
    assert sandbox.password_works(service_id, state["password"])


# -- deletion by evidence ------------------------------------------------------------------------------------------


def test_a_list_that_answers_404_does_not_mean_gone(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """Delete and read go on to the object itself."""
    process = process_of()
    object_id, state = process.create(kind.resource, kind.inputs)
    process.api.of(Services if kind.resource == "Service" else Keys).invalidate()
    sandbox.fault(kind.listed, "not_found", times=1)
    assert process.read(kind.resource, object_id, state)
    sandbox.fault(kind.listed, "not_found", times=1)
    process_of().delete(kind.resource, object_id, state)
    assert object_id not in sandbox.objects(kind.objects)


def test_a_page_in_place_of_a_list_is_no_empty_list(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway answers the look for a lost object with a page: nothing is created, and the next run finds it."""
    before = set(sandbox.objects(kind.objects))
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", _died)
    sandbox.fault(kind.create, "lose")
    with pytest.raises(Died):
        first.create(kind.resource, kind.inputs)
    for after in (0, 1):  # before the first look, and between two
        sandbox.fault(kind.listed, "html", status=404, times=1, after=after)
        (lost,) = made(sandbox, kind, before)
        with contextlib.suppress(CloudDBError):
            object_id, _ = process_of().create(kind.resource, kind.inputs)
            assert object_id == lost
        assert made(sandbox, kind, before) == {lost}
        sandbox.clear_faults()


def test_a_404_to_one_request_is_not_enough(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The server says once that it does not find a living object: nothing is dropped, and nothing made twice."""
    process = process_of()
    object_id, state = process.create(kind.resource, kind.inputs)
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create.replace("create", "delete"), "not_found")
    with pytest.raises(CloudDBError):
        process.delete(kind.resource, object_id, state)
    assert set(sandbox.objects(kind.objects)) == before


@pytest.mark.parametrize("odd", [{"name": "running"}, 5, ["running"]], ids=str)
def test_a_state_that_is_no_text_is_none(process_of: MakeProcess, odd: object) -> None:
    """Servers may answer anything: a state that is an object or a number counts as no state."""
    record = process_of().api.of(Services).parsed({"id": "1", "name": "Orders", "state": odd})
    assert (record.name, record.state) == ("Orders", None)


def test_pending_creates_are_readable_by_their_owner_only(process_of: MakeProcess, tmp_path: Path) -> None:
    """A record holds names, ids and digests; its file is for its owner."""
    process = process_of()
    process.create("ApiKey", KEY)
    (record,) = (tmp_path / "a" / "pending").glob("*.json")
    assert record.stat().st_mode & 0o777 == 0o600
    assert str(process.config.key_secret) not in record.read_text()
    assert time.time() - os.stat(record).st_mtime < 60


def test_proxies_are_nobodys_business(
    monkeypatch: pytest.MonkeyPatch, process_of: MakeProcess, sandbox: Sandbox
) -> None:
    """A sandbox on loopback is reached although a proxy is set."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert isinstance(httpx.URL(sandbox.url).port, int)
    process_of().create("ApiKey", KEY)
    assert sandbox.count("create_key") == 1


def test_after_429_it_is_looked_again(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """The server is busy for a second; meanwhile somebody creates a service of that name: there is no second one."""
    sandbox.fault("create_service", "rate_limit", reset=1.0)
    with ThreadPoolExecutor(1) as threads:
        creating = threads.submit(process_of(retryTimeoutSeconds=20).create, "Service", SERVICE)
        while not sandbox.count("create_service"):
            time.sleep(0.01)
        theirs = sandbox.add("services", **SERVICE)["id"]
        with pytest.raises(ResourceError, match=theirs):
            creating.result()
    assert sandbox.count("create_service") == 1
