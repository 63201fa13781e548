"""Infrastructures: read with the organization, and never replaced for inputs that no server returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_for

KIND = "byoc_infrastructures"
INFRASTRUCTURE = RESOURCES["ByocInfrastructure"]
INPUTS: WireDict = {"regionId": "us-east-1", "accountId": "123456789012", "displayName": "Ours"}


def test_create_waits_until_the_infrastructure_is_ready(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The organization lists it under the id that services refer to."""
    id_, state = process.create("ByocInfrastructure", INPUTS)
    assert state["state"] == "infra-ready"
    with sandbox.management() as http:
        (listed,) = http.get("").json()["result"]["byocConfig"]
    assert (listed["id"], listed.get("accountId")) == (id_, None)
    process.delete("ByocInfrastructure", id_, state)
    with sandbox.management() as http:
        assert [each["state"] for each in http.get("").json()["result"]["byocConfig"]] in ([], ["infra-terminated"])


def test_account_of_an_imported_infrastructure_can_be_set(process: ProviderProcess, sandbox: Sandbox) -> None:
    """No server returns the account, so setting it does not replace; a later change of it does."""
    id_ = sandbox.add(KIND, **INPUTS)["id"]
    _, live = lifecycle.read(process, INFRASTRUCTURE, id_, {}, {})
    assert live is not None
    assert "accountId" not in live.inputs
    named = {**live.inputs, "accountId": "123456789012", "vpcCidrRange": "10.0.0.0/16"}
    assert INFRASTRUCTURE.diff(live.state, named).replaces == ()
    state = process.update("ByocInfrastructure", id_, live.state, {**named, "displayName": "Shop"})
    assert INFRASTRUCTURE.diff(state, {**named, "accountId": "210987654321"}).replaces == ("accountId",)


@pytest.mark.parametrize("fault", ["lose", "commit_then_status"])
def test_lost_response_creates_no_duplicate(
    fault: str, process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """No server returns the time of creation, so the error names the candidates."""
    details = {"status": 502} if fault == "commit_then_status" else {}
    sandbox.fault("create_byoc_infrastructure", fault, **details)
    with pytest.raises(ResourceError, match="nothing proves that it is one of") as error:
        process.create("ByocInfrastructure", INPUTS, "urn:ours")
    (id_,) = sandbox.objects(KIND)
    assert id_ in str(error.value)
    again = ProviderProcess(config_for(sandbox), tmp_path)
    with pytest.raises(ResourceError, match="nothing proves that it is one of"):
        again.create("ByocInfrastructure", INPUTS, "urn:ours")
    assert [*sandbox.objects(KIND)] == [id_]


@pytest.mark.parametrize(
    ("other", "path"),
    [
        ({"vpcCidrRange": "10.0.0.0"}, "vpcCidrRange"),
        ({"vpcCidrRange": "10.0.0.1/16"}, "vpcCidrRange"),
    ],
)
def test_check_rejects_an_invalid_address_range(other: WireDict, path: str, process: ProviderProcess) -> None:
    """The failure names the property."""
    session = process.for_resource("urn:ours")
    failures = lifecycle.check(session, INFRASTRUCTURE, {**INPUTS, **other}).failures
    assert [each.path for each in failures] == [path]


def test_create_requires_an_account(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Check cannot require it, because an imported infrastructure has none in its inputs."""
    with pytest.raises(ResourceError, match=r"does not set its account.*\nSet accountId"):
        process.create("ByocInfrastructure", {**INPUTS, "accountId": None}, "urn:ours")
    assert sandbox.objects(KIND) == {}
