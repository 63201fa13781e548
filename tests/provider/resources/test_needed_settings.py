"""A preview needs the settings of the server that a resource lives on, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import UNKNOWN
from support.sessions import NOWHERE, ORGANIZATION, ProviderProcess

MANAGEMENT = ("baseUrl", "organizationId", "keyId", "keySecret")
SELF_HOSTED = ("stackUrl", "stackToken")

CASES = {
    **{
        f"{name}": (name, None, MANAGEMENT)
        for name in (
            *("Service", "Pipe", "PipeScaling", "PipeCdcScaling", "PostgresService", "ApiKey", "OrganizationSettings"),
            *("PrivateEndpoint", "UserDefinedFunction", "UdfAttachment", "ByocInfrastructure", "Role", "Invitation"),
            "Member",
        )
    },
    **{f"{name}": (name, ORGANIZATION, MANAGEMENT) for name in ("StackRole", "ReversePrivateEndpoint")},
    **{name: (name, None, SELF_HOSTED) for name in ("Connection", "StackInvitation")},
    **{
        f"{name}, {form}": (name, service_id, needed)
        for name in ("Dashboard", "Alert", "SavedSearch", "Webhook", "Source")
        for form, service_id, needed in (
            ("self-hosted", None, SELF_HOSTED),
            ("of a service", ORGANIZATION, MANAGEMENT),
            ("of a service that is not known yet", UNKNOWN, MANAGEMENT),
        )
    },
}


def missing(name: str, service_id: object, settings: tuple[str, ...], folder: Path) -> str:
    """Return what check says of settings, where only these are given."""
    given = {each: NOWHERE[f"clouddb:{each}"] for each in settings}
    process = ProviderProcess(ProviderConfig.model_validate({**given, "vocabulary": "clickhouse"}), folder)
    inputs = {} if service_id is None else {"serviceId": service_id}
    said = [each.reason for each in RESOURCES[name].check(process, inputs).failures if not each.path]
    return " ".join(said)


@pytest.mark.parametrize(("name", "service_id", "needed"), CASES.values(), ids=CASES)
def test_only_what_its_server_needs_is_missing(
    name: str, service_id: object, needed: tuple[str, ...], tmp_path: Path
) -> None:
    """With all of it nothing is said; with the other server's settings, all that is needed is named at once."""
    assert missing(name, service_id, needed, tmp_path) == ""
    other = SELF_HOSTED if needed is MANAGEMENT else MANAGEMENT
    said = missing(name, service_id, other, tmp_path)
    assert [each for each in (*MANAGEMENT, *SELF_HOSTED) if f"clouddb:{each}" in said] == [
        each
        for each in needed
        if each != "baseUrl"  # that of the vendor's API is known
    ]
