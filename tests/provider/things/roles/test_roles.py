"""Roles: system roles cannot be imported, and the assignment of a role is not drift of it."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess

POLICY = {"allowDeny": "ALLOW", "permissions": ["a", "b"], "resources": ["instance/1", "instance/2"]}
ROLE = {"name": "Reader", "policies": [POLICY]}
MANAGE, DELETE = "control-plane:service:manage", "control-plane:service:delete"
KEEPER = {**POLICY, "permissions": [MANAGE]}
GRANTS = ["GRANT SELECT ON default.*", "REVOKE SELECT ON default.secret"]


def test_key_has_a_role_by_its_id(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The key is an actor of the role then, which is not drift."""
    role, state = process.create("Role", ROLE)
    key, _ = process.create("ApiKey", {"name": "Reports", "assignedRoleIds": [role]})
    live = process.read("Role", role, state)
    assert live.state["actors"] == [f"apiKey/{key}"]
    assert live.inputs == ROLE
    process.update("Role", role, live.state, {**ROLE, "name": "Other"})
    assert sandbox.objects("keys")[key]["assignedRoleIds"] == [role]


def test_update_sends_only_changed_properties(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Changes by other clients are kept."""
    role, state = process.create("Role", ROLE)
    process.update("Role", role, state, {**ROLE, "name": "Other"})
    assert [request.body for request in sandbox.logged(method="PATCH")] == [{"name": "Other"}]


def test_order_of_policies_is_no_change(process: ProviderProcess) -> None:
    """Neither are ids of policies and empty tags that servers add."""
    role, state = process.create("Role", {**ROLE, "policies": [POLICY, {**POLICY, "allowDeny": "DENY"}]})
    turned = {**POLICY, "permissions": ["b", "a"]}
    assert not process.changes("Role", state, {**ROLE, "policies": [{**turned, "allowDeny": "DENY"}, turned]})
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "resources": ["instance/*"]}]})
    assert process.read("Role", role, state).inputs["policies"][0] == POLICY


PROGRAMS: dict[str, list[WireDict]] = {
    "one policy": [KEEPER],
    "several policies": [POLICY, KEEPER, {**POLICY, "resources": ["instance/3"]}],
    "of the same resources": [{**POLICY, "permissions": ["a"]}, KEEPER, {**POLICY, "permissions": ["c", MANAGE]}],
    "allowed and denied": [KEEPER, {**KEEPER, "allowDeny": "DENY"}],
    "with the added permission": [{**POLICY, "permissions": [DELETE, MANAGE]}],
    "with grants": [{**KEEPER, "tags": {"grants": GRANTS}}, {**KEEPER, "tags": {"roleV2": "sql-console-admin"}}],
}


@pytest.mark.parametrize("policies", PROGRAMS.values(), ids=PROGRAMS)
def test_permissions_that_the_server_adds_are_no_drift(policies: list[WireDict], process: ProviderProcess) -> None:
    """The vendor's server also reorders policies and changes their ids: a second run has no changes."""
    inputs = {"name": "Keeper", "policies": policies}
    role, state = process.create("Role", inputs)
    for name in ("Keeper", "Keeper of all", "Keeper again"):
        live = process.read("Role", role, state)
        assert live.inputs["policies"] == policies
        assert live.state.get("addedPermissions", []) == ([] if DELETE in policies[0]["permissions"] else [DELETE])
        assert not process.changes("Role", live.state, {**inputs, "name": live.inputs["name"]})
        state = process.update("Role", role, live.state, {**inputs, "name": name})


def test_only_declared_permissions_are_repaired(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An added permission is kept, a removed one is drift, and so is an added policy."""
    inputs = {"name": "Keeper", "policies": [KEEPER, POLICY]}
    role, state = process.create("Role", inputs)
    kept = sandbox.objects("roles")[role]["policies"]
    (keeper,) = (each for each in kept if MANAGE in each["permissions"])
    (other,) = (each for each in kept if each is not keeper)
    sandbox.change("roles", role, policies=[{**keeper, "permissions": [MANAGE, "x"]}, {**other, "permissions": ["a"]}])
    live = process.read("Role", role, state)
    assert live.inputs["policies"] == [KEEPER, {**POLICY, "permissions": ["a"]}]
    assert live.state["addedPermissions"] == ["x"]
    sandbox.change("roles", role, policies=[*kept, {**other, "resources": ["instance/*"]}])
    process.api.of(RESOURCES["Role"].collection).invalidate()
    assert process.changes("Role", process.read("Role", role, state).state, inputs) == ("policies",)


def test_lost_create_is_adopted_by_its_policies(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The permission that the server adds does not prevent it."""
    sandbox.fault("create_role", "lose")
    role, state = process.create("Role", {"name": "Keeper", "policies": [KEEPER]})
    assert [id_ for id_, each in sandbox.objects("roles").items() if each["type"] == "custom"] == [role]
    assert state["addedPermissions"] == [DELETE]


def test_lost_update_is_not_repeated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The role has the sent values, and an added permission."""
    role, state = process.create("Role", ROLE)
    sandbox.fault("update_role", "lose")
    process.update("Role", role, state, {**ROLE, "policies": [KEEPER]})
    assert sandbox.count("update_role") == 1


def test_grants_are_ordered_statements(process: ProviderProcess) -> None:
    """Another order is a change; check rejects other forms of tags."""
    inputs = {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS}}]}
    _, state = process.create("Role", inputs)
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS[::-1]}}]})
    for tags in ({}, {"grants": GRANTS, "roleV2": "sql-console-admin"}):
        checked = RESOURCES["Role"].check(process, {**ROLE, "policies": [{**POLICY, "tags": tags}]})
        assert [failure.path for failure in checked.failures] == ["policies[0].tags.grants"]
    (failure,) = RESOURCES["Role"].check(process, {**ROLE, "policies": [{**POLICY, "tags": {"grants": []}}]}).failures
    assert "at least 1" in failure.reason


def test_empty_tags_are_omitted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """They are neither drift nor imported."""
    role, state = process.create("Role", ROLE)
    (policy,) = sandbox.objects("roles")[role]["policies"]
    sandbox.change("roles", role, policies=[{**policy, "tags": {}}])
    assert process.read("Role", role, state).inputs == ROLE
    _, imported = lifecycle.read(process, RESOURCES["Role"], role, {}, {})
    assert imported is not None
    assert imported.inputs == ROLE


def test_sandbox_only_changes_actors_of_a_system_role(sandbox: Sandbox) -> None:
    """Terraform's assignments of the role `Member` need this."""
    with sandbox.management() as http:
        names = {each["name"] for each in http.get("/roles").json()["result"] if each["type"] == "system"}
        assert {"Admin", "Billing", "Org API reader", "Member"} <= names
        path = f"/roles/{system_role('member')}"
        assert http.patch(path, json={"actors": ["user/1"]}).json()["result"]["actors"] == ["user/1"]
        rejected: list[WireDict] = [{"name": "Mine"}, {"policies": []}, {"name": "Mine", "actors": []}]
        for body in rejected:
            assert http.patch(path, json=body).status_code == 400
        assert http.delete(path).status_code == 400


def test_system_role_is_not_imported(process: ProviderProcess) -> None:
    """It cannot be changed or deleted."""
    listed = RESOURCES["Role"].collection(process.api).list().values()
    system = next(each for each in listed if each.type == "system")
    with pytest.raises(ResourceError, match="is the server's own"):
        lifecycle.read(process, RESOURCES["Role"], str(system.id), {}, {})
