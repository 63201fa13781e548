"""A server with the documented operations only: these work, all others fail clearly, and no state is lost."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError, UnsupportedOperationError
from pulumi_clouddb.registry import FUNCTIONS, OPERATIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.lifecycle import ReadResult
from pulumi_clouddb.schema.values import WireDict
from support.grpc_driver import HostError
from support.host import DynamicHost
from support.ids import CALM, LOGS
from support.sessions import ProviderProcess, config_for

SERIES = {"type": "time", "sourceId": LOGS, "aggFn": "count", "where": "", "groupBy": []}
TILE = {"name": "Rate", "x": 0, "y": 0, "w": 12, "h": 4, "series": [SERIES]}
ALERT: dict[str, Any] = {
    "threshold": 5,
    "interval": "5m",
    "thresholdType": "above",
    "channel": {"type": "webhook", "webhookId": CALM},
}
NOT_OFFERED = "This server does not offer it at this address. "


@pytest.fixture(scope="module", params=["neutral", "clickhouse"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Run a server that offers the documented operations only."""
    with Sandbox(documented_only=True, vocabulary=request.param) as running:
        yield running


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> Iterator[ProviderProcess]:
    """Return a new session for each test, with an empty request log."""
    sandbox.forget_requests()
    process = ProviderProcess(config_for(sandbox), tmp_path)
    yield process
    process.client.close()


def writes(sandbox: Sandbox) -> list[tuple[str | None, Any, int | None]]:
    """Return the operation, body and status of each request that is not a GET."""
    sent = [each for each in sandbox.requests if each.method != "GET"]
    return [(each.operation, _without_mark(each.body), each.status) for each in sent]


def _without_mark(body: Any) -> Any:
    return {name: value for name, value in body.items() if name != "tags"} if isinstance(body, dict) else body


def assert_unchanged(live: ReadResult, state: WireDict) -> None:
    """Assert that a read changed neither state nor inputs."""
    assert live.state == state
    assert live.inputs == {name: state[name] for name in state["__managed"]}


@contextmanager
def not_offered(action: str) -> Iterator[None]:
    """Assert that the block raises an error that names the action and says that the server does not offer it."""
    with pytest.raises(UnsupportedOperationError) as caught:
        yield
    first, second = str(caught.value).split("\n")
    assert first.startswith(f"could not {action}: ")
    assert second.startswith(NOT_OFFERED)
    assert second.endswith("; if the server has it under another path, set clouddb:paths.")


def a_service(_: Sandbox) -> WireDict:
    """Return the inputs of a service."""
    return {"name": f"Stays {uuid.uuid4().hex[:8]}", "numReplicas": 3}


def a_managed_alert(sandbox: Sandbox) -> WireDict:
    """Return the inputs of an alert on a tile of a service's dashboard."""
    service = sandbox.add("services", name="stack")["id"]
    dashboard = sandbox.add("dashboards", serviceId=service, name="d", tiles=[TILE])
    tile = dashboard["tiles"][0]["id"]
    return {**ALERT, "serviceId": service, "dashboardId": dashboard["id"], "tileId": tile, "name": "Too many"}


CREATED: dict[str, tuple[str, str, Callable[[Sandbox], WireDict], dict[str, WireDict]]] = {
    "a service": (
        "Service",
        "services",
        a_service,
        {"update the service": {"name": "Renamed"}, "scale the service": {"numReplicas": 4}},
    ),
    "an alert": ("Alert", "alerts", a_managed_alert, {"update the alert": {"threshold": 7}}),
}
"""All that this server can create: resource, collection, inputs, and updates by the action that they need."""


@pytest.mark.parametrize(("name", "created"), CREATED.items(), ids=CREATED)
def test_created_object_without_other_operations_stays_in_state(
    sandbox: Sandbox,
    process: ProviderProcess,
    name: str,
    created: tuple[str, str, Callable[[Sandbox], WireDict], dict[str, WireDict]],
) -> None:
    """One warning says that no list was read. A refresh keeps state; update and delete raise."""
    resource, objects, inputs_of, updates = created
    inputs = inputs_of(sandbox)
    made, state = process.create(resource, inputs)
    before = sandbox.objects(objects)[made]
    assert before["name"] == inputs["name"]
    assert [(operation, status) for operation, _, status in writes(sandbox)] == [(f"create_{name.split()[1]}", 200)]
    (warning,) = process.warnings
    assert "does not list existing objects" in warning
    assert process.changes(resource, state, inputs) == ()
    for _ in range(2):
        assert_unchanged(process.read(resource, made, state), state)
    assert process.warnings[1:] == [f"This server offers no way to read {name}; its state is kept as it is."]
    for action, change in updates.items():
        with not_offered(action):
            process.update(resource, made, state, {**inputs, **change})
    with not_offered(f"delete the {name.split()[1]}"):
        process.delete(resource, made, state)
    assert sandbox.objects(objects)[made] == before


def test_service_is_created(sandbox: Sandbox, process: ProviderProcess) -> None:
    """It counts as ready, and its password works."""
    made, state = process.create("Service", {"name": "Documented", "numReplicas": 3})
    assert sandbox.services[made]["name"] == "Documented"
    assert sandbox.password_works(made, state["password"])
    assert "state" not in state
    assert "lastError" not in state
    assert (state["numReplicas"], state["endpoints"][0]["protocol"]) == (3, "https")
    assert "service 'Documented'" in process.warnings[0]
    assert writes(sandbox) == [("create_service", {"name": "Documented", "numReplicas": 3}, 200)]


def test_lost_service_must_be_found_by_hand(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Without a list, no run can find it; after the steps of the advice, a create succeeds."""
    sandbox.fault("create_service", "lose")
    with pytest.raises(ResourceError) as caught:
        process.create("Service", {"name": "Lost"})
    (record,) = process.pending.folder.glob("*.json")
    by_hand = f"Search the server for it, and delete it if it exists. Then delete {record} and run again."
    assert str(caught.value).endswith(f"and this server offers no list to find it in\n{by_hand}")
    with pytest.raises(ResourceError) as caught:
        process.create("Service", {"name": "Lost"})
    assert str(caught.value).endswith(f"\n{by_hand}")
    (lost,) = [id_ for id_, each in sandbox.services.items() if each["name"] == "Lost"]
    sandbox.remove("services", lost)
    record.unlink()
    made, _ = process.create("Service", {"name": "Lost"})
    assert made in sandbox.services


def test_service_options_change_without_a_request(process: ProviderProcess) -> None:
    """Options are never sent, so changing them needs no operation."""
    inputs = {"name": "Options", "endpoints": [{"protocol": "mysql", "enabled": True}]}
    made, state = process.create("Service", inputs)
    updated = process.update("Service", made, state, {**inputs, "deletionProtection": True})
    managed = sorted([*inputs, "deletionProtection"])
    assert updated == {**state, "deletionProtection": True, "__managed": managed}


def test_key_options_change_without_a_request(sandbox: Sandbox, process: ProviderProcess) -> None:
    """State keeps the server's values of the unmanaged fields."""
    key = sandbox.add_key(name="before", roles=["developer"])["key"]["id"]
    inputs = {"keyId": key, "name": "managed"}
    made, state = process.create("ApiKey", inputs)
    assert state["roles"] == ["developer"]
    updated = process.update("ApiKey", made, state, {**inputs, "onDelete": "retain"})
    assert updated == {**state, "onDelete": "retain", "__managed": ["keyId", "name", "onDelete"]}
    assert len(writes(sandbox)) == 2


def test_scaling_life_cycle(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Create, drift, repair, update, removal of a field, and restoration of the original scaling."""
    service = sandbox.add("services", name="pipes")["id"]
    pipe = sandbox.add_pipe(service, "kafka")["id"]
    original = sandbox.pipes[pipe]["scaling"]
    inputs = {"serviceId": service, "pipeId": pipe, "replicas": 4, "replicaMemoryGb": 2}
    made, state = process.create("PipeScaling", inputs)
    assert state["originalScaling"] == original
    assert state["effectiveScaling"] == {**original, "replicas": 4, "replicaMemoryGb": 2}
    assert process.changes("PipeScaling", process.read("PipeScaling", made, state).state, inputs) == ()

    sandbox.change("pipes", pipe, scaling={**original, "replicas": 9, "replicaMemoryGb": 2})
    live = process.read("PipeScaling", made, state)
    assert live.inputs == {**inputs, "replicas": 9}
    assert process.changes("PipeScaling", live.state, inputs) == ("replicas",)
    state = process.update("PipeScaling", made, live.state, inputs)
    assert sandbox.pipes[pipe]["scaling"]["replicas"] == 4

    state = process.update("PipeScaling", made, state, {**inputs, "replicaCpuMillicores": 500})
    assert sandbox.pipes[pipe]["scaling"]["replicaCpuMillicores"] == 500
    less = {name: value for name, value in inputs.items() if name != "replicaMemoryGb"}
    state = process.update("PipeScaling", made, state, less)
    assert sandbox.pipes[pipe]["scaling"] == {**original, "replicas": 4}

    process.delete("PipeScaling", made, state)
    assert sandbox.pipes[pipe]["scaling"] == original
    assert process.warnings == []


def test_adopted_key_life_cycle(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Adopt, drift, repair, update and restoration, which says that the key stays; an empty update reads the key."""
    key = sandbox.add_key(name="before", roles=["developer"], expireAt="2029-05-05T00:00:00Z")["key"]["id"]
    original = sandbox.keys[key]
    inputs = {"keyId": key, "name": "managed", "roles": ["query_endpoints", "developer"]}
    made, state = process.create("ApiKey", inputs)
    assert made == key
    assert state["adopted"] is True
    assert (state["original"]["name"], state["original"]["roles"]) == ("before", ["developer"])
    changed = {"name": "managed", "roles": ["query_endpoints", "developer"]}
    # The interface documents the update and no read; an update without fields returns the key.
    assert writes(sandbox) == [("update_key", {}, 200), ("update_key", changed, 200)]
    assert process.changes("ApiKey", process.read("ApiKey", made, state).state, inputs) == ()

    sandbox.change("keys", key, name="other")
    live = process.read("ApiKey", made, state)
    assert live.inputs == {**inputs, "name": "other"}
    state = process.update("ApiKey", made, live.state, inputs)
    assert sandbox.keys[key]["name"] == "managed"

    more = {**inputs, "expireAt": "2031-01-01T00:00:00+01:00"}
    state = process.update("ApiKey", made, state, more)
    assert sandbox.keys[key]["expireAt"] == "2030-12-31T23:00:00.000Z"
    assert process.changes("ApiKey", process.read("ApiKey", made, state).state, more) == ()
    state = process.update("ApiKey", made, state, inputs)
    assert sandbox.keys[key]["expireAt"] == original["expireAt"]

    process.delete("ApiKey", made, state)
    assert {**sandbox.keys[key], "usedAt": None} == {**original, "usedAt": None}
    (warning,) = process.warnings
    assert "still exists, as it was before this resource adopted it.\n" in warning


def test_state_of_an_adopted_key_is_set_though_responses_lack_it(sandbox: Sandbox, process: ProviderProcess) -> None:
    """`state` is sent and kept in state; destroy warns that it cannot restore it."""
    key = sandbox.add_key(name="before")["key"]["id"]
    inputs = {"keyId": key, "state": "disabled"}
    made, state = process.create("ApiKey", inputs)
    assert sandbox.keys[key]["state"] == "disabled"
    live = process.read("ApiKey", made, state)
    assert (live.state["state"], live.inputs) == ("disabled", inputs)
    process.delete("ApiKey", made, state)
    (warning,) = process.warnings
    assert "except for state, which this server did not report then" in warning


def test_missing_key_cannot_be_adopted(process: ProviderProcess) -> None:
    """The server's 404 to the update becomes an error of two lines."""
    missing = "11111111-2222-4333-8444-555555555555"
    with pytest.raises(Exception, match=f"API key {missing} does not exist") as caught:
        process.create("ApiKey", {"keyId": missing, "name": "managed"})
    assert str(caught.value).count("\n") == 1


@pytest.mark.parametrize("objects", ["pipes", "keys"])
def test_missing_object_is_dropped(sandbox: Sandbox, process: ProviderProcess, objects: str) -> None:
    """The API's own 404 removes it from state in a refresh, and lets a delete succeed."""
    service = sandbox.add("services", name="pipes")["id"]
    pipe, key = sandbox.add_pipe(service, "kafka")["id"], sandbox.add_key(name="before")["key"]["id"]
    resource, id_, inputs = {
        "pipes": ("PipeScaling", pipe, {"serviceId": service, "pipeId": pipe, "replicas": 4}),
        "keys": ("ApiKey", key, {"keyId": key, "name": "managed"}),
    }[objects]
    made, state = process.create(resource, inputs)
    sandbox.remove(objects, id_)
    assert lifecycle.read(process, RESOURCES[resource], made, state, {})[1] is None
    process.delete(resource, made, state)


def test_new_key_cannot_be_created(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Creating keys is an inferred operation; the error says that the server does not offer it."""
    before = set(sandbox.keys)
    with not_offered("create the key"):
        process.create("ApiKey", {"name": "new", "roles": ["developer"]})
    assert set(sandbox.keys) == before


def test_documented_lists_work(sandbox: Sandbox, process: ProviderProcess) -> None:
    """These are dashboards in both forms, self-hosted alerts and one self-hosted alert."""
    service = sandbox.add("services", name="stack")["id"]
    managed = sandbox.add("dashboards", serviceId=service, name="managed", tiles=[TILE])
    hosted = sandbox.add("dashboards", name="hosted", tiles=[TILE])
    alert = sandbox.add("alerts", name="a", dashboard=hosted["id"], tileId=hosted["tiles"][0]["id"], **ALERT)

    def call(name: str, **arguments: str) -> Any:
        return FUNCTIONS[name].call(process, arguments)

    assert [each["id"] for each in call("listDashboards", serviceId=service)["dashboards"]] == [managed["id"]]
    assert hosted["id"] in [each["id"] for each in call("listDashboards")["dashboards"]]
    assert alert["id"] in [each["id"] for each in call("listAlerts")["alerts"]]
    assert call("getAlert", alertId=alert["id"])["threshold"] == 5


@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("listServices", (), "list the services"),
        ("getService", ("serviceId",), "read the service"),
        ("listPipes", ("serviceId",), "list the pipes"),
        ("listAlerts", ("serviceId",), "list the alerts"),
        ("listSources", ("serviceId",), "list the data sources"),
        ("listSources", (), "list the data sources"),
    ],
)
def test_unsupported_functions_raise(
    name: str, arguments: tuple[str, ...], action: str, process: ProviderProcess
) -> None:
    """The error says that the server does not offer the operation."""
    with not_offered(action):
        FUNCTIONS[name].call(process, dict.fromkeys(arguments, "11111111-2222-4333-8444-555555555555"))


@pytest.mark.parametrize("managed", [True, False], ids=["managed", "self-hosted"])
def test_dashboard_cannot_be_created_or_changed(sandbox: Sandbox, process: ProviderProcess, managed: bool) -> None:
    """Writing dashboards is inferred; the error says that the server does not offer it."""
    where = {"serviceId": sandbox.add("services", name="stack")["id"]} if managed else {}
    inputs = {**where, "name": "new", "tiles": [TILE]}
    with not_offered("create the dashboard"):
        process.create("Dashboard", inputs)
    made = sandbox.add("dashboards", **inputs)
    state = {**inputs, "tileIds": {"Rate": made["tiles"][0]["id"]}, "__managed": sorted(inputs)}
    with not_offered("update the dashboard"):
        process.update("Dashboard", made["id"], state, {**inputs, "name": "other"})
    with not_offered("delete the dashboard"):
        process.delete("Dashboard", made["id"], state)
    assert made["id"] in sandbox.dashboards


def test_self_hosted_alert_cannot_be_created(sandbox: Sandbox, process: ProviderProcess) -> None:
    """Only the managed form documents the creation of alerts."""
    dashboard = sandbox.add("dashboards", name="d", tiles=[TILE])
    inputs = {**ALERT, "dashboardId": dashboard["id"], "tileId": dashboard["tiles"][0]["id"]}
    with not_offered("create the alert"):
        process.create("Alert", inputs)


def test_missing_list_is_requested_twice(sandbox: Sandbox, process: ProviderProcess) -> None:
    """The first response may come from a gateway; after the second, further creates send no list request."""
    for number in range(3):
        process.create("Service", {"name": f"Once {number}"})
    asked = [each for each in sandbox.requests if each.method == "GET"]
    assert [each.path for each in asked] == [f"/v1/organizations/{sandbox.organization_id}/services"] * 2


def test_sandbox_offers_documented_operations_only(sandbox: Sandbox, process: ProviderProcess) -> None:
    """The only request that succeeds in a create is the create itself."""
    process.create("Service", {"name": "Proof"})
    succeeded = {each.operation for each in sandbox.requests if each.status == 200}
    assert succeeded == {"create_service"}
    assert all(OPERATIONS[str(name)].documented for name in succeeded)


def test_dynamic_host_reports_an_unsupported_delete(sandbox: Sandbox, tmp_path: Path) -> None:
    """The message has two lines and no traceback; a refresh before it keeps the service."""
    with DynamicHost(sandbox.config, tmp_path) as host:
        made = host.create("Service", host.check("Service", {"name": "Terminal"}).inputs)
        read = host.read("Service", made.id, made.outputs)
        assert (read.id, read.outputs, read.inputs) == (made.id, made.outputs, {"name": "Terminal"})
        with pytest.raises(HostError) as caught:
            host.delete("Service", made.id, made.outputs)
        assert str(caught.value).startswith("clouddb: could not delete the service: DELETE ")
        (hint,) = str(caught.value).rstrip().split("\n")[1:]
        assert hint.startswith(NOT_OFFERED)
