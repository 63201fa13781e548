"""Warnings of both front ends: each names its resource, is attached to it, and comes once for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import MakeFrontEnds
from support.grpc_driver import GrpcDriver
from support.plugin import NativePlugin
from support.rules import UUID

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
    "a doubtful value": ("Service", fault("Service", WRONG), "Service.ipAccessList[0].source of 'NAME' must "),
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


def test_equal_faults_of_one_resource_are_one_warning(front_ends_of: MakeFrontEnds) -> None:
    """Twenty tiles with one fault are one warning, which says how many they are and names the last one."""
    ends = front_ends_of(vocabulary="clickhouse")
    tiles = [{"name": f"t{index}", "x": 0, "y": 3 * index, **TILE} for index in range(20)]
    ends.check("Dashboard", {"name": "board", "tiles": tiles})
    (warning,) = [each for each in ends.warnings if "begins with the word" in each]
    assert "19 more" in warning
    assert "tiles[19].config.select[0].where" in warning
