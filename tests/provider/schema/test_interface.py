"""In the neutral dialect, requests and responses have exactly the fields of the interface.

The table repeats the interface's own lists. A field that only the vendor's servers have is declared with
`only=CLICKHOUSE`. A field that is declared for both dialects although the interface lacks it is listed here, since a
server of the neutral dialect would drop or reject it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.annotations import model_in
from pulumi_clouddb.schema.base import extras, wire_name
from pulumi_clouddb.schema.thing import body_of, record_of

BODY = {
    "Service": "name provider region tier ipAccessList[].source ipAccessList[].description minTotalMemoryGb "
    "maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas idleScaling idleTimeoutMinutes isReadonly "
    "dataWarehouseId backupId encryptionKey encryptionAssumedRoleIdentifier privateEndpointIds "
    "privatePreviewTermsChecked releaseChannel byocId hasTransparentDataEncryption endpoints[].protocol "
    "endpoints[].enabled profile complianceType",
    "PipeScaling": "replicas concurrency replicaCpuMillicores replicaMemoryGb",
    "ApiKey": "name expireAt ipAccessList[].source ipAccessList[].description roles state",
    "Dashboard": "name tags tiles[].id tiles[].name tiles[].asRatio tiles[].x tiles[].y tiles[].w tiles[].h "
    + " ".join(
        f"tiles[].series[].{name}"
        for name in (
            *("aggFn", "groupBy", "sourceId", "where", "dataSource", "field", "metricDataType", "metricName", "type"),
            "whereLanguage",
        )
    ),
    "Alert": "name message threshold interval thresholdType source channel.type channel.webhookId tileId dashboardId",
}
"""The fields of each request body, by resource."""

MORE_IN_RESPONSES = {
    "Service": "id engineVersion endpoints[].host endpoints[].port endpoints[].username createdAt iamRole "
    "availablePrivateEndpointIds isPrimary transparentDataEncryptionKeyId encryptionRoleId",
    "PipeScaling": "",
    "ApiKey": "id keySuffix createdAt usedAt",
    "Dashboard": "id",
    "Alert": "id state team dashboard createdAt updatedAt",
}
"""The fields that only responses have."""

INFERRED = {
    "Service": {"state": "waits use it if a server returns it"},
    "Dashboard": {"tiles[].config": "observability servers of both forms have moved from `series` to it"},
}
"""Fields of both dialects that the interface does not contain, and why they exist."""

NOT_SET = {"Dashboard": {"tiles[].id": "only servers assign it; this provider sends the ids of existing tiles"}}
"""Fields of requests that programs cannot set, and why."""

WHOLLY_INFERRED = {"SavedSearch"}
"""Resources that the interface does not have; observability servers of both forms have them."""


def paths(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """Yield the path of each field of both dialects, including fields of nested objects."""
    only = extras(model, "only")
    for attribute, info in model.model_fields.items():
        name = wire_name(model, attribute)
        if name in only:
            continue
        inner = model_in(info.annotation)
        if inner is None:
            yield f"{before}{name}"
        else:
            yield from paths(inner, f"{before}{name}{'[]' if 'list[' in str(info.annotation) else ''}.")


BOTH = [name for name, handler in RESOURCES.items() if handler.type.only is None and name not in WHOLLY_INFERRED]


@pytest.mark.parametrize("name", BOTH)
def test_fields_of_both_dialects_are_in_the_interface(name: str) -> None:
    """This includes nested lists and objects; INFERRED lists exactly the exceptions."""
    thing = RESOURCES[name].type.thing
    sent, returned = set(BODY[name].split()), set(MORE_IN_RESPONSES[name].split())
    more = {*paths(body_of(thing))} - sent | {*paths(record_of(thing))} - sent - returned
    assert more == {*INFERRED.get(name, ())}


@pytest.mark.parametrize("name", BOTH)
def test_interface_fields_can_be_set(name: str) -> None:
    """Programs can set each field of a request."""
    assert {*BODY[name].split()} - {*paths(body_of(RESOURCES[name].type.thing))} == {*NOT_SET.get(name, ())}
