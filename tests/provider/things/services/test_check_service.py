"""Check of a service, in both front ends, beyond the table in `checks`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN
from support.front_ends import FrontEnds, MakeFrontEnds
from support.sessions import ProviderProcess, config_for
from things.services.vendor_checks import SERVICE

USUAL = SERVICE.inputs


def test_all_failures_are_reported_together(front_ends: FrontEnds) -> None:
    """A preview reports failures of properties first, then those of the rules between them."""
    inputs = {
        "name": "or-ders",
        "provider": "azure",
        "tier": "development",
        "region": "mars",
        "isReadonly": True,
        "numReplicas": 21,
        "minReplicaMemoryGb": 48,
        "maxReplicaMemoryGb": 16,
        "ipAccessList": [{"source": "10.0.0.300"}],
        "colour": "red",
    }
    assert front_ends.check("Service", inputs).paths == [
        "name",
        "region",
        "ipAccessList[0].source",
        "numReplicas",
        "colour",
        "isReadonly",
        "minReplicaMemoryGb",
        "tier",
    ]


@pytest.mark.parametrize(
    ("unknown", "rest"),
    [
        pytest.param("dataWarehouseId", {"isReadonly": True}, id="isReadonly with an unknown warehouse"),
        pytest.param("dataWarehouseId", {"numReplicas": 1}, id="one replica with an unknown warehouse"),
        pytest.param("byocId", {"minReplicaMemoryGb": 100}, id="memory with an unknown byocId"),
        pytest.param("maxReplicaMemoryGb", {"minReplicaMemoryGb": 356}, id="minimum of memory with an unknown maximum"),
        pytest.param("provider", {"tier": "development"}, id="development on an unknown cloud"),
        pytest.param("tier", {"releaseChannel": "fast"}, id="release channel with an unknown tier"),
    ],
)
def test_rule_with_an_unknown_value_is_not_applied(unknown: str, rest: dict[str, Any], front_ends: FrontEnds) -> None:
    """A rule between properties needs all of them."""
    assert front_ends.check("Service", {**USUAL, unknown: UNKNOWN, **rest}).failures == []


def test_known_values_beside_unknown_ones_are_checked(front_ends: FrontEnds) -> None:
    """This holds at any depth."""
    entries = [UNKNOWN, {"source": UNKNOWN}, {"source": "any", "description": UNKNOWN}]
    checked = front_ends.check("Service", {"name": UNKNOWN, "ipAccessList": entries, "numReplicas": 21})
    assert checked.paths == ["ipAccessList[2].source", "numReplicas"]
    assert checked.inputs["ipAccessList"] == entries


@pytest.mark.parametrize(
    ("name", "value", "instruction"),
    [
        ("tier", "production", "leave it out"),
        ("minTotalMemoryGb", 24, "use minReplicaMemoryGb"),
        ("maxTotalMemoryGb", 24, "use maxReplicaMemoryGb"),
    ],
)
def test_deprecated_property_is_accepted_with_a_warning(
    name: str, value: Any, instruction: str, front_ends_of: MakeFrontEnds
) -> None:
    """A single warning names the alternative."""
    host = front_ends_of(organizationTier="SCALE")
    for _ in range(2):
        assert host.check("Service", {**USUAL, name: value}).failures == []
    warnings = [line for line in host.warnings if line.startswith(f"Service.{name} is deprecated: ")]
    assert len(warnings) == 1
    assert instruction in warnings[0]


@pytest.mark.parametrize("value", [" ", 987654321, ["s3cr3t-k3y"], {"key": "s3cr3t-k3y"}], ids=repr)
def test_failure_of_a_secret_does_not_quote_it(value: Any, front_ends: FrontEnds) -> None:
    """It has only the rule."""
    (failure,) = front_ends.check("Service", {**USUAL, "encryptionKey": value}).failures
    assert re.match("encryptionKey must (not be empty|be text), not the secret value given", failure)
    assert "s3cr3t-k3y" not in failure


def test_failures_of_other_properties_do_not_quote_a_secret(front_ends: FrontEnds) -> None:
    """No failure contains a valid secret."""
    failures = front_ends.check("Service", {"name": "", "encryptionKey": "s3cr3t-k3y", "colour": "red"}).failures
    assert len(failures) == 2
    assert "s3cr3t-k3y" not in str(failures)


@pytest.mark.parametrize(("region", "neutral", "clickhouse"), [("me-central-1", 0, 0), ("ap-northeast-2", 1, 0)])
def test_dialect_decides_on_regions(region: str, neutral: int, clickhouse: int, front_ends_of: MakeFrontEnds) -> None:
    """The interface has a list of regions; the vendor's servers decide themselves."""
    inputs = {**USUAL, "region": region}
    assert len(front_ends_of().check("Service", inputs).failures) == neutral
    assert len(front_ends_of(vocabulary="clickhouse").check("Service", inputs).failures) == clickhouse


def test_first_service_may_have_a_single_replica(tmp_path: Path) -> None:
    """The vendor creates such services, and scales in to one: a program then follows its colleague."""
    inputs = {"name": "orders", "provider": "aws", "region": "us-east-1", "numReplicas": 3}
    single = {**inputs, "numReplicas": 1}
    with Sandbox(vocabulary="clickhouse") as sandbox:
        service_id, state = ProviderProcess(config_for(sandbox), tmp_path).create("Service", inputs)
        sandbox.change("services", service_id, numReplicas=1)
        process = ProviderProcess(config_for(sandbox), tmp_path)
        refreshed = process.read("Service", service_id, state)
        assert refreshed.inputs["numReplicas"] == 1
        assert process.changes("Service", refreshed.state, single) == ()
        assert process.create("Service", {**single, "name": "single"})[1]["numReplicas"] == 1
