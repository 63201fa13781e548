"""The organization: its original settings are restored, and no other organization is changed."""

from __future__ import annotations

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError, UnauthorizedError
from support.sessions import ORGANIZATION, ProviderProcess


def test_destroy_restores_the_original_settings(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A removed setting is restored by the update; a later change of it by hand is kept."""
    id_, state = process.create("OrganizationSettings", {"name": "Acme", "enableCoreDumps": False})
    assert id_ == sandbox.organization_id
    state = process.update("OrganizationSettings", id_, state, {"name": "Acme"})
    assert sandbox.objects("organizations")[id_]["enableCoreDumps"] is True
    sandbox.change("organizations", id_, enableCoreDumps=False)
    process.delete("OrganizationSettings", id_, state)
    organization = sandbox.objects("organizations")[id_]
    assert (organization["name"], organization["enableCoreDumps"]) == ("Sandbox", False)


def test_setting_with_an_unreadable_original_is_not_changed(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The original name has another type, so it could not be restored."""
    sandbox.fault("get_organization", "wrong_types")
    with pytest.raises(ResourceError, match="returned name, enableCoreDumps with an unexpected type"):
        process.create("OrganizationSettings", {"name": "Acme"})
    assert sandbox.objects("organizations")[sandbox.organization_id]["name"] == "Sandbox"
    process.create("OrganizationSettings", {"name": "Acme"})


def test_another_organization_is_not_changed(process: ProviderProcess) -> None:
    """State has the id of the changed organization, even if the configuration names another one later."""
    _, state = process.create("OrganizationSettings", {"name": "Acme"})
    with pytest.raises(UnauthorizedError, match="another organization"):
        process.update("OrganizationSettings", ORGANIZATION, state, {"name": "Other"})
