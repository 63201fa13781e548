"""Warnings of both front ends: each names its resource, is attached to it, and comes once for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.check.wording import LATER, REFUSED
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import MakeFrontEnds
from support.grpc_driver import GrpcDriver
from support.plugin import NativePlugin
from support.rows import UUID
from support.sessions import ProviderProcess, config_for, config_of

URL = "https://api.example.com"
SERVICE = {"provider": "aws", "region": "us-east-1"}
WRONG = {**SERVICE, "ipAccessList": [{"source": "203.0.113.7/24"}]}
CONDITION = {"aggFn": "count", "where": "WHERE 1 = 2", "whereLanguage": "sql"}
TILE = {
    "w": 4,
    "h": 3,
    "config": {"displayType": "line", "sourceId": "0123456789abcdef01234567", "select": [CONDITION]},
}
NAMES = ("a", "b", "c")


def urn(driver: GrpcDriver, kind: str, name: str) -> str:
    """Return the URN of a resource, whose type is that of the front end."""
    type_ = RESOURCES[kind].type
    token = type_.token if isinstance(driver, NativePlugin) else type_.dynamic_token
    return f"urn:pulumi:dev::tests::{token}::{name}"


def fault(kind: str, inputs: Any) -> Callable[[GrpcDriver], None]:
    """Return a function that checks three resources with one fault, the first twice."""

    def act(driver: GrpcDriver) -> None:
        for name in (*NAMES, NAMES[0]):
            assert driver.check(kind, {**inputs, "name": f"orders {name}"}, urn=urn(driver, kind, name)).failures == []

    return act


FAULTS = {
    "a doubtful value": ("Service", fault("Service", WRONG), "Service.ipAccessList[0].source of 'NAME' should "),
    "a deprecated property": (
        "Service",
        fault("Service", {**SERVICE, "minTotalMemoryGb": 24, "maxTotalMemoryGb": 48}),
        "Service.minTotalMemoryGb of 'NAME' is deprecated",
    ),
    "an unknown service": (
        "SavedQuery",
        fault("SavedQuery", {"serviceId": UUID, "database": "default", "sql": "SELECT 1"}),
        f"SavedQuery 'NAME' is for service {UUID}",
    ),
    "a doubtful text": (
        "Dashboard",
        fault("Dashboard", {"tiles": [{"name": "t", "x": 0, "y": 0, **TILE}]}),
        "Dashboard.tiles[0].config.select[0].where of 'NAME' ",
    ),
}
"""The kind of resource, what is called, and the beginning of each warning."""


@pytest.mark.parametrize("case", FAULTS)
def test_each_resource_with_a_fault_has_its_warning(case: str, front_ends_of: MakeFrontEnds, sandbox: Sandbox) -> None:
    """Three resources with one fault have one warning each, which names the resource and is attached to it."""
    kind, act, begins = FAULTS[case]
    ends = front_ends_of(**{name.partition(":")[2]: value for name, value in sandbox.config.items()})
    for driver, spelt in ((ends.native, str), (ends.dynamic, in_python)):
        act(driver)
        expected = [spelt(begins.replace("NAME", name)) for name in NAMES]
        warned = zip(driver.warnings, driver.engine.warned, strict=True)
        told = [(text, at) for text, at in warned if any(map(text.startswith, expected))]
        assert [at for _, at in told] == [urn(driver, kind, name) for name in NAMES], driver.warnings
        assert all(text.startswith(begin) for (text, _), begin in zip(told, expected, strict=True))


@pytest.mark.parametrize(
    ("ignored", "left"),
    {
        "": ("Service.ipAccessList", "Service.minTotalMemoryGb", "Service.maxTotalMemoryGb"),
        "Service.ipAccessList[].source": ("Service.minTotalMemoryGb", "Service.maxTotalMemoryGb"),
        "Service.ipAccessList[0].source": ("Service.minTotalMemoryGb", "Service.maxTotalMemoryGb"),
        "Service.ip_access_list, Service.min_total_memory_gb": ("Service.maxTotalMemoryGb",),
        '["Service.ipAccessList[].description"]': (
            "Service.ipAccessList",
            "Service.minTotalMemoryGb",
            "Service.maxTotalMemoryGb",
        ),
        "Alert,Service": (),
    }.items(),
)
def test_place_is_silenced(ignored: str, left: tuple[str, ...], front_ends_of: MakeFrontEnds) -> None:
    """Nothing is warned of at the places of `clouddb:ignoreWarnings`, nor within them, in either spelling."""
    ends = front_ends_of(vocabulary="clickhouse", ignoreWarnings=ignored)
    ends.check("Service", {**WRONG, "name": "orders", "minTotalMemoryGb": 24, "maxTotalMemoryGb": 48})
    assert sorted(each.partition("[")[0].partition(" ")[0] for each in ends.warnings) == sorted(left)


def test_what_a_run_does_is_not_silenced(front_ends_of: MakeFrontEnds, sandbox: Sandbox) -> None:
    """A warning without a place, such as of a service that does not exist, is shown whatever is silenced."""
    config = {name.partition(":")[2]: value for name, value in sandbox.config.items()}
    ends = front_ends_of(**config, ignoreWarnings="SavedQuery")
    ends.native.check(
        "SavedQuery",
        {"serviceId": UUID, "name": "q", "database": "d", "sql": "SELECT 1"},
        urn=urn(ends.native, "SavedQuery", "q"),
    )
    assert [each for each in ends.native.warnings if f"is for service {UUID}" in each]


ENDPOINT = {"serviceId": UUID, "queryId": UUID}
CONNECTION = {"name": "c", "username": "u", "host": "https://db.example.com:8443"}
AFTER: dict[str, tuple[str, dict[str, Any], str]] = {
    "a newer value": ("Service", {**SERVICE, "region": "mars-1"}, REFUSED),
    "a number beyond the known ones": ("Service", {**SERVICE, "numReplicas": 51}, REFUSED),
    "an address without its protocol": ("Connection", {**CONNECTION, "host": "db.example.com"}, LATER),
    "a statement too many": (
        "QueryApiEndpoint",
        {"serviceId": UUID, "queryId": UUID, "sql": "SELECT 1; SELECT 2"},
        LATER,
    ),
    "what the reason says itself": ("Dashboard", {"tiles": [{"name": "t", "x": 0, "y": 0, **TILE}]}, ""),
    "what is not known": ("Service", WRONG, ""),
}
"""The kind of resource, its inputs, and the second line of the warning."""


@pytest.mark.parametrize(("kind", "inputs", "then"), AFTER.values(), ids=AFTER)
def test_second_line_says_what_servers_do(kind: str, inputs: dict[str, Any], then: str) -> None:
    """It says what they do with the value, where that is known, and is absent otherwise."""
    session = ProviderProcess(config_of(baseUrl=URL, stackUrl=URL, vocabulary="clickhouse"), Path())
    RESOURCES[kind].check(session, {"name": "orders", **inputs})
    (warning,) = [each for each in session.warnings if " is deprecated: " not in each]
    assert warning.partition("\n")[2] == then


def test_value_of_a_server_is_not_doubted(sandbox: Sandbox, tmp_path: Path) -> None:
    """An import gives a value that the server has, so nothing is said of it; a program that writes it is warned."""
    service_id = sandbox.add("services", name="Orders", provider="aws", region="mars-1")["id"]
    process = ProviderProcess(config_for(sandbox), tmp_path)
    inputs = process.read("Service", service_id, {}).inputs
    assert inputs["region"] == "mars-1"
    assert process.warnings == []
    RESOURCES["Service"].check(process, inputs)
    assert len(process.warnings) == 1


def test_text_of_a_file_is_not_doubted() -> None:
    """A file of one line ends with a line break."""
    arguments = FUNCTIONS["readDashboardExport"].type.inputs
    assert findings_of(arguments, {"text": '{"tiles": []}\n'}, RuleContext()).warnings == []


def test_equal_faults_of_one_resource_are_one_warning(front_ends_of: MakeFrontEnds) -> None:
    """Twenty tiles with one fault are one warning, which says how many they are and names the last one."""
    ends = front_ends_of(vocabulary="clickhouse")
    tiles = [{"name": f"t{index}", "x": 0, "y": 3 * index, **TILE} for index in range(20)]
    ends.check("Dashboard", {"name": "board", "tiles": tiles})
    (warning,) = [each for each in ends.warnings if "begins with the word" in each]
    assert "19 more" in warning
    assert "tiles[19].config.select[0].where" in warning
