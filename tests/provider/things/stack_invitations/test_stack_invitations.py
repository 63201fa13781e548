"""Invitations to a team: one of an address, whose address to join at is a secret, and done once it is accepted."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.sessions import ProviderProcess

KIND = "stack_invitations"
GRACE = {"email": "Grace@example.com", "name": "Grace"}
INVITATION = RESOURCES["StackInvitation"]


@pytest.mark.parametrize("removes", [False, True])
def test_an_accepted_one_is_done(removes: bool, process: ProviderProcess, sandbox: Sandbox) -> None:
    """It stays in state, with the member; destroying it removes that one only where the program says so."""
    inputs = {**GRACE, "removeMember": removes}
    id_, state = process.create("StackInvitation", inputs)
    sandbox.change(KIND, id_, accepted=True)
    process.api.of(INVITATION.collection).invalidate()
    live = process.read("StackInvitation", id_, state)
    members = FUNCTIONS["listStackMembers"].call(process, {})["members"]
    assert [each["email"] for each in members] == ["admin@example.com", "grace@example.com"]
    assert live.state["userId"] == members[1]["id"]
    assert not process.changes("StackInvitation", live.state, inputs)
    process.delete("StackInvitation", id_, live.state)
    assert len(FUNCTIONS["listStackMembers"].call(process, {})["members"]) == 2 - removes
    assert len(process.warnings) == (not removes)


def test_one_that_is_gone_is_made_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Somebody has withdrawn it, and nobody of the address is a member."""
    id_, state = process.create("StackInvitation", GRACE)
    sandbox.remove(KIND, id_)
    process.api.of(INVITATION.collection).invalidate()
    assert lifecycle.read(process, INVITATION, id_, state, {}) == (id_, None)


def test_one_of_somebody_else_is_not_taken(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server would answer it, as if it was made."""
    id_ = sandbox.add(KIND, email="grace@example.com")["id"]
    with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
        process.create("StackInvitation", GRACE)


def test_where_to_join_is_a_secret(process: ProviderProcess) -> None:
    """Whoever has the address may join."""
    assert "url" in INVITATION.type.secrets
    _, state = process.create("StackInvitation", GRACE)
    assert "join-team" in state["url"]


def test_a_lost_response_invites_once(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The list tells when the invitation was made."""
    sandbox.fault("create_stack_invitation", "lose")
    id_, _ = process.create("StackInvitation", GRACE)
    assert [*sandbox.objects(KIND)] == [id_]


def test_the_team_is_told(process: ProviderProcess, sandbox: Sandbox) -> None:
    """By its name."""
    assert FUNCTIONS["getTeam"].call(process, {})["name"] == "Sandbox"
    assert sandbox.objects(KIND) == {}
