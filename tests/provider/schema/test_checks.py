"""Check: each limit and rule of the interface, with its message; both front ends report several at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import CheckResult
from support.front_ends import FrontEnds, MakeFrontEnds
from support.rows import Values
from support.sessions import ProviderProcess, config_of
from support.things import modules
from things.alerts.vendor_checks import ALERT
from things.api_keys.checks import KEY
from things.byoc_infrastructures.checks import BYOC
from things.dashboards.config_checks import BOARD
from things.pipes.scalings.checks import SCALING
from things.services.vendor_checks import SERVICE

URL = "http://127.0.0.1:9"
USUAL = {each.resource: each.inputs for each in (SERVICE, KEY, BYOC, BOARD, SCALING, ALERT)}
"""Valid inputs of the resources whose tables have each property."""

CHECKED_ELSEWHERE = {
    "Service": {"encryptionKey"},
    "ByocInfrastructure": {
        *("availabilityZoneSuffixes", "displayName", "enablePrivateLoadBalancer", "enablePublicLoadBalancer"),
        *("skipPreflightValidation", "waitTimeoutMinutes"),
    },
}
"""Properties that are never shown, which services/test_check_service.py tests, and those without a rule."""

PROPERTIES = {name: sorted(RESOURCES[name].type.inputs.model_json_schema()["properties"]) for name in USUAL}


def checked(
    resource: str, inputs: Values, config: Mapping[str, str], *, secret: bool = False
) -> tuple[CheckResult, list[str]]:
    """Return the check result of inputs, all of which may be secret, and the warnings about values."""
    only = RESOURCES[resource].type.only
    dialect = {"vocabulary": only.value} if only else {}
    session = ProviderProcess(config_of(**{"baseUrl": URL, "stackUrl": URL, **dialect, **config}), Path())
    result = RESOURCES[resource].check(session, inputs, {*inputs} if secret else ())
    return result, [each for each in session.warnings if " is deprecated: " not in each]


@pytest.mark.parametrize("resource", USUAL)
def test_every_property_has_a_row(resource: str) -> None:
    """A new property of a model needs one with a valid value, or a wrong one."""
    rows = [row for module in modules("checks") for row in module.CASES if row.resource == resource]
    named = {name for row in rows for name in (*row.valid, *row.change)}
    assert named | CHECKED_ELSEWHERE.get(resource, set()) == set(PROPERTIES[resource])


@pytest.mark.parametrize("resource", USUAL)
def test_unknown_value_passes_check(resource: str) -> None:
    """An unknown value of any property causes no failure, and stays unknown."""
    for name in PROPERTIES[resource]:
        result, _ = checked(resource, {**USUAL[resource], name: UNKNOWN}, {})
        assert (name, result.failures) == (name, [])
        assert result.inputs[name] is UNKNOWN


@pytest.mark.parametrize(
    ("resource", "inputs", "paths"),
    [
        pytest.param(
            "ApiKey", {"keyId": UNKNOWN, "rotation": "1", "onDelete": "delete"}, [], id="a key of unknown origin"
        ),
        pytest.param(
            "ApiKey", {"name": "k", "roles": [UNKNOWN, "root"]}, ["roles[1]"], id="a role beside an unknown one"
        ),
        pytest.param(
            "Dashboard",
            {"name": "d", "tiles": [{"name": UNKNOWN}, {"name": UNKNOWN}, {"key": UNKNOWN, "x": "1"}]},
            ["tiles[2].x"],
            id="tiles of unknown names",
        ),
        pytest.param(
            "Dashboard", {"name": "d", "tiles": [{"name": UNKNOWN}, {"w": 1}]}, ["tiles"], id="a tile without any name"
        ),
        pytest.param(
            "Dashboard",
            {"name": "d", "tiles": [{"name": "a", "series": [{"sourceId": UNKNOWN, "aggFn": 1}], "config": UNKNOWN}]},
            ["tiles[0].series[0].aggFn", "tiles"],
            id="a series of an unknown source",
        ),
        pytest.param(
            "Dashboard", {"name": "d", "tiles": [{"name": "a", "config": {"b": [UNKNOWN]}}]}, [], id="unknown config"
        ),
        pytest.param(
            "Alert",
            {**USUAL["Alert"], "channel": {"type": UNKNOWN, "webhookId": 1}},
            ["channel.webhookId"],
            id="an unknown channel",
        ),
    ],
)
def test_known_values_are_checked_beside_unknown_ones(
    resource: str, inputs: dict[str, Any], paths: list[str], front_ends: FrontEnds
) -> None:
    """This holds at any depth; rules over several fields are skipped if one of them is unknown."""
    assert front_ends.check(resource, inputs).paths == paths


@pytest.mark.parametrize(
    ("resource", "inputs", "paths"),
    [
        ("PipeScaling", {"replicas": 11, "concurrency": 35}, ["replicas", "concurrency", "serviceId", "pipeId"]),
        (
            "ApiKey",
            {"state": "on", "roles": [], "ipAccessList": [{}]},
            ["ipAccessList[0].source", "roles", "state", "name"],
        ),
        ("Dashboard", {"tags": 1}, ["name", "tags", "tiles"]),
        ("Alert", {"name": ""}, ["threshold", "interval", "thresholdType", "name", "channel"]),
    ],
)
def test_all_failures_are_reported_together(
    resource: str, inputs: dict[str, Any], paths: list[str], front_ends: FrontEnds
) -> None:
    """One preview reports everything that is wrong."""
    assert front_ends.check(resource, inputs).paths == paths


def test_defaults_are_filled_in(front_ends: FrontEnds) -> None:
    """Check adds constant defaults, so that a preview shows them."""
    inputs = {name: value for name, value in USUAL["Alert"].items() if name != "source"}
    assert front_ends.check("Alert", inputs).inputs == USUAL["Alert"]


@pytest.mark.parametrize(
    ("dialect", "failures"), [("neutral", ["replicas must be at most 10, not 41"]), ("clickhouse", [])]
)
def test_dialect_decides_on_the_replica_limit_of_a_pipe(
    dialect: str, failures: list[str], front_ends_of: MakeFrontEnds
) -> None:
    """The interface allows 10 replicas; the vendor's servers decide themselves."""
    host = front_ends_of(vocabulary=dialect)
    assert host.check("PipeScaling", {**USUAL["PipeScaling"], "replicas": 10}).failures == []
    assert host.check("PipeScaling", {**USUAL["PipeScaling"], "replicas": 41}).failures == failures
