"""Infrastructures: read with the organization, and never replaced for what no server answers."""

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
OURS: WireDict = {"regionId": "us-east-1", "accountId": "123456789012", "displayName": "Ours"}


def test_it_is_ready_when_it_is_created_and_shown_by_the_organization(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """What the organization shows has its id, which services take."""
    id_, state = process.create("ByocInfrastructure", OURS)
    assert state["state"] == "infra-ready"
    with sandbox.management() as http:
        (shown,) = http.get("").json()["result"]["byocConfig"]
    assert (shown["id"], shown.get("accountId")) == (id_, None)
    process.delete("ByocInfrastructure", id_, state)
    with sandbox.management() as http:
        assert [each["state"] for each in http.get("").json()["result"]["byocConfig"]] in ([], ["infra-terminated"])


def test_an_imported_one_is_not_replaced_for_what_no_server_answers(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A program may name the account then; another account later is another infrastructure."""
    id_ = sandbox.add(KIND, **OURS)["id"]
    _, live = lifecycle.read(process, INFRASTRUCTURE, id_, {}, {})
    assert live is not None
    assert "accountId" not in live.inputs
    named = {**live.inputs, "accountId": "123456789012", "vpcCidrRange": "10.0.0.0/16"}
    assert INFRASTRUCTURE.diff(live.state, named).replaces == ()
    state = process.update("ByocInfrastructure", id_, live.state, {**named, "displayName": "Shop"})
    assert INFRASTRUCTURE.diff(state, {**named, "accountId": "210987654321"}).replaces == ("accountId",)


@pytest.mark.parametrize("fault", ["lose", "commit_then_status"])
def test_a_lost_response_makes_no_second_one(
    fault: str, process: ProviderProcess, sandbox: Sandbox, tmp_path: Path
) -> None:
    """No server tells when one was created: the person is told which it may be."""
    details = {"status": 502} if fault == "commit_then_status" else {}
    sandbox.fault("create_byoc_infrastructure", fault, **details)
    with pytest.raises(ResourceError, match="nothing proves that it is one of") as refused:
        process.create("ByocInfrastructure", OURS, "urn:ours")
    (id_,) = sandbox.objects(KIND)
    assert id_ in str(refused.value)
    again = ProviderProcess(config_for(sandbox), tmp_path)
    with pytest.raises(ResourceError, match="nothing proves that it is one of"):
        again.create("ByocInfrastructure", OURS, "urn:ours")
    assert [*sandbox.objects(KIND)] == [id_]


@pytest.mark.parametrize(
    ("other", "path"),
    [
        ({"vpcCidrRange": "10.0.0.0"}, "vpcCidrRange"),
        ({"vpcCidrRange": "10.0.0.1/16"}, "vpcCidrRange"),
    ],
)
def test_bad_input_is_refused_by_check(other: WireDict, path: str, process: ProviderProcess) -> None:
    """At its property, before anything is sent."""
    session = process.for_resource("urn:ours")
    failures = lifecycle.check(session, INFRASTRUCTURE, {**OURS, **other}).failures
    assert [each.path for each in failures] == [path]


def test_a_new_one_needs_an_account(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Nobody knows that of an imported one, so check cannot ask for it; nothing is made without."""
    with pytest.raises(ResourceError, match=r"does not set its account.*\nSet accountId"):
        process.create("ByocInfrastructure", {**OURS, "accountId": None}, "urn:ours")
    assert sandbox.objects(KIND) == {}
