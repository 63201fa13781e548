"""Infrastructures: read with the organization, and never replaced for inputs that no server returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.byoc_infrastructures import DENIED_ACCOUNT
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.byoc_infrastructures.validation import ByocValidation
from support.rows import Row
from support.sessions import ProviderProcess, config_for
from things.byoc_infrastructures.checks import NETWORK, OF_A_CLOUD, OF_OWN_NETWORK

KIND = "byoc_infrastructures"
INFRASTRUCTURE = RESOURCES["ByocInfrastructure"]
INPUTS: WireDict = {"regionId": "us-east-1", "accountId": "123456789012", "displayName": "Ours"}


def test_create_waits_until_the_infrastructure_is_ready(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The organization lists it under the id that services refer to."""
    id_, state = process.create("ByocInfrastructure", INPUTS)
    assert state["state"] == "infra-ready"
    with sandbox.management() as http:
        (listed,) = http.get("").json()["result"]["byocConfig"]
    assert (listed["id"], listed["accountId"]) == (id_, INPUTS["accountId"])
    process.delete("ByocInfrastructure", id_, state)
    with sandbox.management() as http:
        assert [each["state"] for each in http.get("").json()["result"]["byocConfig"]] in ([], ["infra-terminated"])


@pytest.fixture
def older(sandbox: Sandbox) -> None:
    """Let the sandbox be an older server."""
    sandbox.set_release("2026-08")


@pytest.mark.usefixtures("older")
def test_account_of_an_imported_infrastructure_can_be_set(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An older server does not return the account, so setting it does not replace; a later change of it does."""
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


@pytest.mark.parametrize("row", [*NETWORK, *OF_OWN_NETWORK, *OF_A_CLOUD], ids=lambda row: row.name)
def test_server_refuses_what_its_description_excludes(row: Row, sandbox: Sandbox) -> None:
    """So does the sandbox; the subnet of private links is of updates, which know no region."""
    with sandbox.management() as http:
        response = http.post("/byocInfrastructure", json=row.wrong)
    assert response.status_code == (200 if "gcpPscSubnetId" in row.wrong else 400)


def test_create_requires_an_account(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Check cannot require it, because an imported infrastructure has none in its inputs."""
    with pytest.raises(ResourceError, match=r"does not set its account.*\nSet accountId"):
        process.create("ByocInfrastructure", {**INPUTS, "accountId": None}, "urn:ours")
    assert sandbox.objects(KIND) == {}


def test_import_has_the_account_and_the_network(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A server of autumn 2026 returns them, those of one's own network under other names, and the tags."""
    own = {"vpcId": "vpc-1", "privateSubnetIds": ["subnet-1", "subnet-2"]}
    id_ = sandbox.add(KIND, **INPUTS, **own, tags={"team": "shop"})["id"]
    _, live = lifecycle.read(process, INFRASTRUCTURE, id_, {}, {})
    assert live is not None
    assert {name: live.inputs.get(name) for name in (*INPUTS, *own)} == {**INPUTS, **own}
    assert live.inputs["tags"] == {"team": "shop"}
    turned = {**live.inputs, "privateSubnetIds": ["subnet-2", "subnet-1"]}
    assert INFRASTRUCTURE.diff(live.state, turned).changed == ()
    assert INFRASTRUCTURE.diff(live.state, {**live.inputs, "vpcId": "vpc-2"}).replaces == ("vpcId",)
    assert INFRASTRUCTURE.diff(live.state, {**live.inputs, "accountId": "2"}).replaces == ("accountId",)


@pytest.mark.usefixtures("older")
def test_older_server_lives_without_the_new_operations(process: ProviderProcess) -> None:
    """A program that sets no new property sees no difference, and no warning."""
    id_, state = process.create("ByocInfrastructure", INPUTS)
    live = process.read("ByocInfrastructure", id_, state)
    assert live.inputs == INPUTS
    assert INFRASTRUCTURE.diff(live.state, INPUTS).changed == ()
    state = process.update("ByocInfrastructure", id_, live.state, {**INPUTS, "displayName": "Shop"})
    process.delete("ByocInfrastructure", id_, state)
    assert process.warnings == []


def test_upgrade_of_the_server_changes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """State of an older server has no details, which a newer one returns; nothing of them is managed."""
    sandbox.set_release("2026-08")
    id_, state = ProviderProcess(config_for(sandbox), tmp_path).create("ByocInfrastructure", INPUTS)
    sandbox.set_release("2026-10")
    live = ProviderProcess(config_for(sandbox), tmp_path).read("ByocInfrastructure", id_, state)
    assert INFRASTRUCTURE.diff(live.state, INPUTS).changed == ()
    assert live.state["isByoVpc"] is False


def test_drift_of_tags_and_flags_is_seen_and_repaired(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Neither is in the list; properties that the program does not set are no drift."""
    inputs: WireDict = {**INPUTS, "tags": {"team": "shop"}, "enablePrivateLink": True}
    id_, state = process.create("ByocInfrastructure", inputs)
    sandbox.change(KIND, id_, tags={"team": "lab"}, enablePrivateLink=False, enablePublicLoadBalancer=True)
    live = process.read("ByocInfrastructure", id_, state)
    assert INFRASTRUCTURE.diff(live.state, inputs).changed == ("tags", "enablePrivateLink")
    state = process.update("ByocInfrastructure", id_, live.state, inputs)
    stored = sandbox.objects(KIND)[id_]
    assert (stored["tags"], stored["enablePrivateLink"]) == ({"team": "shop"}, True)
    assert stored["enablePublicLoadBalancer"] is True
    without = {name: value for name, value in inputs.items() if name != "tags"}
    process.update("ByocInfrastructure", id_, state, without)
    assert sandbox.objects(KIND)[id_]["tags"] == {}


def test_subnet_of_private_links_is_sent_together_with_them(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server accepts it in no other way."""
    own: WireDict = {"regionId": "us-east1", "vpcId": "shop", "privateSubnetIds": ["shop"], "enablePrivateLink": True}
    id_, state = process.create("ByocInfrastructure", {**INPUTS, **own})
    process.update("ByocInfrastructure", id_, state, {**INPUTS, **own, "gcpPscSubnetId": "psc"})
    (_, last) = sandbox.logged("update_byoc_infrastructure")
    assert last.body == {"enablePrivateLink": True, "gcpPscSubnetId": "psc"}


def test_what_only_updates_take_is_sent_by_the_next_run_if_it_fails(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The object is in state, without the properties that were not sent."""
    inputs: WireDict = {**INPUTS, "enablePublicLoadBalancer": True}
    sandbox.fault("update_byoc_infrastructure", "status", status=400, text="no")
    id_, state = process.create("ByocInfrastructure", inputs)
    assert "not brought up to date" in state["lastError"]
    assert "enablePublicLoadBalancer" in INFRASTRUCTURE.diff(state, inputs).changed
    state = process.update("ByocInfrastructure", id_, state, inputs)
    assert sandbox.objects(KIND)[id_]["enablePublicLoadBalancer"] is True
    assert INFRASTRUCTURE.diff(state, inputs).changed == ()


# -- validation ----------------------------------------------------------------------------------------------------


def test_denied_validation_creates_nothing(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error has each failed check with its reason; the program may skip the validation."""
    denied: WireDict = {**INPUTS, "accountId": DENIED_ACCOUNT}
    with pytest.raises(ResourceError) as error:
        process.create("ByocInfrastructure", denied, "urn:ours")
    first, second = str(error.value).split("\n")
    assert "createVpc (ec2:CreateVpc): the account 000000000000 grants no permissions" in first
    assert "createCluster" in first
    assert "skipPreflightValidation" in second
    assert (sandbox.objects(KIND), sandbox.count("create_byoc_infrastructure")) == ({}, 0)
    process.create("ByocInfrastructure", {**denied, "skipPreflightValidation": True}, "urn:ours")
    assert sandbox.count("validate_byoc_infrastructure") == 1


def test_cloud_without_validation_is_a_warning(process: ProviderProcess) -> None:
    """No check at all is no success."""
    azure: WireDict = {"regionId": "eastus2", "accountId": "a", "tenantId": "t", "servicePrincipalClientId": "c"}
    process.create("ByocInfrastructure", azure)
    assert any("nothing was verified" in each for each in process.warnings)


VALIDATIONS: dict[str, tuple[WireDict, list[str]]] = {
    "all passed": ({"supported": True, "allPassed": True, "checks": [{"name": "a", "allowed": True}]}, []),
    "a denied check": (
        {"supported": True, "allPassed": False, "checks": [{"name": "a", "allowed": False, "reason": "quota"}]},
        ["a: quota"],
    ),
    "a denied check of another form": ({"supported": True, "checks": [{"allowed": False}]}, ["a check: denied"]),
    "not all passed, without checks": ({"supported": True, "allPassed": False}, ["not all checks passed"]),
}


@pytest.mark.parametrize(("answer", "denied"), VALIDATIONS.values(), ids=VALIDATIONS)
def test_flags_decide_about_a_validation(answer: WireDict, denied: list[str]) -> None:
    """Names of checks are not stable."""
    assert parse(ByocValidation, answer).denied == denied


# -- progress ------------------------------------------------------------------------------------------------------


def test_wait_shows_the_current_stage(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure to read it does not end the wait."""
    sandbox.set_latency(start=0.4)
    process = ProviderProcess(config_for(sandbox), tmp_path)
    shown: list[str] = []
    monkeypatch.setattr(process.runtime, "progress", shown.append)
    process.create("ByocInfrastructure", INPUTS)
    assert shown[0].startswith("waiting until it is ready: infra-provisioning, network / subnets: in_progress for 0 s")
    sandbox.fault("get_byoc_progress", "status", status=500, times=99)
    shown.clear()
    process.create("ByocInfrastructure", {**INPUTS, "displayName": "Other"})
    assert shown[0].startswith("waiting until it is ready: infra-provisioning for 0 s")


def test_private_endpoint_configuration_is_read(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Function and list have the infrastructure, too."""
    id_ = sandbox.add(KIND, **INPUTS)["id"]
    found = FUNCTIONS["getByocPrivateEndpointConfig"].call(process, {"byocInfrastructureId": id_})
    assert found["endpointName"].startswith("com.amazonaws.vpce.us-east-1.")
    assert (
        FUNCTIONS["getByocInfrastructure"].call(process, {"byocInfrastructureId": id_})["accountId"] == "123456789012"
    )
    (listed,) = FUNCTIONS["listByocInfrastructures"].call(process, {})["byocInfrastructures"]
    assert listed["id"] == id_
