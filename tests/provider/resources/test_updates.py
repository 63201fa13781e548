"""Updates: state contains what was sent and returned, and small changes count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import fill
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import CloudDBError, RateLimitError
from pulumi_clouddb.client.operation import Forms
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.state import unpacked
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from support.ids import CALM, LOGS
from support.sessions import ProviderProcess, config_for

SERVICE = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
OFFICE: list[WireDict] = [{"source": "203.0.113.0/24", "description": "Office"}]
HOME: list[WireDict] = [{"source": "198.51.100.7", "description": "Home"}]
TILE = {"name": "errors", "x": 0, "y": 0, "w": 4, "h": 2, "series": [{"type": "time", "aggFn": "count", "where": ""}]}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Run one sandbox for all tests."""
    with Sandbox(vocabulary="neutral") as running:
        yield running


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """Return a session with its own folder, on an empty server."""
    sandbox.reset()
    return ProviderProcess(config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=1), tmp_path)


@pytest.mark.parametrize(("resource", "objects"), [("Service", "services"), ("ApiKey", "keys")])
def test_changed_description_of_an_address_is_a_change(
    process: ProviderProcess, sandbox: Sandbox, resource: str, objects: str
) -> None:
    """The entry gets the new description, and is neither lost nor duplicated."""
    base = SERVICE if resource == "Service" else {"name": "ci", "roles": ["developer"]}
    before = {**base, "ipAccessList": [{"source": "203.0.113.0/24", "description": "Office"}]}
    after = {**base, "ipAccessList": [{"source": "203.0.113.0/24", "description": "Home"}]}
    object_id, state = process.create(resource, before)
    assert process.changes(resource, state, after) == ("ipAccessList",)
    state = process.update(resource, object_id, state, after)
    assert sandbox.objects(objects)[object_id]["ipAccessList"] == after["ipAccessList"]
    assert process.changes(resource, state, after) == ()


@pytest.mark.parametrize("wanted", [OFFICE, [*OFFICE, *HOME]], ids=["one removed", "one added"])
def test_access_list_is_correct_after_a_lagging_list(
    process: ProviderProcess, sandbox: Sandbox, wanted: list[WireDict], tmp_path: Path
) -> None:
    """The list before the update has an earlier state; the response to the update shows the result."""
    now, earlier = ([*OFFICE, *HOME], OFFICE) if wanted == OFFICE else (OFFICE, [*OFFICE, *HOME])
    object_id, state = process.create("Service", {**SERVICE, "ipAccessList": now})
    next_run = ProviderProcess(config_for(sandbox, pollIntervalSeconds=60), tmp_path)
    sandbox.change("services", object_id, ipAccessList=earlier)
    lifecycle.read(next_run, RESOURCES["Service"], object_id, state, {})
    sandbox.change("services", object_id, ipAccessList=now)
    next_run.update("Service", object_id, state, {**SERVICE, "ipAccessList": wanted})
    assert sandbox.objects("services")[object_id]["ipAccessList"] == wanted
    assert sandbox.count("update_service") == 2


def test_three_403_responses_end_a_wait(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The service is in state with the reason."""
    sandbox.set_latency(provision=30)
    sandbox.fault("list_services", "status", status=403, after=1, times=50)
    _, state = process.create("Service", SERVICE)
    assert "stopped waiting until it is running" in state["lastError"]
    sandbox.clear_faults()
    sandbox.set_latency(provision=0)


def test_state_of_an_alert_is_the_servers(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The response to a full replacement is stored, not only what was sent."""
    dashboard = sandbox.add("dashboards", name="Orders", tiles=[TILE])
    inputs = {
        "dashboardId": dashboard["id"],
        "tileId": dashboard["tiles"][0]["id"],
        "threshold": 1,
        "interval": "5m",
        "thresholdType": "above",
        "channel": {"type": "webhook", "webhookId": CALM},
    }
    object_id, state = process.create("Alert", inputs)
    sandbox.change("alerts", object_id, state="active", team="t2")
    state = process.update("Alert", object_id, state, {**inputs, "threshold": 2})
    server = sandbox.alerts[object_id]
    assert (state["state"], state["team"], state["updatedAt"]) == ("active", "t2", server["updatedAt"])


def test_state_of_a_dashboard_contains_the_response(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Drift is compared with the server's own form, including what it added."""
    object_id, state = process.create("Dashboard", {"name": "Orders", "tiles": [TILE]})
    state = process.update("Dashboard", object_id, state, {"name": "Sales", "tiles": [TILE]})
    served = unpacked(DASHBOARD, state)[1]["__served"]
    assert served["tiles"] == sandbox.dashboards[object_id]["tiles"]
    assert served["name"] == "Sales"


def test_one_404_does_not_drop_an_override(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Dropping it would lose the original values."""
    service = sandbox.add("services", **SERVICE)
    pipe = next(each for each in sandbox.pipes.values() if each["serviceId"] == service["id"])
    object_id, state = process.create("PipeScaling", {"serviceId": service["id"], "pipeId": pipe["id"], "replicas": 3})
    sandbox.fault("get_pipe", "not_found")
    assert process.read("PipeScaling", object_id, state).state["originalScaling"] == state["originalScaling"]


def test_invalid_password_is_reset_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A reset without a text password leaves the service in state with an error; the next update resets it again."""
    sandbox.fault("create_service", "lose")
    sandbox.fault("reset_password", "wrong_types")
    object_id, state = process.create("Service", SERVICE)
    assert "password" not in state
    assert "not returned" in state["lastError"]
    state = process.update("Service", object_id, state, SERVICE)
    assert sandbox.password_works(object_id, state["password"])


def test_partly_failed_update_is_completed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The name arrived and the scaling did not: the next update sends the difference."""
    object_id, state = process.create("Service", SERVICE)
    after = {**SERVICE, "name": "Sales", "numReplicas": 5}
    sandbox.fault("scale_service", "status", status=500)
    with pytest.raises(CloudDBError):
        process.update("Service", object_id, state, after)
    assert "numReplicas" in process.changes("Service", state, after)
    state = process.update("Service", object_id, state, after)
    server = sandbox.services[object_id]
    assert (server["name"], server["numReplicas"]) == ("Sales", 5)
    assert process.changes("Service", state, after) == ()


GONE = {
    "a service": ("Service", "services", SERVICE, {"name": "Sales"}),
    "a key": ("ApiKey", "keys", {"name": "ci", "roles": ["developer"]}, {"name": "deploy"}),
    "a dashboard": ("Dashboard", "dashboards", {"name": "Orders", "tiles": [TILE]}, {"name": "Sales"}),
}


@pytest.mark.parametrize(("resource", "objects", "inputs", "change"), GONE.values(), ids=GONE)
def test_update_of_a_deleted_object_is_an_error(
    process: ProviderProcess, sandbox: Sandbox, resource: str, objects: str, inputs: WireDict, change: WireDict
) -> None:
    """After a refresh, as the error advises, state drops the object, and the next run creates another one."""
    object_id, state = process.create(resource, inputs)
    sandbox.remove(objects, object_id)
    with pytest.raises(CloudDBError) as caught:
        process.update(resource, object_id, state, {**inputs, **change})
    assert str(caught.value).split("\n")[1:] == ["If somebody has deleted it, run `pulumi refresh`, then run again."]
    assert lifecycle.read(process, RESOURCES[resource], object_id, state, {})[1] is None
    again, _ = process.create(resource, {**inputs, **change})
    assert again in sandbox.objects(objects)


@pytest.mark.parametrize("kind", ["lose", "commit_then_status", "broken_json"])
def test_lost_response_to_an_update_causes_no_second_one(process: ProviderProcess, sandbox: Sandbox, kind: str) -> None:
    """A read shows that the update succeeded."""
    object_id, state = process.create("Service", SERVICE)
    sandbox.fault("update_service", kind)
    state = process.update("Service", object_id, state, {**SERVICE, "name": "Sales"})
    assert state["name"] == sandbox.services[object_id]["name"] == "Sales"
    assert sandbox.count("update_service") == 1


def test_setting_the_servers_value_makes_it_managed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Setting it is a change that sends nothing; removing it again clears it."""
    key, end = {"name": "ci", "roles": ["developer"]}, "2031-01-01T00:00:00Z"
    object_id, state = process.create("ApiKey", key)
    sandbox.change("keys", object_id, expireAt=end)
    state = process.read("ApiKey", object_id, state).state
    assert process.changes("ApiKey", state, key) == ()
    assert process.changes("ApiKey", state, {**key, "expireAt": end}) == ("expireAt",)
    state = process.update("ApiKey", object_id, state, {**key, "expireAt": end})
    assert sandbox.count("update_key") == 0
    assert process.changes("ApiKey", state, {**key, "expireAt": end}) == ()
    process.update("ApiKey", object_id, state, key)
    assert sandbox.keys[object_id].get("expireAt") is None


def test_unmanaged_properties_of_a_saved_search_survive(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A PUT clears what it does not send: a colleague's value is sent, a removed property is not."""
    inputs = {"name": "Errors", "sourceId": LOGS, "where": "a"}
    search_id, state = process.create("SavedSearch", inputs)
    sandbox.change("saved_searches", search_id, tags=["other"])
    process.api.lists.clear()
    state = process.read("SavedSearch", search_id, state).state
    process.update("SavedSearch", search_id, state, {"name": "Faults", "sourceId": LOGS})
    search = sandbox.objects("saved_searches")[search_id]
    assert (search["name"], search["tags"], "where" in search) == ("Faults", ["other"], False)


CHANGES = {name: each for name, each in OPERATIONS.items() if each.method == "PATCH"}


def is_changed(life: WireLife) -> bool:
    """Return whether an update of such an object is a PATCH."""
    collection = RESOURCES[life.life.name].collection
    return any(forms.managed.name in CHANGES for forms in vars(collection).values() if isinstance(forms, Forms))


@pytest.mark.parametrize("life", [each for each in WIRE_LIVES if is_changed(each)], ids=str)
def test_patch_is_retried_after_a_closed_connection(life: WireLife, tmp_path: Path) -> None:
    """Load balancers close idle connections, sometimes at the moment of a request.

    This includes the PATCH requests of a delete: stopping a service, restoring an override, detaching an endpoint.
    """
    with Sandbox(**life.life.server) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        names = life.life.setting(sandbox)
        before, after = fill(life.before, names), fill(life.after, names)
        object_id, state = process.create(life.life.name, before)
        for name in CHANGES:
            sandbox.fault(name, "refuse")
        already = len(sandbox.requests)
        state = process.update(life.life.name, object_id, state, after)
        assert process.changes(life.life.name, state, after) == ()
        process.delete(life.life.name, object_id, state)
        sent = [each.operation for each in sandbox.requests[already:]]
        assert any(sent.count(name) > 1 for name in CHANGES)
        left = [each["operation"] for each in sandbox.faults()]
        assert set(left).isdisjoint(sent)


def test_service_that_is_already_stopping_is_deleted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers reject a second stop with 400; the delete continues."""
    sandbox.set_latency(stop=0.2)
    object_id, state = process.create("Service", SERVICE)
    sandbox.fault("command_service", "commit_then_status", status=400)
    process.delete("Service", object_id, state)
    assert object_id not in sandbox.services


OVERRIDES = [each for each in WIRE_LIVES if each.life.stays]


@pytest.mark.parametrize("life", OVERRIDES, ids=str)
def test_override_that_got_429_restores_the_original_values(life: WireLife, tmp_path: Path) -> None:
    """A proxy may respond 429 to a request that succeeded; the next run still knows the original values."""
    with Sandbox(**life.life.server) as sandbox:
        settings = config_for(sandbox).model_copy(update={"retry_timeout_seconds": 0.0})
        wanted = fill(life.before, life.life.setting(sandbox))
        calm = ProviderProcess(config_for(sandbox), tmp_path)
        object_id, state = calm.create(life.life.name, wanted)
        expected = {name: value for name, value in state.items() if name.startswith("original")}
        calm.delete(life.life.name, object_id, state)
        for name, operation in OPERATIONS.items():
            if operation.method in ("PATCH", "PUT"):
                sandbox.fault(name, "commit_then_status", status=429)
        with pytest.raises(RateLimitError):
            ProviderProcess(settings, tmp_path).create(life.life.name, wanted)
        sandbox.clear_faults()
        _, state = ProviderProcess(config_for(sandbox), tmp_path).create(life.life.name, wanted)
        assert expected
        assert {name: state[name] for name in expected} == expected


HORIZONTAL: WireDict = {
    "autoscalingMode": "horizontal",
    "minReplicas": 2,
    "maxReplicas": 4,
    "minReplicaMemoryGb": 16,
    "maxReplicaMemoryGb": 16,
}
# A change of mode or band, from the properties before to those after.
BANDS: dict[str, tuple[WireDict, WireDict]] = {
    "the maximum": (HORIZONTAL, {**HORIZONTAL, "maxReplicas": 5}),
    "the minimum": (HORIZONTAL, {**HORIZONTAL, "minReplicas": 1}),
    "minimum and maximum": (HORIZONTAL, {**HORIZONTAL, "minReplicas": 3, "maxReplicas": 6}),
    "the mode, with the band of a fixed number": (
        {**HORIZONTAL, "autoscalingMode": "vertical", "minReplicas": 3, "maxReplicas": 3},
        {**HORIZONTAL, "minReplicas": 3, "maxReplicas": 3},
    ),
    "the mode and the maximum": (
        {**HORIZONTAL, "autoscalingMode": "vertical", "minReplicas": 3, "maxReplicas": 3},
        {**HORIZONTAL, "minReplicas": 3},
    ),
}


@pytest.mark.parametrize(("before", "after"), BANDS.values(), ids=BANDS)
def test_change_of_mode_or_band_sends_all_replica_fields(before: WireDict, after: WireDict, tmp_path: Path) -> None:
    """A server rejects a band without its minimum or maximum, and a mode without its number of replicas."""
    with Sandbox(vocabulary="clickhouse") as vendor:
        process = ProviderProcess(config_for(vendor), tmp_path)
        object_id, state = process.create("Service", {**SERVICE, **before})
        state = process.update("Service", object_id, state, {**SERVICE, **after})
        (sent,) = [each.body for each in vendor.requests if each.operation == "scale_service"]
        assert sent == after
        assert {name: vendor.services[object_id][name] for name in after} == after
        assert process.changes("Service", state, {**SERVICE, **after}) == ()
