"""The organization: its original settings are restored, and no other organization is changed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import ResourceError, UnauthorizedError
from pulumi_clouddb.registry import FUNCTIONS
from pulumi_clouddb.schema.check.findings import findings_of
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


DAYS = {"fromDate": "2026-01-01", "toDate": "2026-01-31"}
TIMES = {"postgresServiceId": ORGANIZATION, "fromDate": "2026-01-01T00:00:00Z", "toDate": "2026-01-02T00:00:00Z"}
DOUBTED: dict[str, tuple[str, Mapping[str, object], Mapping[str, object], str]] = {
    "a tag with a colon": (
        "getUsageCost",
        {**DAYS, "filters": ["tag:team=shop", "tag:team"]},
        {"filters": ["tag:team:shop"]},
        "filters should each be `tag:KEY` or `tag:KEY=VALUE`",
    ),
    "times to come": (
        "listPostgresLogs",
        TIMES,
        {"fromDate": "2226-01-01T00:00:00Z", "toDate": "2226-01-02T00:00:00Z"},
        "fromDate should be in the past, not '2226-01-01T00:00:00Z'",
    ),
    "a zone of profiles": (
        "listServiceProfiles",
        {"regionId": "us-east-1"},
        {"regionId": "us-east-1a"},
        "regionId should be a region such as us-east-1, not 'us-east-1a'; did you mean us-east-1?",
    ),
}


@pytest.mark.parametrize(("name", "usual", "changed", "warning"), DOUBTED.values(), ids=DOUBTED)
def test_arguments_that_find_nothing_are_warned_of(
    name: str, usual: Mapping[str, object], changed: Mapping[str, object], warning: str, process: ProviderProcess
) -> None:
    """The server would answer with an empty list."""
    model = FUNCTIONS[name].type.inputs
    found = [findings_of(model, values, process.rules) for values in (usual, {**usual, **changed})]
    assert [(each.failures, [*map(str, each.unlisted)]) for each in found] == [([], []), ([], [warning])]
