"""Roles: those of the system stay out of programs, and whom others give a role is no change of it."""

from __future__ import annotations

import pytest

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.sandbox import Sandbox
from support.sessions import ProviderProcess

POLICY = {"allowDeny": "ALLOW", "permissions": ["a", "b"], "resources": ["instance/1", "instance/2"]}
ROLE = {"name": "Reader", "policies": [POLICY]}


def test_a_key_takes_a_role_by_its_id(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The role's id is what a key asks for; that the key is an actor of the role then is no drift."""
    role, state = process.create("Role", ROLE)
    key, _ = process.create("ApiKey", {"name": "Reports", "assignedRoleIds": [role]})
    live = process.read("Role", role, state)
    assert live.state["actors"] == [f"apiKey/{key}"]
    assert live.inputs == ROLE
    process.update("Role", role, live.state, {**ROLE, "name": "Other"})
    assert sandbox.objects("keys")[key]["assignedRoleIds"] == [role]


def test_an_update_sends_what_changed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """What somebody else has changed meanwhile stays."""
    role, state = process.create("Role", ROLE)
    process.update("Role", role, state, {**ROLE, "name": "Other"})
    assert [request.body for request in sandbox.logged(method="PATCH")] == [{"name": "Other"}]


def test_the_order_of_policies_and_what_servers_add_is_no_change(process: ProviderProcess) -> None:
    """Servers give each policy an id."""
    role, state = process.create("Role", {**ROLE, "policies": [POLICY, {**POLICY, "allowDeny": "DENY"}]})
    turned = {**POLICY, "permissions": ["b", "a"], "tags": {}}
    assert not process.changes("Role", state, {**ROLE, "policies": [{**turned, "allowDeny": "DENY"}, turned]})
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "resources": ["instance/*"]}]})
    assert process.read("Role", role, state).inputs["policies"][0] == POLICY


def test_a_role_of_the_system_is_not_imported(process: ProviderProcess) -> None:
    """Nobody could change or delete it."""
    listed = RESOURCES["Role"].collection(process.api).list().values()
    system = next(each for each in listed if each.type == "system")
    with pytest.raises(ResourceError, match="is the server's own"):
        lifecycle.read(process, RESOURCES["Role"], str(system.id), {}, {})
