"""Check of a service, through both front ends: what its table in `checks` does not hold."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.testing import UNKNOWN
from support.front_ends import FrontEnds, MakeFrontEnds
from things.services.checks import USUAL


def test_all_failures_show_together(front_ends: FrontEnds) -> None:
    """One preview shows everything that is wrong: fields first, then the rules between them."""
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
        pytest.param("maxReplicaMemoryGb", {"minReplicaMemoryGb": 356}, id="least memory below an unknown most"),
        pytest.param("provider", {"tier": "development"}, id="development on an unknown cloud"),
        pytest.param("tier", {"releaseChannel": "fast"}, id="release channel with an unknown tier"),
    ],
)
def test_a_rule_waits_for_its_unknown_values(unknown: str, rest: dict[str, Any], front_ends: FrontEnds) -> None:
    """A rule between fields is not applied while one of them is unknown."""
    assert front_ends.check("Service", {**USUAL, unknown: UNKNOWN, **rest}).failures == []


def test_unknown_values_hide_nothing_else(front_ends: FrontEnds) -> None:
    """Beside unknown values, at any depth, the known ones are judged as ever."""
    entries = [UNKNOWN, {"source": UNKNOWN}, {"source": "any", "description": UNKNOWN}]
    checked = front_ends.check("Service", {"name": UNKNOWN, "ipAccessList": entries, "numReplicas": 21})
    assert checked.paths == ["ipAccessList[2].source", "numReplicas"]
    assert checked.inputs["ipAccessList"] == entries


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("tier", "production", "leave it out"),
        ("minTotalMemoryGb", 24, "use minReplicaMemoryGb"),
        ("maxTotalMemoryGb", 24, "use maxReplicaMemoryGb"),
    ],
)
def test_a_deprecated_property_is_accepted_with_a_warning(
    name: str, value: Any, advice: str, front_ends_of: MakeFrontEnds
) -> None:
    """What is deprecated goes on working; one warning says what to use."""
    host = front_ends_of(organizationTier="SCALE")
    for _ in range(2):
        assert host.check("Service", {**USUAL, name: value}).failures == []
    told = [line for line in host.warnings if line.startswith(f"Service.{name} is deprecated: ")]
    assert len(told) == 1
    assert advice in told[0]


@pytest.mark.parametrize("value", [" ", 987654321, ["s3cr3t-k3y"], {"key": "s3cr3t-k3y"}], ids=repr)
def test_a_secret_is_not_shown_in_its_failure(value: Any, front_ends: FrontEnds) -> None:
    """A failure of a secret property says the rule, never the value."""
    (failure,) = front_ends.check("Service", {**USUAL, "encryptionKey": value}).failures
    assert failure in (
        "encryptionKey must not be empty, not the secret value given",
        "encryptionKey must be text, not the secret value given",
    )


def test_a_secret_is_not_shown_in_failures_of_others(front_ends: FrontEnds) -> None:
    """A good secret appears nowhere among the failures."""
    failures = front_ends.check("Service", {"name": "", "encryptionKey": "s3cr3t-k3y", "colour": "red"}).failures
    assert len(failures) == 2
    assert "s3cr3t-k3y" not in str(failures)


@pytest.mark.parametrize(("region", "neutral", "clickhouse"), [("me-central-1", 0, 0), ("ap-northeast-2", 1, 0)])
def test_the_vocabulary_decides_on_regions(
    region: str, neutral: int, clickhouse: int, front_ends_of: MakeFrontEnds
) -> None:
    """The interface has a list of its own; the vendor's own servers decide themselves."""
    inputs = {**USUAL, "region": region}
    assert len(front_ends_of().check("Service", inputs).failures) == neutral
    assert len(front_ends_of(vocabulary="clickhouse").check("Service", inputs).failures) == clickhouse
