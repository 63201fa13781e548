"""The record of a service: its defaults, and fields that are computed from other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.things.services.enums import AutoscalingMode, CloudProvider, Region, ReleaseChannel, Tier
from pulumi_clouddb.things.services.parts import REPLICAS, WORKERS

from .responses import bad_request
from .service_settings import BAND, VERTICAL, effective
from .state import SandboxState
from .store import Document

ENGINE_VERSION = "26.6"
ALWAYS_ON = {"https": 8443, "nativesecure": 9440}
OPTIONAL = {"mysql": 3306}
TOTALS = {"minReplicaMemoryGb": "minTotalMemoryGb", "maxReplicaMemoryGb": "maxTotalMemoryGb"}

_LEAST_GB, _MOST_GB = 16, 120
HORIZONTAL = AutoscalingMode.HORIZONTAL.value

_READ_ONCE = ("privatePreviewTermsChecked", "backupId", "backupEncryptionConfig", "endpoints")
"""Fields of the create body that the record does not contain in the same form."""


def new_service(state: SandboxState, body: Mapping[str, Any], status: str) -> Document:
    """Return the record of a new service: the body and the defaults of production services."""
    id_ = state.ids.uuid()
    basic = state.settings.organization_tier is OrganizationTier.BASIC
    document: Document = {
        "id": id_,
        "name": "Unnamed service",
        "provider": CloudProvider.AWS.value,
        "region": Region.AWS_US_EAST_1.value,
        **state.settings.of_dialect({"tier": Tier.PRODUCTION.value}, {"enableCoreDumps": True}),
        "releaseChannel": ReleaseChannel.DEFAULT.value,
        "engineVersion": ENGINE_VERSION,
        "numReplicas": 1 if basic or body.get("tier") == Tier.DEVELOPMENT.value else REPLICAS,
        "idleScaling": True,
        "idleTimeoutMinutes": 15,
        "ipAccessList": [],
        "createdAt": state.clock.stamp(),
        "iamRole": f"arn:aws:iam::123456789012:role/clouddb-{id_[:8]}",
        "privateEndpointIds": [],
        "availablePrivateEndpointIds": [],
        "dataWarehouseId": state.ids.uuid(),
        "isPrimary": "dataWarehouseId" not in body,
        "isReadonly": False,
        "hasTransparentDataEncryption": False,
        "tags": [],
        **{name: value for name, value in body.items() if name not in _READ_ONCE},
        "state": status,
    }
    if document["hasTransparentDataEncryption"]:
        document["transparentDataEncryptionKeyId"] = state.ids.uuid()
        document["encryptionRoleId"] = f"arn:aws:iam::123456789012:role/encryption-{id_[:8]}"
    if state.settings.is_clickhouse:
        band = [document.get(name) for name in BAND]
        document.setdefault("autoscalingMode", VERTICAL if band[0] == band[1] else HORIZONTAL)
        document = of_mode(document, body)
    set_memory(document, body)
    if state.settings.is_clickhouse:
        set_replicas(document)
    set_endpoints(document, body.get("endpoints", []))
    return document


def of_mode(document: Document, body: Mapping[str, Any]) -> Document:
    """Return a service without the fields of the other scaling mode, unless the request sets them."""
    others = BAND if document["autoscalingMode"] == VERTICAL else ("numReplicas", *TOTALS.values())
    return {name: value for name, value in document.items() if name not in others or name in body}


def set_replicas(document: Document) -> None:
    """Set the number of replicas in vertical autoscaling, or validate their range in horizontal autoscaling."""
    low, high = (document.get(name) for name in BAND)
    if document["autoscalingMode"] == VERTICAL:
        if low is not None and low == high:
            document["numReplicas"] = low
        if document.get("numReplicas") is None:
            raise bad_request("request body.numReplicas: is required in vertical autoscaling")
        for name in BAND:
            document.pop(name, None)
    elif low is None or high is None:
        raise bad_request("request body.minReplicas: is required in horizontal autoscaling, and so is maxReplicas")


def shown_by_vendor(document: Document, schedule: Document | None) -> Document:
    """Return a service as the vendor's servers show it: with the fields of its scaling mode and its current scaling."""
    document = {"autoscalingMode": VERTICAL, **document}
    shown = {**document, "currentScaling": effective(document, schedule)}
    if schedule is not None:
        shown["scalingSchedule"] = schedule
    if document["autoscalingMode"] == HORIZONTAL:
        shown["replicaMemoryGb"] = document["minReplicaMemoryGb"]
        for total in TOTALS.values():
            del shown[total]
    return shown


def set_memory(document: Document, given: Mapping[str, Any]) -> None:
    """Compute the memory per replica and in total from the one that is given; a total is that of three workers."""
    for replica, total in TOTALS.items():
        if replica in given:
            document[replica] = given[replica]
        elif total in given:
            document[replica] = given[total] // WORKERS
    low, high = TOTALS
    # A bound that was not given is moved if the given one lies beyond it.
    document.setdefault(high, max(_MOST_GB, document.get(low, 0)))
    document.setdefault(low, min(_LEAST_GB, document[high]))
    for replica, total in TOTALS.items():
        document[total] = document[replica] * WORKERS


def set_endpoints(document: Document, settings: list[dict[str, Any]]) -> None:
    """Enable and disable protocols, and set the addresses of the enabled ones."""
    on = {endpoint["protocol"] for endpoint in document.get("endpoints", [])} | set(ALWAYS_ON)
    for setting in settings:
        protocol, enabled = setting["protocol"], setting.get("enabled", True)
        if protocol in ALWAYS_ON and not enabled:
            raise bad_request(f"request body.endpoints: {protocol} cannot be turned off")
        if protocol not in {**ALWAYS_ON, **OPTIONAL}:
            raise bad_request(f"request body.endpoints: protocol must be mysql, not {protocol!r}")
        on = on | {protocol} if enabled else on - {protocol}
    host = f"{document['id'][:10]}.{document['region']}.{document['provider']}.clouddb.example"
    document["endpoints"] = [
        {"protocol": protocol, "host": host, "port": port, "username": _user(protocol, document["id"])}
        for protocol, port in {**ALWAYS_ON, **OPTIONAL}.items()
        if protocol in on
    ]


def _user(protocol: str, service_id: str) -> str:
    return f"mysql4{service_id[:8]}" if protocol == "mysql" else "default"
