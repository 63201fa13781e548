"""Members: nobody is made or removed, and roles that were taken out go back to what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from support.sessions import ORGANIZATION, ProviderProcess, config_of
from things.members.life import CUSTOM, DEVELOPER, a_member


def test_destroying_puts_back_what_was_found(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Also what an update takes out; who has left meanwhile needs nothing."""
    user = a_member(sandbox)["user_id"]
    roles = {"userId": user, "assignedRoleIds": [CUSTOM]}
    id_, state = process.create("Member", {"userId": user, "role": "admin"})
    assert id_ == user
    state = process.update("Member", id_, state, roles)
    assert sandbox.objects("members")[user]["role"] == "developer"
    process.delete("Member", id_, state)
    assert sandbox.objects("members")[user]["assignedRoleIds"] == [DEVELOPER]
    sandbox.remove("members", user)
    process.delete("Member", id_, state)


def test_nobody_becomes_a_member(process: ProviderProcess) -> None:
    """That takes an invitation."""
    with pytest.raises(ResourceError, match=r"Member .* does not exist"):
        process.create("Member", {"userId": ORGANIZATION, "assignedRoleIds": [CUSTOM]})


def test_the_interface_has_no_members(tmp_path: Path) -> None:
    """A preview says so, and how to reach servers that do."""
    process = ProviderProcess(config_of(), tmp_path)
    (failure,) = RESOURCES["Member"].check(process, {"userId": ORGANIZATION}).failures
    assert "only: set clouddb:vocabulary=clickhouse" in failure.reason
