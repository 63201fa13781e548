"""Updates: state says what was sent and what was answered, and small changes count."""

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
from pulumi_clouddb.resource.state import outputs_in
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
    """One sandbox for all."""
    with Sandbox() as running:
        yield running


@pytest.fixture
def process(sandbox: Sandbox, tmp_path: Path) -> ProviderProcess:
    """A session with a folder of its own, on an empty server."""
    sandbox.reset()
    return ProviderProcess(config_for(sandbox, requestTimeoutSeconds=2, retryTimeoutSeconds=1), tmp_path)


@pytest.mark.parametrize(("resource", "objects"), [("Service", "services"), ("ApiKey", "keys")])
def test_another_description_of_an_address_is_a_change(
    process: ProviderProcess, sandbox: Sandbox, resource: str, objects: str
) -> None:
    """The entry of the same address gets the new description; it is neither lost nor there twice."""
    base = SERVICE if resource == "Service" else {"name": "ci", "roles": ["developer"]}
    before = {**base, "ipAccessList": [{"source": "203.0.113.0/24", "description": "Office"}]}
    after = {**base, "ipAccessList": [{"source": "203.0.113.0/24", "description": "Home"}]}
    object_id, state = process.create(resource, before)
    assert process.changes(resource, state, after) == ("ipAccessList",)
    state = process.update(resource, object_id, state, after)
    assert sandbox.objects(objects)[object_id]["ipAccessList"] == after["ipAccessList"]
    assert process.changes(resource, state, after) == ()


@pytest.mark.parametrize("wanted", [OFFICE, [*OFFICE, *HOME]], ids=["one removed", "one added"])
def test_an_access_list_is_what_the_program_wants_though_lists_lag(
    process: ProviderProcess, sandbox: Sandbox, wanted: list[WireDict], tmp_path: Path
) -> None:
    """The record before an update shows the list of a moment ago; the response shows what became of it."""
    now, ago = ([*OFFICE, *HOME], OFFICE) if wanted == OFFICE else (OFFICE, [*OFFICE, *HOME])
    object_id, state = process.create("Service", {**SERVICE, "ipAccessList": now})
    later = ProviderProcess(config_for(sandbox, pollIntervalSeconds=60), tmp_path)
    sandbox.change("services", object_id, ipAccessList=ago)
    lifecycle.read(later, RESOURCES["Service"], object_id, state, {})
    sandbox.change("services", object_id, ipAccessList=now)
    later.update("Service", object_id, state, {**SERVICE, "ipAccessList": wanted})
    assert sandbox.objects("services")[object_id]["ipAccessList"] == wanted
    assert sandbox.count("update_service") == 2


def test_two_refused_looks_do_not_end_a_wait(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A key may be refused for a moment; only the third time in a row it is believed."""
    sandbox.set_latency(provision=0.5)
    sandbox.fault("list_services", "status", status=401, after=1, times=2)
    _, state = process.create("Service", SERVICE)
    assert (state["state"], state.get("lastError")) == ("running", None)


def test_three_refused_looks_end_it(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The service is in state with the reason, whatever the server goes on to say."""
    sandbox.set_latency(provision=30)
    sandbox.fault("list_services", "status", status=403, after=1, times=50)
    _, state = process.create("Service", SERVICE)
    assert "stopped waiting until it is running" in state["lastError"]
    sandbox.clear_faults()
    sandbox.set_latency(provision=0)


def test_an_alert_is_in_state_as_the_server_has_it(process: ProviderProcess, sandbox: Sandbox) -> None:
    """What a full replacement answers goes into state, not only what was sent."""
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


def test_a_dashboard_is_in_state_as_the_server_answered_it(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The copy that drift is measured by is the server's own form, with what it added."""
    object_id, state = process.create("Dashboard", {"name": "Orders", "tiles": [TILE]})
    state = process.update("Dashboard", object_id, state, {"name": "Sales", "tiles": [TILE]})
    served = outputs_in(DASHBOARD, state)["__served"]
    assert served["tiles"] == sandbox.dashboards[object_id]["tiles"]
    assert served["name"] == "Sales"


def test_one_404_does_not_drop_an_override(process: ProviderProcess, sandbox: Sandbox) -> None:
    """What was found at first would be forgotten with it."""
    service = sandbox.add("services", **SERVICE)
    pipe = next(each for each in sandbox.pipes.values() if each["serviceId"] == service["id"])
    object_id, state = process.create("PipeScaling", {"serviceId": service["id"], "pipeId": pipe["id"], "replicas": 3})
    sandbox.fault("get_pipe", "not_found")
    assert process.read("PipeScaling", object_id, state).state["originalScaling"] == state["originalScaling"]


def test_a_password_that_is_no_text_is_none(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A lost password is reset until the answer holds one: the service is in state, and says what is missing."""
    sandbox.fault("create_service", "lose")
    sandbox.fault("reset_password", "wrong_types")
    object_id, state = process.create("Service", SERVICE)
    assert "password" not in state
    assert "not answered" in state["lastError"]
    state = process.update("Service", object_id, state, SERVICE)
    assert sandbox.password_works(object_id, state["password"])


def test_an_update_that_failed_half_way_is_sent_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The name arrived, the scaling did not: the next update sends what is missing, and ends the same."""
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
def test_what_somebody_has_deleted_is_not_updated(
    process: ProviderProcess, sandbox: Sandbox, resource: str, objects: str, inputs: WireDict, change: WireDict
) -> None:
    """The second line says what to do; done as told, state drops the object, and the next run creates another."""
    object_id, state = process.create(resource, inputs)
    sandbox.remove(objects, object_id)
    with pytest.raises(CloudDBError) as caught:
        process.update(resource, object_id, state, {**inputs, **change})
    assert str(caught.value).split("\n")[1:] == ["If somebody has deleted it, run `pulumi refresh`, then run again."]
    assert lifecycle.read(process, RESOURCES[resource], object_id, state, {})[1] is None
    again, _ = process.create(resource, {**inputs, **change})
    assert again in sandbox.objects(objects)


@pytest.mark.parametrize("kind", ["lose", "commit_then_status", "broken_json"])
def test_an_update_that_arrived_needs_no_second_one(process: ProviderProcess, sandbox: Sandbox, kind: str) -> None:
    """The response to the update is lost: the service itself says that it took."""
    object_id, state = process.create("Service", SERVICE)
    sandbox.fault("update_service", kind)
    state = process.update("Service", object_id, state, {**SERVICE, "name": "Sales"})
    assert state["name"] == sandbox.services[object_id]["name"] == "Sales"
    assert sandbox.count("update_service") == 1


def test_a_value_that_the_server_has_already_is_the_programs_from_then_on(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Giving it is a change that sends nothing; taking it out again is one that clears it."""
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


def test_what_no_program_says_of_a_saved_search_survives(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A PUT without a property clears it: what a colleague has set goes along, what is taken out does not."""
    inputs = {"name": "Errors", "sourceId": LOGS, "where": "a"}
    search_id, state = process.create("SavedSearch", inputs)
    sandbox.change("saved_searches", search_id, tags=["theirs"])
    process.api.lists.clear()
    state = process.read("SavedSearch", search_id, state).state
    process.update("SavedSearch", search_id, state, {"name": "Faults", "sourceId": LOGS})
    found = sandbox.objects("saved_searches")[search_id]
    assert (found["name"], found["tags"], "where" in found) == ("Faults", ["theirs"], False)


CHANGES = {name: each for name, each in OPERATIONS.items() if each.method == "PATCH"}


def is_changed(life: WireLife) -> bool:
    """Return whether an update of such an object is a change of values."""
    collection = RESOURCES[life.life.name].collection
    return any(forms.managed.name in CHANGES for forms in vars(collection).values() if isinstance(forms, Forms))


@pytest.mark.parametrize("life", [each for each in WIRE_LIVES if is_changed(each)], ids=str)
def test_a_connection_that_the_server_closes_costs_no_update(life: WireLife, tmp_path: Path) -> None:
    """Load balancers close idle connections, now and then at the moment of a request: the change is sent again.

    So is what a delete changes: the stop of a service, what an override puts back, an endpoint that is taken out.
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


def test_a_service_that_somebody_has_just_stopped_is_deleted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Servers refuse to stop it once more with 400; it is as wanted."""
    sandbox.set_latency(stop=0.2)
    object_id, state = process.create("Service", SERVICE)
    sandbox.fault("command_service", "commit_then_status", status=400)
    process.delete("Service", object_id, state)
    assert object_id not in sandbox.services


OVERRIDES = [each for each in WIRE_LIVES if each.life.stays]


@pytest.mark.parametrize("life", OVERRIDES, ids=str)
def test_an_override_that_was_carried_out_and_refused_puts_back_what_was_there(life: WireLife, tmp_path: Path) -> None:
    """A proxy that counts responses answers 429 to what the server has done; the next run still knows the original."""
    with Sandbox(**life.life.server) as sandbox:
        settings = config_for(sandbox).model_copy(update={"retry_timeout_seconds": 0.0})
        wanted = fill(life.before, life.life.setting(sandbox))
        calm = ProviderProcess(config_for(sandbox), tmp_path)
        object_id, state = calm.create(life.life.name, wanted)
        expected = {name: value for name, value in state.items() if name.startswith("original")}
        calm.delete(life.life.name, object_id, state)
        for name in CHANGES:
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
    "one end": (HORIZONTAL, {**HORIZONTAL, "maxReplicas": 5}),
    "the other end": (HORIZONTAL, {**HORIZONTAL, "minReplicas": 1}),
    "both ends": (HORIZONTAL, {**HORIZONTAL, "minReplicas": 3, "maxReplicas": 6}),
    "the mode, with the band of a fixed number": (
        {**HORIZONTAL, "autoscalingMode": "vertical", "minReplicas": 3, "maxReplicas": 3},
        {**HORIZONTAL, "minReplicas": 3, "maxReplicas": 3},
    ),
    "the mode, and one end": (
        {**HORIZONTAL, "autoscalingMode": "vertical", "minReplicas": 3, "maxReplicas": 3},
        {**HORIZONTAL, "minReplicas": 3},
    ),
}


@pytest.mark.parametrize(("before", "after"), BANDS.values(), ids=BANDS)
def test_a_change_of_mode_or_band_sends_all_properties_of_the_replicas(
    before: WireDict, after: WireDict, tmp_path: Path
) -> None:
    """A server refuses a band with one end, and a mode without its number of replicas."""
    with Sandbox(vocabulary="clickhouse") as vendor:
        process = ProviderProcess(config_for(vendor), tmp_path)
        object_id, state = process.create("Service", {**SERVICE, **before})
        state = process.update("Service", object_id, state, {**SERVICE, **after})
        (sent,) = [each.body for each in vendor.requests if each.operation == "scale_service"]
        assert sent == after
        assert {name: vendor.services[object_id][name] for name in after} == after
        assert process.changes("Service", state, {**SERVICE, **after}) == ()
