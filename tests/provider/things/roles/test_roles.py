"""Roles: those of the system stay out of programs, and whom others give a role is no change of it."""

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


def test_the_order_of_policies_is_no_change(process: ProviderProcess) -> None:
    """Servers give each policy an id, and some empty tags."""
    role, state = process.create("Role", {**ROLE, "policies": [POLICY, {**POLICY, "allowDeny": "DENY"}]})
    turned = {**POLICY, "permissions": ["b", "a"]}
    assert not process.changes("Role", state, {**ROLE, "policies": [{**turned, "allowDeny": "DENY"}, turned]})
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "resources": ["instance/*"]}]})
    assert process.read("Role", role, state).inputs["policies"][0] == POLICY


PROGRAMS: dict[str, list[WireDict]] = {
    "one policy": [KEEPER],
    "beside others": [POLICY, KEEPER, {**POLICY, "resources": ["instance/3"]}],
    "of the same resources": [{**POLICY, "permissions": ["a"]}, KEEPER, {**POLICY, "permissions": ["c", MANAGE]}],
    "allowed and denied": [KEEPER, {**KEEPER, "allowDeny": "DENY"}],
    "with the added one": [{**POLICY, "permissions": [DELETE, MANAGE]}],
    "with grants": [{**KEEPER, "tags": {"grants": GRANTS}}, {**KEEPER, "tags": {"roleV2": "sql-console-admin"}}],
}


@pytest.mark.parametrize("policies", PROGRAMS.values(), ids=PROGRAMS)
def test_permissions_that_the_server_adds_are_no_drift(policies: list[WireDict], process: ProviderProcess) -> None:
    """The vendor's backend also reorders policies and renews their ids: each second run is clean all the same."""
    inputs = {"name": "Keeper", "policies": policies}
    role, state = process.create("Role", inputs)
    for name in ("Keeper", "Keeper of all", "Keeper again"):
        live = process.read("Role", role, state)
        assert live.inputs["policies"] == policies
        assert live.state.get("addedPermissions", []) == ([] if DELETE in policies[0]["permissions"] else [DELETE])
        assert not process.changes("Role", live.state, {**inputs, "name": live.inputs["name"]})
        state = process.update("Role", role, live.state, {**inputs, "name": name})


def test_only_what_is_declared_is_repaired(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A permission that somebody adds stays, one that somebody takes away comes back; a policy more is one too many."""
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


def test_a_role_whose_response_was_lost_is_found_by_what_it_shows(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The permission that the server has added says nothing against it; one that is not there does."""
    sandbox.fault("create_role", "lose")
    role, state = process.create("Role", {"name": "Keeper", "policies": [KEEPER]})
    assert [id_ for id_, each in sandbox.objects("roles").items() if each["type"] == "custom"] == [role]
    assert state["addedPermissions"] == [DELETE]


def test_an_update_whose_response_was_lost_is_done(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is not sent again: the role has what was sent, and more."""
    role, state = process.create("Role", ROLE)
    sandbox.fault("update_role", "lose")
    process.update("Role", role, state, {**ROLE, "policies": [KEEPER]})
    assert sandbox.count("update_role") == 1


def test_grants_are_statements_in_order(process: ProviderProcess) -> None:
    """They take effect one after the other: another order is a change, and no other form of tags is a role's."""
    inputs = {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS}}]}
    _, state = process.create("Role", inputs)
    assert process.changes("Role", state, {**ROLE, "policies": [{**POLICY, "tags": {"grants": GRANTS[::-1]}}]})
    for tags in ({}, {"grants": GRANTS, "roleV2": "sql-console-admin"}):
        checked = RESOURCES["Role"].check(process, {**ROLE, "policies": [{**POLICY, "tags": tags}]})
        assert [failure.path for failure in checked.failures] == ["policies[0].tags.grants"]
    (failure,) = RESOURCES["Role"].check(process, {**ROLE, "policies": [{**POLICY, "tags": {"grants": []}}]}).failures
    assert "at least 1" in failure.reason


def test_empty_tags_of_a_server_are_none(process: ProviderProcess, sandbox: Sandbox) -> None:
    """They are neither drift nor imported."""
    role, state = process.create("Role", ROLE)
    (policy,) = sandbox.objects("roles")[role]["policies"]
    sandbox.change("roles", role, policies=[{**policy, "tags": {}}])
    assert process.read("Role", role, state).inputs == ROLE
    _, imported = lifecycle.read(process, RESOURCES["Role"], role, {}, {})
    assert imported is not None
    assert imported.inputs == ROLE


def test_a_system_role_takes_actors_and_nothing_else(sandbox: Sandbox) -> None:
    """As Terraform's assignments of the role `Member` need it."""
    with sandbox.management() as http:
        names = {each["name"] for each in http.get("/roles").json()["result"] if each["type"] == "system"}
        assert {"Admin", "Billing", "Org API reader", "Member"} <= names
        path = f"/roles/{system_role('member')}"
        assert http.patch(path, json={"actors": ["user/1"]}).json()["result"]["actors"] == ["user/1"]
        refused: list[WireDict] = [{"name": "Mine"}, {"policies": []}, {"name": "Mine", "actors": []}]
        for body in refused:
            assert http.patch(path, json=body).status_code == 400
        assert http.delete(path).status_code == 400


def test_a_role_of_the_system_is_not_imported(process: ProviderProcess) -> None:
    """Nobody could change or delete it."""
    listed = RESOURCES["Role"].collection(process.api).list().values()
    system = next(each for each in listed if each.type == "system")
    with pytest.raises(ResourceError, match="is the server's own"):
        lifecycle.read(process, RESOURCES["Role"], str(system.id), {}, {})
