"""Roles: system roles cannot be imported, and the assignment of a role is not drift of it."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.roles import system_role
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.additions import ADDED
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


def test_permissions_changed_by_hand_are_drift(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An added one, a removed one, and an added policy; the permission that the server has added is not."""
    inputs = {"name": "Keeper", "policies": [KEEPER, POLICY]}
    role, state = process.create("Role", inputs)
    kept = sandbox.objects("roles")[role]["policies"]
    (keeper,) = (each for each in kept if MANAGE in each["permissions"])
    (other,) = (each for each in kept if each is not keeper)
    sandbox.change("roles", role, policies=[{**keeper, "permissions": [MANAGE, "x"]}, {**other, "permissions": ["a"]}])
    live = process.read("Role", role, state)
    assert live.inputs["policies"] == [{**KEEPER, "permissions": [MANAGE, "x"]}, {**POLICY, "permissions": ["a"]}]
    repaired = process.update("Role", role, live.state, inputs)
    assert repaired["addedPermissions"] == [DELETE]
    assert {MANAGE, DELETE, "a", "b"} == granted(sandbox, role)
    sandbox.change("roles", role, policies=[*kept, {**other, "resources": ["instance/*"]}])
    process.api.of(RESOURCES["Role"].collection).invalidate()
    assert process.changes("Role", process.read("Role", role, state).state, inputs) == ("policies",)


def granted(sandbox: Sandbox, role: str) -> set[str]:
    """Return all permissions that a role has on the server."""
    return {each for policy in sandbox.objects("roles")[role]["policies"] for each in policy["permissions"]}


def test_policies_of_a_create_keep_their_order(sandbox: Sandbox) -> None:
    """The vendor's Terraform provider relies on it; an update reorders them."""
    policies = [{**POLICY, "resources": [f"instance/{number}"]} for number in range(3)]
    with sandbox.management() as http:
        made = http.post("/roles", json={"name": "Reader", "actors": [], "policies": policies}).json()["result"]
        updated = http.patch(f"/roles/{made['id']}", json={"name": "Writer"}).json()["result"]
    assert [each["resources"] for each in made["policies"]] == [each["resources"] for each in policies]
    assert [each["resources"] for each in updated["policies"]] == [each["resources"] for each in policies[::-1]]


def test_permissions_that_the_vendor_is_known_to_add_are_never_drift(
    process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Not even if they appear long after the create; the same permission without the other one is."""
    role, state = process.create("Role", {"name": "Keeper", "policies": [KEEPER, POLICY]})
    policies = sandbox.objects("roles")[role]["policies"]
    sandbox.change("roles", role, policies=[{**each, "permissions": each["permissions"][:1]} for each in policies])
    state = process.read("Role", role, state).state
    sandbox.change("roles", role, policies=policies)
    process.api.of(RESOURCES["Role"].collection).invalidate()
    assert process.read("Role", role, state).inputs["policies"] == [KEEPER, POLICY]
    for each in policies:
        each["permissions"] = [*each["permissions"], DELETE]
    sandbox.change("roles", role, policies=policies)
    process.api.of(RESOURCES["Role"].collection).invalidate()
    live = process.read("Role", role, state)
    assert live.inputs["policies"] == [KEEPER, {**POLICY, "permissions": ["a", "b", DELETE]}]


@pytest.mark.parametrize(("by_hand", "drift"), [([], []), (["y"], ["y"])], ids=["as recorded", "changed since"])
def test_permissions_in_earlier_state_stay_until_they_change(
    by_hand: list[str], drift: list[str], process: ProviderProcess, sandbox: Sandbox
) -> None:
    """Earlier versions recorded as the server's what somebody else had added."""
    inputs = {"name": "Reader", "policies": [POLICY]}
    role, state = process.create("Role", inputs)
    (policy,) = sandbox.objects("roles")[role]["policies"]
    sandbox.change("roles", role, policies=[{**policy, "permissions": ["a", "b", "x", *by_hand]}])
    earlier = {name: value for name, value in state.items() if name != ADDED}
    live = process.read("Role", role, {**earlier, "addedPermissions": ["x"]})
    assert live.inputs["policies"] == [{**POLICY, "permissions": ["a", "b", *drift]}]
    assert live.state["addedPermissions"] == ["x"]


def test_lost_removal_of_a_permission_is_sent_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A role that still has the permission does not show that the update arrived."""
    role, state = process.create("Role", ROLE)
    sandbox.fault("update_role", "refuse")
    process.update("Role", role, state, {**ROLE, "policies": [{**POLICY, "permissions": ["a"]}]})
    assert granted(sandbox, role) == {"a"}


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
    """Another order is a change. Of tags without one of the two, check warns: the description has no such rule."""
    inputs = {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS}}]}
    _, state = process.create("Role", inputs)
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS[::-1]}}]})
    odd = [{**POLICY, "tags": tags} for tags in ({}, {"grants": GRANTS, "roleV2": "sql-console-admin"})]
    assert RESOURCES["Role"].check(process, {**ROLE, "policies": odd}).failures == []
    both = (
        "Role.policies[0].tags.grants or roleV2 should be given, and not both (the same at 1 more, up to policies[1]."
    )
    assert any(each.startswith(both) for each in process.warnings)
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
