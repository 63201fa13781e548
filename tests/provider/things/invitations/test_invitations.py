"""Invitations: accepted ones remain in state, withdrawn ones are sent again, and members remain by default."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import WireDict
from support.sessions import ProviderProcess
from things.members.life import CUSTOM

GRACE = {"email": "Grace@example.com", "assignedRoleIds": [CUSTOM]}
INVITATION = RESOURCES["Invitation"]


def accept(sandbox: Sandbox, id_: str) -> str:
    """Accept the invitation, and return the member's id."""
    sandbox.remove("invitations", id_)
    return str(sandbox.add("members", name="Grace", email="grace@example.com", assignedRoleIds=[CUSTOM])["id"])


def test_server_takes_both_forms_of_roles_and_keeps_one(process: ProviderProcess, sandbox: Sandbox) -> None:
    """So check refuses them: no description does, but the role would be drift in each run."""
    both = {**GRACE, "role": "admin"}
    with sandbox.management() as http:
        made = http.post("/invitations", json=both)
    assert [each["roleId"] for each in made.json()["result"]["assignedRoles"]] == [CUSTOM]
    assert [each.path for each in INVITATION.check(process, both).failures] == ["role"]


@pytest.mark.parametrize("removes", [False, True])
def test_accepted_invitation_is_in_state_with_its_member(
    removes: bool, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """A destroy removes the member only if `removeMember` is true."""
    inputs = {**GRACE, "removeMember": removes}
    id_, state = process.create("Invitation", inputs)
    user = accept(sandbox, id_)
    live = process.read("Invitation", id_, state)
    assert live.state["userId"] == user
    assert not process.changes("Invitation", live.state, inputs)
    process.delete("Invitation", id_, live.state)
    assert (user in sandbox.objects("members")) is not removes
    assert len(process.warnings) == (not removes)


def test_missing_invitation_is_recreated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It has expired or was withdrawn: no member has its address."""
    id_, state = process.create("Invitation", GRACE)
    sandbox.remove("invitations", id_)
    assert lifecycle.read(process, INVITATION, id_, state, {}) == (id_, None)


def test_changes_replace_except_remove_member(process: ProviderProcess) -> None:
    """There is no update; upper and lower case in the address are equal."""
    _, state = process.create("Invitation", GRACE)
    assert INVITATION.diff(state, {**GRACE, "email": "grace@EXAMPLE.com", "removeMember": True}).replaces == ()
    others: list[WireDict] = [{"email": "ada@example.com"}, {"assignedRoleIds": []}, {"role": "admin"}]
    for other in others:
        assert INVITATION.diff(state, {**GRACE, **other}).replaces == tuple(other)
