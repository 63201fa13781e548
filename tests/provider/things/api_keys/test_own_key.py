"""A program that changes the key with which the provider sends its requests: the preview warns of what it loses."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import UNKNOWN
from support.front_ends import FrontEnds, MakeFrontEnds
from support.grpc_driver import GrpcDriver
from support.rows import UUID
from support.sessions import NOWHERE

OWN = NOWHERE["clouddb:keyId"]
OTHER = UUID.replace("1", "6")
OFFICE, ANYWHERE = {"source": "203.0.113.0/24"}, {"source": "0.0.0.0/0"}
KEY = {"name": "ci", "roles": ["admin", "developer"], "ipAccessList": [OFFICE]}
ADOPTED = {"name": "adopted", "keyId": UUID, "adopted": True, "original": {"roles": ["developer"], "state": "enabled"}}
BY_ID = {"roles": None, "assignedRoleIds": [UUID, OTHER]}
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "disabled": ({}, {"state": "disabled"}, "the program disables it: later"),
    "without a role": ({}, {"roles": ["developer"]}, "the program takes away its role admin: later"),
    "without a role by id": (BY_ID, {**BY_ID, "assignedRoleIds": [OTHER]}, f"takes away its role {UUID}: later"),
    "with its former roles": (ADOPTED, {"keyId": UUID, "roles": None}, "the program takes away its role admin: later"),
    "for other addresses": ({}, {"ipAccessList": [{"source": "203.0.113.7"}]}, "takes addresses from its ipAccessList"),
    "expiring at once": ({}, {"expireAt": "2020-01-01T00:00:00Z"}, "lets it expire at 2020-01-01T00:00:00Z: later"),
    "rotated": ({"rotation": "1"}, {"rotation": "2"}, "the program replaces it: later"),
    "losing several rights": (
        {},
        {"state": "disabled", "roles": ["developer"]},
        "the program disables it and takes away its role admin: later",
    ),
    "unchanged": ({}, {}, ""),
    "for more addresses": ({}, {"ipAccessList": [ANYWHERE]}, ""),
    "with another name": ({}, {"name": "CI"}, ""),
    "expiring next century": ({}, {"expireAt": "2100-01-01T00:00:00Z"}, ""),
    "with unknown values": (
        {},
        {"roles": [UNKNOWN], "ipAccessList": UNKNOWN, "state": UNKNOWN, "expireAt": UNKNOWN},
        "",
    ),
}
"""What state has beside the usual inputs, what the program changes, and the warning, which no other case has."""


@pytest.mark.parametrize(("stored", "changed", "expected"), CHANGES.values(), ids=CHANGES)
def test_change_of_the_own_key(
    stored: dict[str, Any], changed: dict[str, Any], expected: str, front_ends_of: MakeFrontEnds
) -> None:
    """A created key is known by its id, and any other by the end of its id; other keys may lose everything."""
    ends = front_ends_of(vocabulary="clickhouse")
    before = known({**KEY, **stored})
    inputs = known({**before, "adopted": None, "original": None, **changed})
    state = {"__managed": [name for name in before if name not in ("adopted", "original")], **before}

    def warnings(**identity: str) -> list[str]:
        known_before = len(ends.native.warnings)
        for driver in (ends.native, ends.dynamic):
            driver.diff("ApiKey", UUID, {**state, **identity}, inputs)
        return ends.warnings[known_before:]

    assert warnings(accessKeyId="another-id", keySuffix=OWN[-4:]) == warnings(keySuffix="eeee") == []
    certain, probable = warnings(accessKeyId=OWN, keySuffix=OWN[-4:]), warnings(keySuffix=OWN[-4:])
    assert [expected in each for each in certain] == [True] * bool(expected)
    assert [expected in each and "is probably the key" in each for each in probable] == [True] * bool(expected)


def known(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are set."""
    return {name: value for name, value in values.items() if value is not None}


def test_adoption_of_the_own_key(sandbox: Sandbox, processes: FrontEnds) -> None:
    """The check of a new resource reads the key that it names."""
    own = sandbox.add(
        "keys", name="ci", roles=["admin"], keyId="the-own-key-of-the-ci", keySecret="own-secret-of-the-ci"
    )
    adopted = {"keyId": own["key"]["id"], "roles": ["developer"]}

    def previewed(driver: GrpcDriver) -> list[str]:
        driver.configure({**sandbox.config, "clouddb:keyId": own["keyId"], "clouddb:keySecret": own["keySecret"]})
        assert driver.check("ApiKey", adopted, urn="urn:pulumi:dev::shop::clouddb:index:ApiKey::ci").failures == []
        return driver.warnings

    for warnings in processes.both(previewed):
        assert ["the program takes away its role admin: later" in each for each in warnings] == [True]
