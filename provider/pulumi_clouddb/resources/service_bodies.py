"""Services between the words of a program, those of an update, and those of the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pulumi_clouddb.models.base import wire_name
from pulumi_clouddb.models.equality import as_access_list
from pulumi_clouddb.models.service import EndpointSetting, ServiceArgs, ServiceEndpoint
from pulumi_clouddb.models.values import WireValues

from .state import Flat

IP_ACCESS_LIST = wire_name(ServiceArgs, "ip_access_list")
PRIVATE_ENDPOINT_IDS = wire_name(ServiceArgs, "private_endpoint_ids")
ENDPOINTS = wire_name(ServiceArgs, "endpoints")


def details_body(now: WireValues, wanted: WireValues) -> Flat:
    """Return what *update basic details* takes: lists go as what to add and what to remove.

    Args:
        now: What the service has.
        wanted: What it is to have, by wire name.
    """
    return {name: _detail(name, now.get(name) or [], value) for name, value in wanted.items()}


def _detail(name: str, now: Any, wanted: Any) -> Any:
    if name == IP_ACCESS_LIST:
        have, want = as_access_list(now), as_access_list(wanted)
        return {
            "add": [entry for entry in wanted if not as_access_list([entry]) <= have],
            "remove": [entry for entry in now if not as_access_list([entry]) <= want],
        }
    if name == PRIVATE_ENDPOINT_IDS:
        have, want = set(now), set(wanted)
        return {"add": sorted(want - have), "remove": sorted(have - want)}
    if name == ENDPOINTS:
        return [{"protocol": entry["protocol"], "enabled": entry.get("enabled") is not False} for entry in wanted]
    return wanted


def merged_endpoints(
    served: Sequence[ServiceEndpoint] | None, settings: Sequence[EndpointSetting] | None
) -> list[ServiceEndpoint]:
    """Return what is served, and mark the protocols that the user turned on or off."""
    wanted = {each.protocol: each.enabled is not False for each in settings or ()}
    merged = [each.model_copy(update={"enabled": True}) if each.protocol in wanted else each for each in served or ()]
    protocols = {each.protocol for each in merged}
    off = [ServiceEndpoint(protocol=protocol, enabled=False) for protocol in wanted if protocol not in protocols]
    return merged + off


def set_endpoints(endpoints: Sequence[ServiceEndpoint] | None) -> list[EndpointSetting]:
    """Return what the user has turned on or off, as far as state marks it."""
    return [
        EndpointSetting.model_construct(protocol=each.protocol, enabled=each.enabled)
        for each in endpoints or ()
        if each.protocol and each.enabled is not None
    ]
