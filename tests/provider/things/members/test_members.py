"""Members: they are neither created nor removed, and their original roles are restored."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from support.sessions import ORGANIZATION, ProviderProcess, config_of
from things.members.life import CUSTOM, DEVELOPER, a_member


def test_destroy_restores_the_original_roles(process: ProviderProcess, sandbox: Sandbox) -> None:
    """An update to the other form restores nothing beside it; a member who has left needs no request."""
    user = a_member(sandbox)["user_id"]
    roles = {"userId": user, "assignedRoleIds": [CUSTOM]}
    id_, state = process.create("Member", {"userId": user, "role": "admin"})
    assert id_ == user
    state = process.update("Member", id_, state, roles)
    assert sandbox.requests[-1].body == {"assignedRoleIds": [CUSTOM]}
    process.delete("Member", id_, state)
    assert sandbox.objects("members")[user]["assignedRoleIds"] == [DEVELOPER]
    sandbox.remove("members", user)
    process.delete("Member", id_, state)


def test_destroy_restores_all_roles_after_the_older_form(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A server that is given one role may forget the others."""
    user = a_member(sandbox)["user_id"]
    sandbox.change("members", user, assignedRoleIds=[DEVELOPER, CUSTOM])
    id_, state = process.create("Member", {"userId": user, "role": "admin"})
    process.delete("Member", id_, state)
    assert sandbox.requests[-1].body == {"role": "developer", "assignedRoleIds": [DEVELOPER, CUSTOM]}


def test_missing_member_is_an_error(process: ProviderProcess) -> None:
    """Only an invitation adds a member."""
    with pytest.raises(ResourceError, match=r"Member .* does not exist"):
        process.create("Member", {"userId": ORGANIZATION, "assignedRoleIds": [CUSTOM]})


def test_neutral_dialect_has_no_members(tmp_path: Path) -> None:
    """The failure of the preview names the setting for servers with members."""
    process = ProviderProcess(config_of(), tmp_path)
    (failure,) = RESOURCES["Member"].check(process, {"userId": ORGANIZATION}).failures
    assert "only: set clouddb:vocabulary=clickhouse" in failure.reason
