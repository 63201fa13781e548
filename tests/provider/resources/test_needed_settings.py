"""A preview needs the settings of the server that a resource lives on, and no others."""

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

MANAGEMENT = ("baseUrl", "organizationId", "keyId", "keySecret")
SELF_HOSTED = ("stackUrl", "stackToken")

CASES: dict[str, tuple[str, object, tuple[str, ...]]] = {
    wire.name: (
        wire.life.name,
        ORGANIZATION if "serviceId" in wire.before else None,
        SELF_HOSTED if OPERATIONS[wire.operations[0]].server_kind is ServerKind.SELF_HOSTED else MANAGEMENT,
    )
    for wire in WIRE_LIVES
}
"""Each life, with the settings of the server that its requests go to."""

CASES |= {
    f"{name} of a service that is not known yet": (name, UNKNOWN, MANAGEMENT)
    for name, handler in RESOURCES.items()
    if "serviceId" in wire_names(handler.type.inputs)
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
