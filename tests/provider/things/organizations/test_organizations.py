"""The organization: its settings go back to what they were, and no other organization is touched."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError, UnauthorizedError
from support.sessions import ORGANIZATION, ProviderProcess


def test_destroying_puts_back_what_was_found(process: ProviderProcess, sandbox: Sandbox) -> None:
    """What the program never set stays as somebody else has set it meanwhile; what it takes out goes back at once."""
    id_, state = process.create("OrganizationSettings", {"name": "Acme", "enableCoreDumps": False})
    assert id_ == sandbox.organization_id
    state = process.update("OrganizationSettings", id_, state, {"name": "Acme"})
    assert sandbox.objects("organizations")[id_]["enableCoreDumps"] is True
    sandbox.change("organizations", id_, enableCoreDumps=False)
    process.delete("OrganizationSettings", id_, state)
    organization = sandbox.objects("organizations")[id_]
    assert (organization["name"], organization["enableCoreDumps"]) == ("Sandbox", False)


def test_nothing_is_changed_that_could_not_be_put_back(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A name of another type would be forgotten."""
    sandbox.fault("get_organization", "wrong_types")
    with pytest.raises(ResourceError, match="returned name, enableCoreDumps with an unexpected type"):
        process.create("OrganizationSettings", {"name": "Acme"})
    assert sandbox.objects("organizations")[sandbox.organization_id]["name"] == "Sandbox"
    process.create("OrganizationSettings", {"name": "Acme"})


def test_another_organization_is_not_touched(process: ProviderProcess) -> None:
    """State names the organization that was changed, also after the configuration names another one."""
    _, state = process.create("OrganizationSettings", {"name": "Acme"})
    with pytest.raises(UnauthorizedError, match="another organization"):
        process.update("OrganizationSettings", ORGANIZATION, state, {"name": "Other"})
