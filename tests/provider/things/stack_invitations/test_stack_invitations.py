"""Invitations to a team: unique by mail address, with a secret URL, and in state after they are accepted."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import NotFoundError, ResourceError
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.resource import lifecycle
from support.sessions import ProviderProcess

KIND = "stack_invitations"
GRACE = {"email": "Grace@example.com", "name": "Grace"}
INVITATION = RESOURCES["StackInvitation"]


@pytest.mark.parametrize("removes", [False, True])
def test_accepted_invitation_is_in_state_with_its_member(
    removes: bool, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """A destroy removes the member only if `removeMember` is true."""
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


@pytest.mark.parametrize(("fault", "fails"), [("commit_then_status", False), ("status", True)])
def test_destroy_accepts_a_member_who_has_just_been_removed(
    fault: str, fails: bool, process: ProviderProcess, sandbox: Sandbox
) -> None:
    """404 counts as success only if the list no longer contains the member."""
    id_, state = process.create("StackInvitation", {**GRACE, "removeMember": True})
    sandbox.change(KIND, id_, accepted=True)
    process.api.of(INVITATION.collection).invalidate()
    live = process.read("StackInvitation", id_, state)
    sandbox.fault("delete_stack_member", fault, status=404)
    with pytest.raises(NotFoundError) if fails else nullcontext():
        process.delete("StackInvitation", id_, live.state)
    assert len(FUNCTIONS["listStackMembers"].call(process, {})["members"]) == 1 + fails


def test_missing_invitation_is_recreated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It was withdrawn: no member has its address."""
    id_, state = process.create("StackInvitation", GRACE)
    sandbox.remove(KIND, id_)
    process.api.of(INVITATION.collection).invalidate()
    assert lifecycle.read(process, INVITATION, id_, state, {}) == (id_, None)


def test_existing_invitation_is_not_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server would return it, as if it had been created."""
    id_ = sandbox.add(KIND, email="grace@example.com")["id"]
    with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
        process.create("StackInvitation", GRACE)


def test_url_is_secret(process: ProviderProcess) -> None:
    """Anybody with the URL can join."""
    assert "url" in INVITATION.type.secrets
    _, state = process.create("StackInvitation", GRACE)
    assert "join-team" in state["url"]


def test_lost_create_is_adopted_by_its_time(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The list has the time of creation."""
    sandbox.fault("create_stack_invitation", "lose")
    id_, _ = process.create("StackInvitation", GRACE)
    assert [*sandbox.objects(KIND)] == [id_]


def test_get_team_returns_the_name(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It creates no invitation."""
    assert FUNCTIONS["getTeam"].call(process, {})["name"] == "Sandbox"
    assert sandbox.objects(KIND) == {}
