"""Roles of keys: none, by id, or by name in the older form; the original roles are restored."""

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
def test_key_without_roles_is_valid(roles: WireDict, process: ProviderProcess, sandbox: Sandbox) -> None:
    """Query endpoints list the keys that may call them. A refresh shows no drift, and a role can be added later."""
    inputs = {"name": "queries", **roles}
    id_, state = process.create("ApiKey", inputs)
    live = process.read("ApiKey", id_, state)
    assert live.inputs == inputs
    assert live.state["assignedRoles"] == []
    assert not process.changes("ApiKey", live.state, inputs)
    process.update("ApiKey", id_, live.state, {"name": "queries", "assignedRoleIds": [CUSTOM]})
    assert sandbox.keys[id_]["assignedRoleIds"] == [CUSTOM]


def test_neutral_dialect_requires_a_role(tmp_path: Path) -> None:
    """Its keys have at least one role."""
    process = ProviderProcess(config_of(), tmp_path)
    failures = RESOURCES["ApiKey"].check(process, {"name": "queries"}).failures
    assert "roles" in [failure.path for failure in failures]


ORIGINAL: dict[str, dict[str, Any]] = {
    "no role": {"roles": []},
    "older roles": {"roles": ["admin"]},
    "roles by id": {"roles": [], "assignedRoleIds": [CUSTOM]},
    "frozen older roles": {"roles": ["admin"], "assignedRoleIds": [CUSTOM]},
}
NEW_ROLES: list[WireDict] = [{"roles": ["developer"]}, {"assignedRoleIds": [CUSTOM.replace("2", "3")]}]


@pytest.mark.parametrize("new_roles", NEW_ROLES, ids=["by name", "by id"])
@pytest.mark.parametrize("original", ORIGINAL.values(), ids=ORIGINAL)
def test_original_roles_of_an_adopted_key_are_restored(
    original: dict[str, Any], new_roles: WireDict, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """This holds for either form; a server may reject an empty list in the older form."""
    key = str(sandbox.add_key(name="existing", **original)["key"]["id"])
    before = process.api.of(RESOURCES["ApiKey"].collection).get(key).answer["assignedRoles"]
    id_, state = process.create("ApiKey", {"keyId": key, **new_roles})
    assert process.read("ApiKey", id_, state).inputs == {"keyId": key, **new_roles}
    process.delete("ApiKey", id_, state)
    assert process.api.of(RESOURCES["ApiKey"].collection).get(key).answer["assignedRoles"] == before


def test_imported_key_without_roles_has_no_drift(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The inputs of the import are a valid program."""
    key = str(sandbox.add_key(name="existing", roles=[])["key"]["id"])
    _, imported = lifecycle.read(process, RESOURCES["ApiKey"], key, {}, {})
    assert imported is not None
    assert RESOURCES["ApiKey"].check(process, imported.inputs).failures == []
    assert not process.changes("ApiKey", imported.state, imported.inputs)
