"""A resource whose list omits inputs: one declaration of its collection changes the provider and the sandbox.

No list of current servers omits inputs, so these tests use a list of roles without policies.
"""

from __future__ import annotations

from collections import Counter

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.roles.api import Roles
from support.sessions import ProviderProcess

pytestmark = pytest.mark.beyond_the_description

POLICY = {"allowDeny": "ALLOW", "permissions": ["a"], "resources": ["instance/1"]}
OTHER_POLICY = {**POLICY, "allowDeny": "DENY"}
ROLE: WireDict = {"name": "Reader", "policies": [POLICY]}


@pytest.fixture(autouse=True)
def partial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare that lists of roles omit their policies."""
    monkeypatch.setattr(Roles, "not_listed", ("policies",))


def test_refresh_detects_changes_of_omitted_fields(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It sends one read for each object, and so does an import."""
    role, state = process.create("Role", ROLE)
    sandbox.change("roles", role, policies=[OTHER_POLICY])
    sandbox.forget_requests()
    process.api.lists.clear()
    assert process.read("Role", role, state).inputs == {**ROLE, "policies": [OTHER_POLICY]}
    assert Counter(each.operation for each in sandbox.requests) == {"list_roles": 1, "get_role": 1}
    with sandbox.management() as http:
        (listed,) = [each for each in http.get("/roles").json()["result"] if each["id"] == role]
    assert "policies" not in listed
    assert process.read("Role", role, {}).inputs == {**ROLE, "policies": [OTHER_POLICY]}


def test_lost_create_is_compared_with_whole_objects(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The list alone has no difference to a role with other policies."""
    sandbox.fault("create_role", "commit_then_status", status=500)
    role, state = process.create("Role", ROLE)
    assert [each for each, document in sandbox.objects("roles").items() if document["name"] == "Reader"] == [role]
    assert state["policies"][0]["allowDeny"] == "ALLOW"


def test_role_with_other_policies_is_not_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Another client has created it at the same time, with the same name."""
    process.api.of(Roles).records()  # before it exists
    sandbox.fault("create_role", "status", status=500)
    sandbox.add("roles", name="Reader", policies=[OTHER_POLICY])
    with pytest.raises(ResourceError, match="the list shows no new one"):
        process.create("Role", ROLE)


def test_adopted_object_is_updated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The program has changed a field that the list omits."""
    sandbox.fault("create_role", "commit_then_status", status=500)
    sandbox.fault("list_roles", "status", status=400, times=100)
    with pytest.raises(Exception, match="Reader"):
        process.create("Role", ROLE)
    sandbox.clear_faults()
    role, state = process.create("Role", {**ROLE, "policies": [OTHER_POLICY]})
    assert sandbox.objects("roles")[role]["policies"][0]["allowDeny"] == "DENY"
    assert state["policies"][0]["allowDeny"] == "DENY"
