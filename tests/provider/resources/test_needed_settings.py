"""A preview requires the settings of the server that a resource uses, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from lives.table import WIRE_LIVES
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import UNKNOWN
from support.sessions import NOWHERE, ORGANIZATION, ProviderProcess

MANAGEMENT = ("baseUrl", "keyId", "keySecret")
SELF_HOSTED = ("stackUrl", "stackToken")

CASES: dict[str, tuple[str, object, tuple[str, ...]]] = {
    wire.name: (
        wire.life.name,
        ORGANIZATION if "serviceId" in wire.before else None,
        SELF_HOSTED if OPERATIONS[wire.operations[0]].server_kind is ServerKind.SELF_HOSTED else MANAGEMENT,
    )
    for wire in WIRE_LIVES
}
"""Each life, with the settings that its server needs."""

CASES |= {
    f"{name} of an unknown service": (name, UNKNOWN, MANAGEMENT)
    for name, handler in RESOURCES.items()
    if "serviceId" in wire_names(handler.type.inputs)
}


def missing(name: str, service_id: object, settings: tuple[str, ...], folder: Path) -> str:
    """Return the failures of check about settings, if only these are set."""
    values = {each: NOWHERE[f"clouddb:{each}"] for each in settings}
    process = ProviderProcess(ProviderConfig.model_validate({**values, "vocabulary": "clickhouse"}), folder)
    inputs = {} if service_id is None else {"serviceId": service_id}
    reasons = [each.reason for each in RESOURCES[name].check(process, inputs).failures if not each.path]
    return " ".join(reasons)


@pytest.mark.parametrize(("name", "service_id", "needed"), CASES.values(), ids=CASES)
def test_missing_settings_of_the_server_are_reported(
    name: str, service_id: object, needed: tuple[str, ...], tmp_path: Path
) -> None:
    """With all of them there is no failure; with only the other server's, one failure has all missing settings."""
    assert missing(name, service_id, needed, tmp_path) == ""
    other = SELF_HOSTED if needed is MANAGEMENT else MANAGEMENT
    message = missing(name, service_id, other, tmp_path)
    assert [each for each in (*MANAGEMENT, *SELF_HOSTED) if f"clouddb:{each}" in message] == [
        each
        for each in needed
        if each != "baseUrl"  # the vendor's API has a default address
    ]
