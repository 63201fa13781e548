"""Private endpoints: registered once under their id, never adopted, and removed from all services."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.clock import FakeClock
from support.sessions import ProviderProcess, config_for
from things.private_endpoints.life import OFFICE, PLACE

KIND = "private_endpoints"
ENDPOINT = RESOURCES["PrivateEndpoint"]


def test_endpoint_of_a_service_is_attached_until_it_is_deleted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Its cloud and region are those of the service; other services lose it, and keep their other endpoints."""
    service, other = (a_service(sandbox)["service_id"] for _ in range(2))
    id_, state = process.create("PrivateEndpoint", {**OFFICE, "serviceId": service})
    assert (id_, {name: state[name] for name in PLACE}) == ("vpce-1a2b3c4d", PLACE)
    assert sandbox.services[service]["privateEndpointIds"] == ["vpce-1a2b3c4d"]
    sandbox.change("services", other, privateEndpointIds=["vpce-1a2b3c4d", "vpce-2a2b3c4d"])
    process.delete("PrivateEndpoint", id_, state)
    assert not sandbox.objects(KIND)
    assert [sandbox.services[each]["privateEndpointIds"] for each in (service, other)] == [[], ["vpce-2a2b3c4d"]]
    process.delete("PrivateEndpoint", id_, state)


WAYS: dict[str, tuple[WireDict, str]] = {
    "with the organization": (PLACE, "update_organization"),
    "with a service": ({}, "create_private_endpoint"),
}


@pytest.mark.parametrize(("place", "operation"), WAYS.values(), ids=WAYS)
def test_lost_create_is_an_error(place: WireDict, operation: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error names the endpoint: another client may have registered it, and no response has the time."""
    inputs = {**OFFICE, **(place or {"serviceId": a_service(sandbox)["service_id"]})}
    sandbox.add(KIND, endpointId="vpce-2a2b3c4d", description="Office")
    sandbox.fault(operation, "lose")
    with pytest.raises(ResourceError, match="nothing proves that it is one of: vpce-1a2b3c4d"):
        process.create("PrivateEndpoint", inputs)
    assert sandbox.count(operation) == 1
    assert sandbox.objects(KIND).keys() == {"vpce-1a2b3c4d", "vpce-2a2b3c4d"}


def test_endpoint_of_another_client_after_a_failed_create_is_kept(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has another description, which no update changes, so no run changes or adopts it."""
    sandbox.fault("update_organization", "status", status=502)
    process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=5), tmp_path)
    clock = FakeClock(monkeypatch)

    def register(seconds: float) -> None:
        clock.sleep(seconds)
        if "vpce-1a2b3c4d" not in sandbox.objects(KIND):
            sandbox.add(KIND, endpointId="vpce-1a2b3c4d", description="office")

    monkeypatch.setattr(process, "sleep", register)
    with pytest.raises(ResourceError, match="Run again"):
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    with pytest.raises(ResourceError, match="exists already, with the id vpce-1a2b3c4d"):
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert sandbox.objects(KIND)["vpce-1a2b3c4d"]["description"] == "office"


def test_registered_endpoint_is_not_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No request is sent, and the error says how to import it."""
    sandbox.add(KIND, endpointId="vpce-1a2b3c4d", description="existing")
    with pytest.raises(ResourceError, match="exists already, with the id vpce-1a2b3c4d") as error:
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert "pulumi import" in str(error.value)
    assert sandbox.count("update_organization") == 0
    imported = process.read("PrivateEndpoint", "vpce-1a2b3c4d", {})
    assert imported.inputs == {"endpointId": "vpce-1a2b3c4d", "description": "existing", **PLACE}


def test_replacement_with_the_same_id_deletes_first(process: ProviderProcess) -> None:
    """An organization registers an id only once; a replacement with another id is created first."""
    inputs = {**OFFICE, **PLACE}
    _, state = process.create("PrivateEndpoint", inputs)
    renamed = ENDPOINT.diff(state, {**inputs, "description": "other"})
    assert (renamed.replaces, renamed.delete_before_replace) == (("description",), True)
    moved = ENDPOINT.diff(state, {**inputs, "endpointId": "vpce-3a2b3c4d"})
    assert (moved.replaces, moved.delete_before_replace) == (("endpointId",), False)


def test_endpoint_requires_a_service_or_a_region(process: ProviderProcess) -> None:
    """Without a service, both cloud and region are required."""
    for place in ({}, {"region": "us-east-1"}):
        (failure,) = ENDPOINT.check(process, {**OFFICE, **place}).failures
        assert failure.reason == "or both cloudProvider and region are needed"


ELSEWHERE: dict[str, WireDict] = {
    "another region": {"region": "eu-central-1"},
    "another cloud": {"cloudProvider": "gcp"},
    "both": {"cloudProvider": "gcp", "region": "us-central1"},
}


@pytest.mark.parametrize("place", ELSEWHERE.values(), ids=ELSEWHERE)
def test_endpoint_of_a_service_is_in_its_region(place: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """A request to the service has no region, so another one is rejected; without a service it is sent."""
    inputs = {**OFFICE, **place, "serviceId": a_service(sandbox)["service_id"]}
    (failure,) = lifecycle.check(process, ENDPOINT, inputs).failures
    assert "a service registers endpoints of its own place only\nLeave " in failure.reason
    assert not lifecycle.check(process, ENDPOINT, {**OFFICE, **PLACE, **place}).failures


@pytest.mark.parametrize("place", [{}, PLACE, {"region": "US-East-1"}, {"region": "eu-central-1"}], ids=str)
def test_region_in_older_state_changes_nothing(place: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """State of older versions may have another region: refresh and update send nothing."""
    inputs = {**OFFICE, "serviceId": a_service(sandbox)["service_id"]}
    id_, state = process.create("PrivateEndpoint", inputs)
    older = {**state, **place, "__managed": [*state["__managed"], *place]}
    live = process.read("PrivateEndpoint", id_, older)
    assert live.inputs == {**inputs, **place}
    for program in ({**inputs, **place}, inputs, {**inputs, **PLACE}):
        difference = ENDPOINT.diff(live.state, program)
        assert not difference.replaces
        process.update("PrivateEndpoint", id_, live.state, program)
    assert sandbox.count("update_organization") == 0


def test_case_of_the_region_is_no_drift(process: ProviderProcess) -> None:
    """Servers return regions in lower case."""
    id_, state = process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert not ENDPOINT.diff(state, {**OFFICE, **PLACE, "region": "US-EAST-1"}).changed
    assert process.read("PrivateEndpoint", id_, {**state, "region": "US-EAST-1"}).inputs["region"] == "US-EAST-1"


def test_service_detaches_only_its_own_endpoints(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An endpoint of a separate resource is not drift of the list; a refresh warns that it stays attached."""
    service = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
    for name in ("vpce-2a2b3c4d", "vpce-3a2b3c4d"):
        sandbox.add(KIND, endpointId=name)
    id_, state = process.create("Service", {**service, "privateEndpointIds": ["vpce-2a2b3c4d"]})
    process.create("PrivateEndpoint", {**OFFICE, "serviceId": id_})
    process.api.lists.clear()
    live = process.read("Service", id_, state)
    assert live.inputs["privateEndpointIds"] == ["vpce-2a2b3c4d"]
    warning = (
        "service 'Orders' has private endpoints that its privateEndpointIds lacks: vpce-1a2b3c4d. They stay attached."
    )
    assert warning in str(process.warnings)
    assert not process.changes("Service", live.state, {**service, "privateEndpointIds": ["vpce-2a2b3c4d"]})
    state = process.update("Service", id_, live.state, {**service, "privateEndpointIds": ["vpce-3a2b3c4d"]})
    assert {*sandbox.services[id_]["privateEndpointIds"]} == {"vpce-1a2b3c4d", "vpce-3a2b3c4d"}
    sandbox.change("services", id_, privateEndpointIds=["vpce-1a2b3c4d"])
    process.api.lists.clear()
    live = process.read("Service", id_, state)
    assert live.inputs["privateEndpointIds"] == []
    state = process.update("Service", id_, live.state, {**service, "privateEndpointIds": ["vpce-3a2b3c4d"]})
    state = process.update("Service", id_, state, service)
    assert {*sandbox.services[id_]["privateEndpointIds"]} == {"vpce-1a2b3c4d", "vpce-3a2b3c4d"}
    process.update("Service", id_, state, {**service, "privateEndpointIds": []})
    assert {*sandbox.services[id_]["privateEndpointIds"]} in ({"vpce-1a2b3c4d"}, set())
