"""Private endpoints: registered once by their own id, found by it after a lost response, taken from all services."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess
from things.private_endpoints.life import OFFICE, PLACE

KIND = "private_endpoints"
ENDPOINT = RESOURCES["PrivateEndpoint"]


def test_with_a_service_it_is_attached_to_it_until_it_goes(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Cloud and region are those of the service; another service that has it keeps the others that it has."""
    service, other = (a_service(sandbox)["service_id"] for _ in range(2))
    id_, state = process.create("PrivateEndpoint", {**OFFICE, "serviceId": service})
    assert (id_, {name: state[name] for name in PLACE}) == ("vpce-1", PLACE)
    assert sandbox.services[service]["privateEndpointIds"] == ["vpce-1"]
    sandbox.change("services", other, privateEndpointIds=["vpce-1", "vpce-2"])
    process.delete("PrivateEndpoint", id_, state)
    assert not sandbox.objects(KIND)
    assert [sandbox.services[each]["privateEndpointIds"] for each in (service, other)] == [[], ["vpce-2"]]
    process.delete("PrivateEndpoint", id_, state)


WAYS: dict[str, tuple[WireDict, str]] = {
    "with the organization": (PLACE, "update_organization"),
    "with a service": ({}, "create_private_endpoint"),
}


@pytest.mark.parametrize(("place", "operation"), WAYS.values(), ids=WAYS)
def test_one_whose_response_is_lost_is_named(
    place: WireDict, operation: str, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """A colleague may have registered the same id meanwhile, and no response says when that was."""
    inputs = {**OFFICE, **(place or {"serviceId": a_service(sandbox)["service_id"]})}
    sandbox.add(KIND, endpointId="vpce-2", description="Office")
    sandbox.fault(operation, "lose")
    with pytest.raises(ResourceError, match="nothing proves that it is one of: vpce-1"):
        process.create("PrivateEndpoint", inputs)
    assert sandbox.count(operation) == 1
    assert sandbox.objects(KIND).keys() == {"vpce-1", "vpce-2"}


def test_another_description_after_a_lost_response_is_no_fault(
    process: ProviderProcess, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No update changes a description: what has another one is a colleague's, and is left alone in each run."""
    sandbox.fault("update_organization", "status", status=502)

    def colleague(_: float) -> None:
        if "vpce-1" not in sandbox.objects(KIND):
            sandbox.add(KIND, endpointId="vpce-1", description="office")

    monkeypatch.setattr(process, "sleep", colleague)
    with pytest.raises(ResourceError, match="Run again"):
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    with pytest.raises(ResourceError, match="exists already, with the id vpce-1"):
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert sandbox.objects(KIND)["vpce-1"]["description"] == "office"


def test_one_that_is_registered_is_not_taken(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Somebody else has registered it: nothing is sent, and the error says how to import it."""
    sandbox.add(KIND, endpointId="vpce-1", description="of a colleague")
    with pytest.raises(ResourceError, match="exists already, with the id vpce-1") as error:
        process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert "pulumi import" in str(error.value)
    assert sandbox.count("update_organization") == 0
    found = process.read("PrivateEndpoint", "vpce-1", {})
    assert found.inputs == {"endpointId": "vpce-1", "description": "of a colleague", **PLACE}


def test_a_successor_of_the_same_id_comes_when_the_old_one_is_gone(process: ProviderProcess) -> None:
    """An organization registers an id once; with another id there is an endpoint at any time."""
    inputs = {**OFFICE, **PLACE}
    _, state = process.create("PrivateEndpoint", inputs)
    renamed = ENDPOINT.diff(state, {**inputs, "description": "other"})
    assert (renamed.replaces, renamed.delete_before_replace) == (("description",), True)
    moved = ENDPOINT.diff(state, {**inputs, "endpointId": "vpce-3"})
    assert (moved.replaces, moved.delete_before_replace) == (("endpointId",), False)


def test_it_is_somewhere(process: ProviderProcess) -> None:
    """In the cloud of a service, or in one that the program names, with its region."""
    for given in ({}, {"region": "us-east-1"}):
        (failure,) = ENDPOINT.check(process, {**OFFICE, **given}).failures
        assert failure.reason == "or both cloudProvider and region are needed"


ELSEWHERE: dict[str, WireDict] = {
    "another region": {"region": "eu-central-1"},
    "another cloud": {"cloudProvider": "gcp"},
    "both": {"cloudProvider": "gcp", "region": "us-central1"},
}


@pytest.mark.parametrize("place", ELSEWHERE.values(), ids=ELSEWHERE)
def test_one_of_a_service_is_at_its_place(place: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """A request to the service has no place, so that another one is refused before it; without a service it is sent."""
    inputs = {**OFFICE, **place, "serviceId": a_service(sandbox)["service_id"]}
    (failure,) = lifecycle.check(process, ENDPOINT, inputs).failures
    assert "a service registers endpoints of its own place only\nLeave " in failure.reason
    assert not lifecycle.check(process, ENDPOINT, {**OFFICE, **PLACE, **place}).failures


@pytest.mark.parametrize("place", [{}, PLACE, {"region": "US-East-1"}, {"region": "eu-central-1"}], ids=str)
def test_what_was_not_sent_removes_nothing(place: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """State of older versions may have another place: refresh and edit change no endpoint."""
    inputs = {**OFFICE, "serviceId": a_service(sandbox)["service_id"]}
    id_, state = process.create("PrivateEndpoint", inputs)
    older = {**state, **place, "__managed": [*state["__managed"], *place]}
    found = process.read("PrivateEndpoint", id_, older)
    assert found.inputs == {**inputs, **place}
    for program in ({**inputs, **place}, inputs, {**inputs, **PLACE}):
        difference = ENDPOINT.diff(found.state, program)
        assert not difference.replaces
        process.update("PrivateEndpoint", id_, found.state, program)
    assert sandbox.count("update_organization") == 0


def test_a_region_in_other_letters_is_the_same(process: ProviderProcess) -> None:
    """Servers answer regions in lower case."""
    id_, state = process.create("PrivateEndpoint", {**OFFICE, **PLACE})
    assert not ENDPOINT.diff(state, {**OFFICE, **PLACE, "region": "US-EAST-1"}).changed
    assert process.read("PrivateEndpoint", id_, {**state, "region": "US-EAST-1"}).inputs["region"] == "US-EAST-1"


def test_a_service_detaches_only_what_it_has_attached(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An endpoint of a resource of its own is no drift of the list; a refresh warns that there are two owners."""
    service = {"name": "Orders", "provider": "aws", "region": "us-east-1"}
    for name in ("vpce-2", "vpce-3"):
        sandbox.add(KIND, endpointId=name)
    id_, state = process.create("Service", {**service, "privateEndpointIds": ["vpce-2"]})
    process.create("PrivateEndpoint", {**OFFICE, "serviceId": id_})
    process.api.lists.clear()
    found = process.read("Service", id_, state)
    assert found.inputs["privateEndpointIds"] == ["vpce-2"]
    owners = "service 'Orders' has private endpoints that its privateEndpointIds lacks: vpce-1. They stay attached."
    assert owners in str(process.warnings)
    assert not process.changes("Service", found.state, {**service, "privateEndpointIds": ["vpce-2"]})
    state = process.update("Service", id_, found.state, {**service, "privateEndpointIds": ["vpce-3"]})
    assert {*sandbox.services[id_]["privateEndpointIds"]} == {"vpce-1", "vpce-3"}
    sandbox.change("services", id_, privateEndpointIds=["vpce-1"])
    process.api.lists.clear()
    found = process.read("Service", id_, state)
    assert found.inputs["privateEndpointIds"] == []
    state = process.update("Service", id_, found.state, {**service, "privateEndpointIds": ["vpce-3"]})
    state = process.update("Service", id_, state, service)
    assert {*sandbox.services[id_]["privateEndpointIds"]} == {"vpce-1", "vpce-3"}
    process.update("Service", id_, state, {**service, "privateEndpointIds": []})
    assert {*sandbox.services[id_]["privateEndpointIds"]} in ({"vpce-1"}, set())
