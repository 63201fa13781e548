"""Roles of keys: none, those by id, or the older ones by name, which come back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess, config_of
from things.members.life import CUSTOM


@pytest.mark.parametrize("roles", [{}, {"assignedRoleIds": []}], ids=["not set", "empty"])
def test_a_key_may_have_no_role(roles: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """Query endpoints name the keys that may call them. A refresh shows no drift, and a role can follow."""
    inputs = {"name": "queries", **roles}
    id_, state = process.create("ApiKey", inputs)
    live = process.read("ApiKey", id_, state)
    assert live.inputs == inputs
    assert live.state["assignedRoles"] == []
    assert not process.changes("ApiKey", live.state, inputs)
    process.update("ApiKey", id_, live.state, {"name": "queries", "assignedRoleIds": [CUSTOM]})
    assert sandbox.keys[id_]["assignedRoleIds"] == [CUSTOM]


def test_the_interface_asks_for_a_role(tmp_path: Path) -> None:
    """Its keys have at least one."""
    process = ProviderProcess(config_of(), tmp_path)
    failures = RESOURCES["ApiKey"].check(process, {"name": "queries"}).failures
    assert "roles" in [failure.path for failure in failures]


FOUND: dict[str, dict[str, Any]] = {
    "no role": {"roles": []},
    "older roles": {"roles": ["admin"]},
    "roles by id": {"roles": [], "assignedRoleIds": [CUSTOM]},
    "frozen older roles": {"roles": ["admin"], "assignedRoleIds": [CUSTOM]},
}
ASKED: list[WireDict] = [{"roles": ["developer"]}, {"assignedRoleIds": [CUSTOM.replace("2", "3")]}]


@pytest.mark.parametrize("asked", ASKED, ids=["by name", "by id"])
@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_an_adopted_key_gets_its_roles_back(
    found: dict[str, Any], asked: WireDict, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Whichever form the program has set: a server may accept no empty list of older ones."""
    key = str(sandbox.add_key(name="theirs", **found)["key"]["id"])
    before = process.api.of(RESOURCES["ApiKey"].collection).get(key).answer["assignedRoles"]
    id_, state = process.create("ApiKey", {"keyId": key, **asked})
    assert process.read("ApiKey", id_, state).inputs == {"keyId": key, **asked}
    process.delete("ApiKey", id_, state)
    assert process.api.of(RESOURCES["ApiKey"].collection).get(key).answer["assignedRoles"] == before


def test_an_imported_key_without_roles_is_managed_without_drift(process: ProviderProcess, sandbox: Sandbox) -> None:
    """What the import says of it is a program that passes."""
    key = str(sandbox.add_key(name="theirs", roles=[])["key"]["id"])
    _, imported = lifecycle.read(process, RESOURCES["ApiKey"], key, {}, {})
    assert imported is not None
    assert RESOURCES["ApiKey"].check(process, imported.inputs).failures == []
    assert not process.changes("ApiKey", imported.state, imported.inputs)
