"""Reverse private endpoints: waited for, woken for, told of when they cannot be used, and never taken by mistake."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ClientError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.rules import wire_case
from pulumi_clouddb.things.pipes.api import ReversePrivateEndpoints
from pulumi_clouddb.things.pipes.endpoint import NEEDS
from support.rules import UUID
from support.sessions import ProviderProcess

KIND = "reverse_private_endpoints"
ENDPOINT = RESOURCES["ReversePrivateEndpoint"]
NAMES = [{"privateDnsName": "*.kafka.example.com"}]


def endpoint(sandbox: Sandbox, **more: Any) -> dict[str, Any]:
    """Return the inputs of an endpoint of a new service."""
    service = "com.amazonaws.vpce.us-east-1.vpce-svc-1"
    usual = {"description": "Kafka", "type": "VPC_ENDPOINT_SERVICE", "vpcEndpointServiceName": service}
    return {"serviceId": a_service(sandbox)["service_id"], **usual, **more}


def refreshed(process: ProviderProcess, id_: str, state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an endpoint from a list that is requested now."""
    process.api.of(ReversePrivateEndpoints, state["serviceId"]).invalidate()
    return process.read("ReversePrivateEndpoint", id_, state).state


@pytest.mark.parametrize(("type_", "needed"), NEEDS.items())
def test_each_type_needs_its_own_properties(type_: str, needed: tuple[str, ...], process: ProviderProcess) -> None:
    """Those that are missing are named, before anything is sent."""
    inputs = {"serviceId": UUID, "description": "x", "type": type_}
    (failure,) = ENDPOINT.check(process, inputs).failures
    assert (failure.name, failure.reason) == (
        "type",
        f"needs the properties that identify its target; missing: {', '.join(map(wire_case, needed))}",
    )
    whole = {**inputs, **{wire_case(name): "SASL_IAM" for name in needed}}
    assert not ENDPOINT.check(process, whole).failures
    names = [failure.name for failure in ENDPOINT.check(process, {**whole, "customPrivateDnsMappings": NAMES}).failures]
    assert names == ["customPrivateDnsMappings"] * (type_ == "MSK_MULTI_VPC")


def test_it_is_waited_for_until_it_is_provisioned_and_until_it_is_gone(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """One that its owner has to accept is provisioned: only then is there something to accept."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", inputs)
    assert state["status"] == "Ready"
    sandbox.change(KIND, id_, status="PendingAcceptance")
    state = refreshed(process, id_, state)
    assert state["status"] == "PendingAcceptance"
    assert process.changes("ReversePrivateEndpoint", state, inputs) == ()
    process.delete("ReversePrivateEndpoint", id_, state)
    assert id_ not in sandbox.objects(KIND)


def test_an_update_of_one_that_somebody_has_deleted_says_what_to_do(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It was not waited for at first, and is gone when the next run waits."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", {**inputs, "waitTimeoutMinutes": 0})
    sandbox.change(KIND, id_, status="Provisioning")
    state = refreshed(process, id_, state)
    sandbox.remove(KIND, id_)
    with pytest.raises(ResourceError, match=r"no longer finds it\nRun `pulumi refresh`"):
        process.update("ReversePrivateEndpoint", id_, state, inputs)


def test_one_that_somebody_is_deleting_is_not_provisioned(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The wait must not take the end of its provisioning for success."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", {**inputs, "waitTimeoutMinutes": 0})
    sandbox.change(KIND, id_, status="Provisioning")
    state = refreshed(process, id_, state)
    sandbox.change(KIND, id_, status="Deleting")
    with pytest.raises(ResourceError, match=r"somebody is deleting it\nRun `pulumi refresh`"):
        process.update("ReversePrivateEndpoint", id_, state, inputs)


def test_one_that_cannot_be_used_is_in_state_and_told_of(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The first run warns, and each later one fails until it can be used, or is replaced."""
    sandbox.fault("create_reverse_private_endpoint", "failed")
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", inputs)
    assert state["lastError"] == "the server reports that it cannot be used (status Failed)"
    assert "is in state, but cannot be used yet" in process.warnings[-1]
    state = refreshed(process, id_, state)
    assert process.changes("ReversePrivateEndpoint", state, inputs) == ("lastError",)
    with pytest.raises(ResourceError, match=r"status Failed.*\n.*--replace"):
        process.update("ReversePrivateEndpoint", id_, state, inputs)
    sandbox.change(KIND, id_, status="Ready")
    state = process.update("ReversePrivateEndpoint", id_, state, inputs)
    assert "lastError" not in state
    sandbox.change(KIND, id_, status="Rejected")
    state = refreshed(process, id_, state)
    assert process.changes("ReversePrivateEndpoint", state, inputs) == ("status",)


def test_a_service_that_idles_is_woken(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server refuses with 424 what it can do only with a service that runs."""
    inputs = endpoint(sandbox)
    sandbox.change("services", inputs["serviceId"], state="idle")
    process.create("ReversePrivateEndpoint", inputs)
    assert sandbox.services[inputs["serviceId"]]["state"] == "running"


def test_an_endpoint_that_keeps_a_name_goes_before_its_successor_comes(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """A server takes a name once in a service; without a common one, pipes have an endpoint at any time."""
    inputs = endpoint(sandbox, customPrivateDnsMappings=NAMES)
    _, state = process.create("ReversePrivateEndpoint", inputs)
    other = {**inputs, "description": "other"}
    assert ENDPOINT.diff(state, other).delete_before_replace
    renamed = [{"privateDnsName": "other.example.com"}]
    for new in ({**other, "customPrivateDnsMappings": renamed}, {**inputs, "customPrivateDnsMappings": renamed}):
        assert not ENDPOINT.diff(state, new).delete_before_replace
    with pytest.raises(ClientError, match="already used in this service"):
        process.create("ReversePrivateEndpoint", other, urn="urn:other")


def test_one_whose_response_is_lost_is_named(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Its record does not say when it was created, and nothing else tells it from that of a colleague."""
    sandbox.fault("create_reverse_private_endpoint", "lose")
    with pytest.raises(ResourceError, match="nothing proves that it is one of") as error:
        process.create("ReversePrivateEndpoint", endpoint(sandbox))
    (id_,) = sandbox.objects(KIND)
    assert id_ in str(error.value)


def test_an_import_names_its_service(process: ProviderProcess, sandbox: Sandbox) -> None:
    """There is none without."""
    inputs = endpoint(sandbox, customPrivateDnsMappings=NAMES)
    id_, _ = process.create("ReversePrivateEndpoint", inputs)
    with pytest.raises(ResourceError, match=f"Write SERVICE_ID/{id_}"):
        lifecycle.read(process, ENDPOINT, id_, {}, {})
    live = process.read("ReversePrivateEndpoint", f"{inputs['serviceId']}/{id_}", {})
    assert live.inputs == inputs
