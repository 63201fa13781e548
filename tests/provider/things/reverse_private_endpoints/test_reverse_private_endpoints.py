"""Reverse private endpoints: waits, idle services, warnings of unusable ones, and lost responses."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import ClientError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.check.rules import wire_case
from pulumi_clouddb.things.reverse_private_endpoints.api import ReversePrivateEndpoints
from pulumi_clouddb.things.reverse_private_endpoints.reverse_private_endpoint import NEEDS
from support.rows import UUID
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
def test_each_type_requires_its_properties(type_: str, needed: tuple[str, ...], process: ProviderProcess) -> None:
    """The failure of check names the missing ones."""
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


def test_create_and_delete_are_awaited(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An endpoint that its owner has to accept counts as provisioned."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", inputs)
    assert state["status"] == "Ready"
    sandbox.change(KIND, id_, status="PendingAcceptance")
    state = refreshed(process, id_, state)
    assert state["status"] == "PendingAcceptance"
    assert process.changes("ReversePrivateEndpoint", state, inputs) == ()
    process.delete("ReversePrivateEndpoint", id_, state)
    assert id_ not in sandbox.objects(KIND)


def test_update_of_a_deleted_endpoint_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The first run did not wait for it, and the next one waits; the error recommends a refresh."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", {**inputs, "waitTimeoutMinutes": 0})
    sandbox.change(KIND, id_, status="Provisioning")
    state = refreshed(process, id_, state)
    sandbox.remove(KIND, id_)
    with pytest.raises(ResourceError, match=r"no longer finds it\nRun `pulumi refresh`"):
        process.update("ReversePrivateEndpoint", id_, state, inputs)


def test_update_of_an_endpoint_that_is_being_deleted_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Although it is no longer provisioning, the wait does not end with success."""
    inputs = endpoint(sandbox)
    id_, state = process.create("ReversePrivateEndpoint", {**inputs, "waitTimeoutMinutes": 0})
    sandbox.change(KIND, id_, status="Provisioning")
    state = refreshed(process, id_, state)
    sandbox.change(KIND, id_, status="Deleting")
    with pytest.raises(ResourceError, match=r"somebody is deleting it\nRun `pulumi refresh`"):
        process.update("ReversePrivateEndpoint", id_, state, inputs)


def test_unusable_endpoint_is_in_state(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The first run warns, and each later run fails until it is usable or replaced."""
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


def test_idle_service_is_woken(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server rejects a create with 424 unless the service runs."""
    inputs = endpoint(sandbox)
    sandbox.change("services", inputs["serviceId"], state="idle")
    process.create("ReversePrivateEndpoint", inputs)
    assert sandbox.services[inputs["serviceId"]]["state"] == "running"


def test_replacement_with_the_same_dns_name_deletes_first(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A service has a DNS name only once; a replacement with other names is created first."""
    inputs = endpoint(sandbox, customPrivateDnsMappings=NAMES)
    _, state = process.create("ReversePrivateEndpoint", inputs)
    other = {**inputs, "description": "other"}
    assert ENDPOINT.diff(state, other).delete_before_replace
    renamed = [{"privateDnsName": "other.example.com"}]
    for new in ({**other, "customPrivateDnsMappings": renamed}, {**inputs, "customPrivateDnsMappings": renamed}):
        assert not ENDPOINT.diff(state, new).delete_before_replace
    with pytest.raises(ClientError, match="already used in this service"):
        process.create("ReversePrivateEndpoint", other, urn="urn:other")


def test_lost_create_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error names the candidate: no response has the time of creation, so another client may have created it."""
    sandbox.fault("create_reverse_private_endpoint", "lose")
    with pytest.raises(ResourceError, match="nothing proves that it is one of") as error:
        process.create("ReversePrivateEndpoint", endpoint(sandbox))
    (id_,) = sandbox.objects(KIND)
    assert id_ in str(error.value)


def test_import_requires_the_service(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The import id is `SERVICE_ID/ID`."""
    inputs = endpoint(sandbox, customPrivateDnsMappings=NAMES)
    id_, _ = process.create("ReversePrivateEndpoint", inputs)
    with pytest.raises(ResourceError, match=f"Write SERVICE_ID/{id_}"):
        lifecycle.read(process, ENDPOINT, id_, {}, {})
    live = process.read("ReversePrivateEndpoint", f"{inputs['serviceId']}/{id_}", {})
    assert live.inputs == inputs


RESOURCE = {
    "type": "VPC_RESOURCE",
    "vpcEndpointServiceName": None,
    "vpcResourceConfigurationId": "rcfg-1",
    "vpcResourceShareArn": "arn:aws:ram:us-east-1:1:resource-share/1",
}


def resource(sandbox: Sandbox, *targets: str) -> dict[str, Any]:
    """Return the inputs of an endpoint of a VPC resource with a name for each target."""
    mappings = [{"privateDnsName": f"db{number}.example.com", "targetId": each} for number, each in enumerate(targets)]
    inputs = {**endpoint(sandbox), **RESOURCE, "customPrivateDnsMappings": mappings}
    return {name: value for name, value in inputs.items() if value is not None}


def test_names_lead_to_targets(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Only names with a target that the endpoint has are served; neither is drift."""
    inputs = resource(sandbox, "rcfg-1", "rcfg-2")
    id_, state = process.create("ReversePrivateEndpoint", inputs)
    state = refreshed(process, id_, state)
    assert process.changes("ReversePrivateEndpoint", state, inputs) == ()
    assert [each["id"] for each in state["dnsTargets"]] == ["rcfg-1"]
    assert [each["privateDnsName"] for each in state["privateDnsMappings"]] == ["db0.example.com"]
    other = {**inputs, "customPrivateDnsMappings": [{"privateDnsName": "db0.example.com", "targetId": "rcfg-3"}]}
    with pytest.raises(ClientError, match="rcfg-3 is not in dnsTargets"):
        process.update("ReversePrivateEndpoint", id_, state, other)
    replaced = {**other, "vpcResourceConfigurationId": "rcfg-3"}
    assert ENDPOINT.diff(state, replaced).delete_before_replace  # the name stays, although its target changes
