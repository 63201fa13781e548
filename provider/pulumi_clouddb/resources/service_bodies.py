"""Services between the words of a program, those of an update, and those of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_clouddb.models.base import wire_name
from pulumi_clouddb.models.equality import as_access_list
from pulumi_clouddb.models.service import ServiceArgs
from pulumi_clouddb.models.service_fields import EndpointSetting
from pulumi_clouddb.models.service_response import ServiceEndpoint, ServiceResponse
from pulumi_clouddb.models.service_settings import CREATE_TAG, MAX_TAGS, as_tags
from pulumi_clouddb.models.values import WireDict, WireValues

from .state import Flat

IP_ACCESS_LIST = wire_name(ServiceArgs, "ip_access_list")
PRIVATE_ENDPOINT_IDS = wire_name(ServiceArgs, "private_endpoint_ids")
ENDPOINTS = wire_name(ServiceArgs, "endpoints")


TAGS = wire_name(ServiceArgs, "tags")

MODE, LEAST, MOST = (wire_name(ServiceArgs, name) for name in ("autoscaling_mode", "min_replicas", "max_replicas"))
TOGETHER = frozenset({MODE, LEAST, MOST})
"""What is sent with all of `REPLICAS` where it changes: servers judge it together."""

REPLICAS = (
    MODE,
    LEAST,
    MOST,
    *(wire_name(ServiceArgs, name) for name in ("num_replicas", "min_replica_memory_gb", "max_replica_memory_gb")),
)
"""How many replicas there are, and of which size."""

FOLLOWS_SCALING = tuple(wire_name(ServiceResponse, name) for name in ("replica_memory_gb", "current_scaling"))
"""Outputs that follow from the scaling."""


NO_CHANGE: WireDict = {"add": [], "remove": []}
"""A change of a list that changes nothing."""


def details_body(now: WireValues, wanted: WireValues) -> Flat:
    """Return what *update basic details* takes: lists go as what to add and what to remove."""
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
    if name == TAGS:
        have, want = as_tags(now), as_tags(wanted)
        return {
            "add": [tag for tag in wanted if not as_tags([tag]) <= have],
            "remove": [tag for tag in now if not as_tags([tag]) <= want],
        }
    if name == ENDPOINTS:
        return [{"protocol": entry["protocol"], "enabled": entry.get("enabled") is not False} for entry in wanted]
    return wanted


def tags_of(record: ServiceResponse, state: WireValues, count: int) -> list[Any]:
    """Return the tags that a service has, as an update counts them.

    Args:
        record: The service.
        state: What is known of it where the record says nothing.
        count: How many tags it is to have: the tag that marks its creation makes room for the last of them.
    """
    tags = [tag for tag in record.answer.get(TAGS, state.get(TAGS)) or () if isinstance(tag, Mapping)]
    return [tag for tag in tags if tag.get("key") != CREATE_TAG or count >= MAX_TAGS]


def left_tags(tags: list[Any], said: WireValues) -> list[Any]:
    """Return the tags that are left when a program says no tags any more: those that it has never said."""
    known = as_tags(said.get(TAGS) or [])
    return [tag for tag in tags if not as_tags([tag]) <= known]


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
