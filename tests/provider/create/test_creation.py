"""Creating by evidence: no object is lost or created twice, and no other object is adopted, reset or deleted.

These are samples in real time, of services and keys. tests/simulation covers all created resources under a virtual
clock, and tests/faults covers every fault at every request.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client import sender
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ApiError, CloudDBError, ResourceError
from pulumi_clouddb.client.responses import date_of
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.services.api import Services
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
KEY = {"name": "ci", "roles": ["developer"]}


class Died(BaseException):
    """Raised in place of the death of a provider's process."""


@dataclass(frozen=True)
class Kind:
    """A resource that is created.

    Attributes:
        resource: Its name.
        objects: The sandbox's name for its objects.
        create: The operation that creates it.
        listed: The operation that lists it.
        inputs: The inputs.
        other: Another object with the same name.
        another: Inputs that allow a second object with the name.
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
    """Run a sandbox of each dialect."""
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
    """Return each resource with a secret that the server returns only once."""
    kind: Kind = request.param
    return kind


def made(sandbox: Sandbox, kind: Kind, before: set[str]) -> set[str]:
    """Return the ids of the new objects."""
    return set(sandbox.objects(kind.objects)) - before


def assert_works(sandbox: Sandbox, kind: Kind, object_id: str, state: dict[str, Any]) -> None:
    """Assert that the secrets in state work."""
    if kind.resource == "Service":
        assert sandbox.password_works(object_id, state["password"])
    if kind.resource == "ApiKey":
        with sandbox.management(state["accessKeyId"], state["keySecret"]) as client:
            assert client.get("/services").status_code == 200


def add_object(sandbox: Sandbox, kind: Kind, fields: dict[str, Any]) -> dict[str, Any]:
    """Create an object directly in the sandbox, and return it as stored."""
    answer = sandbox.add(kind.objects, **fields)
    document = answer.get("key", answer)
    return dict(sandbox.objects(kind.objects)[document["id"]])


# -- a lost response -----------------------------------------------------------------------------------------------


LOST: dict[str, tuple[str, dict[str, int]]] = {
    "the connection is reset": ("lose", {}),
    "status 500": ("commit_then_status", {"status": 500}),
    "a truncated response": ("broken_json", {}),
    "an empty result": ("malformed", {}),
}


@pytest.mark.parametrize(("fault", "details"), LOST.values(), ids=LOST)
def test_lost_response_loses_no_object(
    fault: str, details: dict[str, int], sandbox: Sandbox, kind: Kind, process_of: MakeProcess
) -> None:
    """The object is found by evidence, and its secrets work. In the clickhouse dialect, a key is not created again."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, fault, **details)
    object_id, state = process_of().create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)
    if kind.resource == "ApiKey" and sandbox.vocabulary == "clickhouse":
        assert sandbox.count("delete_key") == 0


def test_lost_object_is_found_if_the_server_returns_more(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown properties, also in nested parts, affect neither the mark nor the evidence."""
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


def test_no_key_remains_if_each_response_is_lost(process_of: MakeProcess) -> None:
    """Keys with a lost secret are deleted, also if that response is lost; the next run creates one that works."""
    with Sandbox(vocabulary="neutral") as sandbox:
        before = set(sandbox.keys)
        sandbox.fault("create_key", "lose", times=3)
        sandbox.fault("delete_key", "lose")
        with pytest.raises(CloudDBError, match="its secret was lost with the response each time"):
            process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert set(sandbox.keys) == before
        object_id, state = process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert set(sandbox.keys) == {*before, object_id}
        assert_works(sandbox, KINDS["key"], object_id, state)


def test_key_secret_is_never_sent(process_of: MakeProcess, sandbox: Sandbox) -> None:
    """In the clickhouse dialect, the request contains hashes; in the neutral one, the server makes the secret."""
    _, state = process_of().create("ApiKey", KEY)
    (request,) = [each for each in sandbox.requests if each.operation == "create_key"]
    if sandbox.vocabulary == "clickhouse":
        assert set(request.body["hashData"]) == {"keyIdHash", "keyIdSuffix", "keySecretHash"}
    else:
        assert "hashData" not in request.body
    assert state["keySecret"] not in str(request.body)


def test_late_commit_makes_no_duplicate(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies during its request, and the next run begins before the server carries the request out."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "commit_late", wait=1.5)
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", die)  # as soon as the connection breaks
    with pytest.raises(Died):
        first.create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == set()
    second = process_of()
    if sandbox.vocabulary == "neutral":
        # The next step would reset a password or delete a key: after a death, only a mark is enough for that.
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            second.create(kind.resource, kind.inputs)
        (late,) = made(sandbox, kind, before)
        assert late in str(refused.value)
        sandbox.remove(kind.objects, late)  # "delete those that nobody needs"
    object_id, state = second.create(kind.resource, kind.inputs)
    assert "a moment ago; waiting to see whether the server carries it out." in second.warnings[0]
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


def test_clock_set_back_causes_no_long_wait(
    sandbox: Sandbox, process_of: MakeProcess, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process died before the server got its request; its record now has a time in the future."""
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", die)
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


def die(_: object) -> None:
    """Die in place of a call."""
    raise Died


def test_lagging_list_is_read_several_times(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The list contains new objects only after some seconds; the object is found within four poll intervals."""
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    sandbox.fault(kind.listed, "lag", seconds=5.0, wait=0.5)
    object_id, state = process_of(pollIntervalSeconds=0.3).create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


def test_object_that_no_list_has_shown_is_found_by_the_next_run(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run gave up. Its record says that the request was sent, so that the object can be ours."""
    monkeypatch.setattr(sender, "date_of", lambda headers: (date_of(headers) or 0.0) + clock.total)
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    sandbox.fault(kind.listed, "lag", wait=60.0, times=5)
    with pytest.raises(ResourceError, match="the list shows no new one"):
        process_of(sleep=clock.sleep, pollIntervalSeconds=5).create(kind.resource, kind.inputs)
    sandbox.clear_faults()
    object_id, state = process_of().create(kind.resource, kind.inputs)
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


@pytest.mark.parametrize("status", [400, *(pytest.param(status, marks=pytest.mark.slow) for status in (404, 429))])
def test_object_of_a_refused_request_is_found(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, status: int
) -> None:
    """A gateway returns an error after the server has created the object."""
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


def test_request_delayed_by_the_rate_limit_is_found(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, clock: FakeClock
) -> None:
    """The time of the create is that of its request: in a large stack, requests wait minutes for their turn."""

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        sandbox.advance(seconds)

    process = process_of(sleep=sleep, pacing=True, pollIntervalSeconds=0.25, requestTimeoutSeconds=5)
    before, began = set(sandbox.objects(kind.objects)), time.monotonic()
    for _ in range(9):
        process.api.client.call(OPERATIONS[kind.listed])
    sandbox.fault(kind.create, "lose")
    object_id, state = process.create(kind.resource, kind.inputs)
    assert time.monotonic() - began > 9  # the limit allows ten requests in ten seconds
    assert made(sandbox, kind, before) == {object_id}
    assert_works(sandbox, kind, object_id, state)


@pytest.mark.parametrize("ahead", [-7200, -300, 300, 7200])
def test_gateway_with_another_clock_makes_no_duplicate(
    sandbox: Sandbox,
    kind: Kind,
    process_of: MakeProcess,
    clock: FakeClock,
    ahead: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The gateway's Date differs from createdAt: no run creates a second object, and each error names the first."""
    if sandbox.vocabulary == "clickhouse":
        pytest.skip("marks need no clock")
    monkeypatch.setattr(sender, "date_of", lambda headers: (date_of(headers) or 0.0) + ahead)
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create, "lose")
    for _ in range(2):
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            process_of(sleep=clock.sleep).create(kind.resource, kind.inputs)
        (first,) = made(sandbox, kind, before)
        assert first in str(refused.value)
        sandbox.advance(3 * 3600)  # the clock reaches the time that was ahead of it


# -- objects of others -----------------------------------------------------------------------------------------------


def test_object_of_the_same_name_is_not_changed(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The create failed on the server, and another object of that name is created before the next run."""
    sandbox.fault(kind.create, "status", status=502)
    process = process_of()
    with pytest.raises(CloudDBError, match="Run again: the next run checks once more before it creates another one"):
        process.create(kind.resource, kind.inputs)
    other = add_object(sandbox, kind, kind.other)
    before = set(sandbox.objects(kind.objects))
    if kind.resource == "Service":
        with pytest.raises(ResourceError, match=other["id"]):
            process_of().create(kind.resource, kind.inputs)
    else:
        object_id, _ = process_of().create(kind.resource, kind.inputs)
        assert made(sandbox, kind, before) == {object_id}
    assert sandbox.objects(kind.objects)[other["id"]] == other
    assert sandbox.count("reset_password") == sandbox.count("delete_key") == 0


def test_existing_object_returned_for_a_create_is_not_adopted(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may return the existing object of that name in place of a new one."""
    existing = add_object(sandbox, kind, kind.other)
    monkeypatch.setattr(Collection, "posted", lambda *_: {"service": existing, "key": existing, **existing})
    with pytest.raises(ResourceError, match="the list shows no new one"):
        process_of().create(kind.resource, {**kind.inputs, **kind.another})
    assert sandbox.objects(kind.objects)[existing["id"]] == existing


def test_used_key_is_not_deleted(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """The secret of a lost key is unknown, so a key that was used is not the lost one."""
    sandbox.fault("create_key", "status", status=502)
    with pytest.raises(CloudDBError):
        process_of().create("ApiKey", KEY)
    other = sandbox.add("keys", **KEY)
    with sandbox.management(other["keyId"], other["keySecret"]) as client:
        assert client.get("/services").status_code == 200
    object_id, _ = process_of().create("ApiKey", KEY)
    assert {object_id, other["key"]["id"]} <= set(sandbox.keys)


def test_two_candidates_are_left_alone(process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two equal new objects without a mark are no evidence: the error names both; following its advice helps."""
    with Sandbox(vocabulary="neutral") as sandbox:
        first = process_of(baseUrl=sandbox.url, **_identity(sandbox))
        monkeypatch.setattr(first.api.lists, "invalidate", die)  # as soon as the response is lost
        sandbox.fault("create_key", "lose")
        with pytest.raises(Died):
            first.create("ApiKey", KEY)
        other = sandbox.add("keys", **KEY)["key"]["id"]
        candidates = {key for key, value in sandbox.keys.items() if value["name"] == "ci"}
        assert other in candidates
        with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
            process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert all(each in str(refused.value) for each in candidates)
        assert sandbox.count("delete_key") == 0
        for key in candidates - {other}:  # "delete those that nobody needs"
            sandbox.remove("keys", key)
        (record,) = first.pending.folder.glob("*.json")
        advice = f"Delete those that nobody needs, or adopt one with keyId. If none is yours, delete {record}."
        assert str(refused.value).endswith(f"\n{advice} Then run again.")
        record.unlink()
        object_id, state = process_of(baseUrl=sandbox.url, **_identity(sandbox)).create("ApiKey", KEY)
        assert other in sandbox.keys
        assert_works(sandbox, KINDS["key"], object_id, state)


def _identity(sandbox: Sandbox) -> dict[str, str]:
    names = ("organizationId", "keyId", "keySecret", "vocabulary")
    return {name: sandbox.config[f"clouddb:{name}"] for name in names}


def test_taken_service_name_is_refused_with_an_import_hint(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """A service that was removed from state is neither adopted nor given another password."""
    process = process_of()
    service_id, state = process.create("Service", SERVICE)
    lifecycle.diff(process.for_resource("urn:Service:Orders"), RESOURCES["Service"], service_id, state, SERVICE)
    with pytest.raises(ResourceError, match=f"exists already, with the id {service_id}") as refused:
        process_of().create("Service", SERVICE)  # as after `pulumi state delete`
    assert str(refused.value).endswith(
        "\nIf resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, "
        "each with an alias of its old name. "
        "To replace it, set allowReplacement to true, and Pulumi's option deleteBeforeReplace on the resource. "
        "After a taint, `pulumi state untaint` keeps it. "
        "If another resource of the program gives this name up, let the new one depend on it (dependsOn). "
        f"If it is yours, import it (`pulumi import`, or `clouddb import-file`, with the id {service_id}), "
        "or delete it. Else choose another name, or set allowDuplicateName. "
        "`CLOUDDB_PREVIEW_ONLY=true pulumi preview` lists all of a program that exist already."
    )
    assert sandbox.password_works(service_id, state["password"])
    assert sandbox.count("reset_password") == 0
    imported, live = lifecycle.read(process_of(), RESOURCES["Service"], service_id, {}, {})
    assert (imported, live and live.inputs["name"]) == (service_id, "Orders")
    another, _ = process_of().create("Service", {**SERVICE, "allowDuplicateName": True}, urn="urn:another")
    assert set(sandbox.services) == {service_id, another}


def test_late_password_reset_does_not_invalidate_state(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """The response to the reset is lost, too, and the server carries it out after the next reset."""
    sandbox.fault("create_service", "lose")
    sandbox.fault("reset_password", "commit_late", wait=1.0)
    service_id, state = process_of(requestTimeoutSeconds=1).create("Service", SERVICE)
    while sandbox.count("reset_password") < 2:
        time.sleep(0.05)
    sandbox.advance(1.0)
    assert sandbox.password_works(service_id, state["password"])


# -- repeated names and several stacks ---------------------------------------------------------------------------------


def test_twelve_keys_of_one_name(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Two stacks on one machine create twelve keys of one name, four at a time, and two responses are lost."""
    patient = {"retryTimeoutSeconds": 20}  # on a busy machine, a list takes longer than a request may
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
    """With allowDuplicateName, each create makes its own service with its own password."""
    sandbox.set_latency(provision=0.3)
    process = process_of()
    inputs = {**SERVICE, "allowDuplicateName": True}
    with ThreadPoolExecutor(4) as threads:
        created = list(threads.map(lambda n: process.create("Service", inputs, urn=f"urn:{n}"), range(10)))
    assert set(sandbox.services) == {object_id for object_id, _ in created}
    assert all(sandbox.password_works(object_id, state["password"]) for object_id, state in created)


def test_second_service_of_one_name_in_a_program_is_refused(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Only one of two concurrent creates succeeds, although the list does not contain its service yet."""
    sandbox.set_latency(provision=1.0)
    sandbox.fault("list_services", "lag", seconds=30.0, wait=30.0)
    process = process_of()

    def create(number: int) -> str:
        try:
            return process.create("Service", SERVICE, urn=f"urn:{number}")[0]
        except ResourceError as error:
            return str(error)

    with ThreadPoolExecutor(2) as threads:
        results = sorted(threads.map(create, range(2)), key=len)
    assert list(sandbox.services) == results[:1]
    assert results[1] == (
        "service 'Orders' is being created by this program already; a second one of the same name is not created\n"
        "Two resources of the program have this name: give one of them another name, or set allowDuplicateName on both."
    )
    both = {**SERVICE, "allowDuplicateName": True}
    with ThreadPoolExecutor(2) as threads:
        created = set(
            threads.map(lambda number: process_of().create("Service", both, urn=f"urn:b{number}")[0], range(2))
        )
    assert set(sandbox.services) == {results[0], *created}
    assert len(created) == 2


def test_pending_create_of_another_stack_is_not_adopted(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """While stack A creates a service, stack B is refused the same name; then A resumes its create."""
    sandbox.set_latency(provision=30)
    first = process_of(sleep=die)
    with pytest.raises(Died):
        first.create("Service", SERVICE, urn="urn:pulumi:a::p::Service::orders")
    (service_id,) = sandbox.services
    with pytest.raises(ResourceError, match="exists already"):
        process_of().create("Service", SERVICE, urn="urn:pulumi:b::p::Service::orders")
    sandbox.advance(60)
    resumed, state = process_of().create("Service", SERVICE, urn="urn:pulumi:a::p::Service::orders")
    assert resumed == service_id
    assert_works(sandbox, KINDS["service"], service_id, state)


def test_lost_create_of_another_stack_is_not_adopted(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Two stacks lose the responses for equal services, and the list contains only the other stack's."""
    if sandbox.config["clouddb:vocabulary"] == "clickhouse":
        pytest.skip("its tag identifies each service")
    first = process_of(sleep=die)
    sandbox.fault("create_service", "lose")
    sandbox.fault("list_services", "lag", wait=60.0, times=3)
    with pytest.raises(Died):
        first.create("Service", {**SERVICE, "allowDuplicateName": True}, urn="urn:pulumi:a::p::Service::orders")
    (other,) = sandbox.services
    sandbox.fault("create_service", "refuse")  # looks like a lost response to the client
    with pytest.raises(ResourceError, match=f"nothing proves that it is one of: {other}"):
        process_of().create("Service", {**SERVICE, "allowDuplicateName": True}, urn="urn:pulumi:b::p::Service::orders")
    assert sandbox.count("reset_password") == 0


def test_create_that_has_listed_an_object_did_not_make_it(
    sandbox: Sandbox, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two dashboards have one name. The second create died before its request arrived: it leaves the first one's."""
    for urn, fault in (("urn:a", "lose"), ("urn:b", "refuse")):
        process = process_of()
        monkeypatch.setattr(process.api.lists, "invalidate", die)
        sandbox.fault("self_hosted_create_dashboard", fault)
        with pytest.raises(Died):
            process.create("Dashboard", {"name": "Orders", "tiles": []}, urn=urn)
    (made_by_a,) = [each["id"] for each in sandbox.dashboards.values() if each["name"] == "Orders"]
    assert process_of().create("Dashboard", {"name": "Orders", "tiles": []}, urn="urn:a")[0] == made_by_a


def test_concurrent_creates_on_two_machines_are_reported(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Nothing can prevent the second service; a warning names both ids."""
    sandbox.set_latency(provision=0.5)
    processes = [process_of("a"), process_of("b")]
    sandbox.fault("create_service", "delay", wait=0.3, times=2)
    with ThreadPoolExecutor(2) as threads:
        one, two = (made for made, _ in threads.map(lambda process: process.create("Service", SERVICE), processes))
    assert set(sandbox.services) == {one, two}
    warnings = {text for process in processes for text in process.warnings}
    assert warnings & {
        f"Another service is named 'Orders', too: {other}. It was created at the same moment as {own}, somewhere "
        "else. Delete the one that nobody needs."
        for own, other in ((one, two), (two, one))
    }


@pytest.fixture
def scaling(sandbox: Sandbox) -> WireDict:
    """Return the inputs of a scaling, for an existing pipe of a service."""
    service = sandbox.add("services", **SERVICE)["id"]
    pipe = next(id_ for id_, each in sandbox.pipes.items() if each["serviceId"] == service)
    return {"serviceId": service, "pipeId": pipe, "replicas": 3}


# -- state contains what the server has --------------------------------------------------------------------------------


def test_failed_update_of_an_adopted_service_stays_a_difference(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """State contains the server's values, and the next update sends the difference again."""
    open_to_all = {**SERVICE, "ipAccessList": [{"source": "0.0.0.0/0"}]}
    office = {**SERVICE, "ipAccessList": [{"source": "203.0.113.0/24"}]}
    sandbox.set_latency(provision=30)
    first = process_of(sleep=die)
    with pytest.raises(Died):
        first.create("Service", open_to_all)
    sandbox.advance(60)
    sandbox.fault("update_service", "status", status=500)
    process = process_of()
    service_id, state = process.create("Service", office)
    assert state["__settingsUnread"] is True
    assert "ipAccessList" in process.changes("Service", state, office)
    state = process.update("Service", service_id, state, office)
    assert [each["source"] for each in sandbox.services[service_id]["ipAccessList"]] == ["203.0.113.0/24"]
    assert process.changes("Service", state, office) == ()


def test_destroy_restores_what_the_last_attempt_read(
    sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess
) -> None:
    """After a refused attempt, another client changes the pipe and the key: destroy restores these values."""
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


def test_unreadable_scaling_is_not_overridden(sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess) -> None:
    """Destroy could not restore it, so nothing is changed."""
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


def test_404_for_a_restore_is_an_error(sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess) -> None:
    """The restoring request gets 404 once, and the delete fails: the next one restores the pipe and the key."""
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
def test_original_values_survive_a_death(
    sandbox: Sandbox, scaling: WireDict, process_of: MakeProcess, then: dict[str, Any] | None
) -> None:
    """The first attempt arrived and its process died, the second one failed: destroy restores the first values."""
    original = sandbox.pipes[scaling["pipeId"]]["scaling"]["replicas"]
    process_of().create("PipeScaling", scaling, urn="urn:pipe")  # state was never written
    if then:
        sandbox.fault("scale_pipe", **then)
        with pytest.raises(CloudDBError):
            process_of().create("PipeScaling", {**scaling, "replicas": 4}, urn="urn:pipe")
    process = process_of()
    object_id, state = process.create("PipeScaling", {**scaling, "replicas": 5}, urn="urn:pipe")
    process.delete("PipeScaling", object_id, state)
    assert sandbox.pipes[scaling["pipeId"]]["scaling"]["replicas"] == original


def test_adopted_key_is_not_taken_for_a_created_one(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """A run that adopted a key was interrupted, and the program now asks for a new key: the old one is kept."""
    existing = sandbox.add_key(name="old", roles=["developer"])["key"]
    process_of().create("ApiKey", {"keyId": existing["id"], "name": "ci", "roles": ["developer"]}, urn="urn:k")
    before = sandbox.keys[existing["id"]]
    object_id, state = process_of().create("ApiKey", KEY, urn="urn:k")
    assert object_id != existing["id"]
    assert sandbox.keys[existing["id"]] == before
    assert_works(sandbox, KINDS["key"], object_id, state)
    process = process_of()  # the other way round, a warning names the created key
    process.create("ApiKey", {"keyId": existing["id"], "name": "ci"}, urn="urn:k")
    assert process.warnings == [
        (
            f"An interrupted run was creating API key 'ci' (id {object_id}); the program no longer declares it. "
            "If it exists and nobody needs it, delete it by hand."
        )
    ]
    assert object_id in sandbox.keys


def test_wait_timeout_of_zero_skips_the_wait(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """`waitTimeoutMinutes: 0` causes no error, neither in the create nor in later updates."""
    sandbox.set_latency(provision=600)
    process = process_of()
    inputs = {**SERVICE, "waitTimeoutMinutes": 0}
    service_id, state = process.create("Service", inputs)
    assert (state["state"], state.get("lastError")) == ("provisioning", None)
    assert process.changes("Service", state, inputs) == ()
    state = process.update("Service", service_id, state, {**inputs, "name": "Other"})
    assert (state["name"], state.get("lastError")) == ("Other", None)


def test_odd_error_text_loses_no_service(sandbox: Sandbox, process_of: MakeProcess) -> None:
    """Text that the server returns during a wait is stored in state, with control characters escaped."""
    sandbox.set_latency(provision=600)
    sandbox.fault("list_services", "status", status=400, text="no\0text", form="text", after=1, times=9)
    service_id, state = process_of(pollIntervalSeconds=0.05).create("Service", SERVICE)
    assert "no\\u0000text" in state["lastError"]
    assert sandbox.password_works(service_id, state["password"])


# -- deletion by evidence ------------------------------------------------------------------------------------------


def test_404_for_a_list_does_not_mean_deleted(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """Delete and read then read the object itself."""
    process = process_of()
    object_id, state = process.create(kind.resource, kind.inputs)
    process.api.of(Services if kind.resource == "Service" else Keys).invalidate()
    sandbox.fault(kind.listed, "not_found", times=1)
    assert process.read(kind.resource, object_id, state)
    sandbox.fault(kind.listed, "not_found", times=1)
    process_of().delete(kind.resource, object_id, state)
    assert object_id not in sandbox.objects(kind.objects)


def test_page_in_place_of_a_list_is_no_empty_list(
    sandbox: Sandbox, kind: Kind, process_of: MakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gateway responds to the search for a lost object with a page: nothing is created, and the next run finds it."""
    before = set(sandbox.objects(kind.objects))
    first = process_of()
    monkeypatch.setattr(first.api.lists, "invalidate", die)
    sandbox.fault(kind.create, "lose")
    with pytest.raises(Died):
        first.create(kind.resource, kind.inputs)
    for after in (0, 1):  # at the first list, and at the second one
        sandbox.fault(kind.listed, "html", status=404, times=1, after=after)
        (lost,) = made(sandbox, kind, before)
        with contextlib.suppress(CloudDBError):
            object_id, _ = process_of().create(kind.resource, kind.inputs)
            assert object_id == lost
        assert made(sandbox, kind, before) == {lost}
        sandbox.clear_faults()


def test_404_for_a_delete_alone_is_an_error(sandbox: Sandbox, kind: Kind, process_of: MakeProcess) -> None:
    """The server responds 404 once for an existing object: the delete fails, and the object stays in state."""
    process = process_of()
    object_id, state = process.create(kind.resource, kind.inputs)
    before = set(sandbox.objects(kind.objects))
    sandbox.fault(kind.create.replace("create", "delete"), "not_found")
    with pytest.raises(CloudDBError):
        process.delete(kind.resource, object_id, state)
    assert set(sandbox.objects(kind.objects)) == before


def test_loopback_sandbox_ignores_proxies(
    monkeypatch: pytest.MonkeyPatch, process_of: MakeProcess, sandbox: Sandbox
) -> None:
    """A sandbox on loopback is reached even if HTTP_PROXY is set."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert isinstance(httpx.URL(sandbox.url).port, int)
    process_of().create("ApiKey", KEY)
    assert sandbox.count("create_key") == 1


def test_names_are_checked_again_after_429(sandbox: Sandbox, process_of: MakeProcess, clock: FakeClock) -> None:
    """While the create waits, another client creates a service of that name: the create is refused."""
    sandbox.fault("create_service", "rate_limit", reset=1.0)

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if not sandbox.services:
            sandbox.add("services", **SERVICE)

    with pytest.raises(ResourceError) as refused:
        process_of(sleep=sleep, retryTimeoutSeconds=20).create("Service", SERVICE)
    (other,) = sandbox.services
    assert other in str(refused.value)
    assert sandbox.count("create_service") == 1
