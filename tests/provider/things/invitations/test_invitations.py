"""Invitations: accepted ones are done, lost ones are sent again, and nobody is removed without being told to."""

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
    """Let the person join, and return the id of the member."""
    sandbox.remove("invitations", id_)
    return str(sandbox.add("members", name="Grace", email="grace@example.com", assignedRoleIds=[CUSTOM])["id"])


@pytest.mark.parametrize("removes", [False, True])
def test_an_accepted_one_is_done(removes: bool, process: ProviderProcess, sandbox: Sandbox) -> None:
    """It stays in state, with the member; destroying it removes that one only where the program says so."""
    inputs = {**GRACE, "removeMember": removes}
    id_, state = process.create("Invitation", inputs)
    user = accept(sandbox, id_)
    live = process.read("Invitation", id_, state)
    assert live.state["userId"] == user
    assert not process.changes("Invitation", live.state, inputs)
    process.delete("Invitation", id_, live.state)
    assert (user in sandbox.objects("members")) is not removes
    assert len(process.warnings) == (not removes)


def test_one_that_is_gone_is_sent_again(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It has expired, or somebody has withdrawn it: nobody of the address is a member."""
    id_, state = process.create("Invitation", GRACE)
    sandbox.remove("invitations", id_)
    assert lifecycle.read(process, INVITATION, id_, state, {}) == (id_, None)


def test_everything_but_what_happens_at_the_end_replaces(process: ProviderProcess) -> None:
    """There is no update; the spelling of the address is no change."""
    _, state = process.create("Invitation", GRACE)
    assert INVITATION.diff(state, {**GRACE, "email": "grace@EXAMPLE.com", "removeMember": True}).replaces == ()
    others: list[WireDict] = [{"email": "ada@example.com"}, {"assignedRoleIds": []}, {"role": "admin"}]
    for other in others:
        assert INVITATION.diff(state, {**GRACE, **other}).replaces == tuple(other)
