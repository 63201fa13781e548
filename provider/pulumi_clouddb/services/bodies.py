"""Services between the words of a program, those of an update, and those of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_clouddb.resource.state import Flat
from pulumi_clouddb.schema.equality import as_access_list
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.values import WireDict, WireValues

from .fields import EndpointSetting
from .response import ServiceEndpoint, ServiceResponse
from .service import ServiceArgs
from .settings import CREATE_TAG, MAX_TAGS, ServiceTag, as_tags

IP_ACCESS_LIST, PRIVATE_ENDPOINT_IDS = property_names(
    ServiceArgs, lambda args: (args.ip_access_list, args.private_endpoint_ids)
)
ENDPOINTS, TAGS = property_names(ServiceArgs, lambda args: (args.endpoints, args.tags))
_PROTOCOL, _ENABLED = property_names(EndpointSetting, lambda setting: (setting.protocol, setting.enabled))
_TAG_KEY = property_name(ServiceTag, lambda tag: tag.key)

MODE, LEAST, MOST = property_names(
    ServiceArgs, lambda args: (args.autoscaling_mode, args.min_replicas, args.max_replicas)
)
TOGETHER = frozenset({MODE, LEAST, MOST})
"""What is sent with all of `REPLICAS` where it changes: servers judge it together."""

REPLICAS = (
    MODE,
    LEAST,
    MOST,
    *property_names(
        ServiceArgs, lambda args: (args.num_replicas, args.min_replica_memory_gb, args.max_replica_memory_gb)
    ),
)
"""How many replicas there are, and of which size."""

FOLLOWS_SCALING = property_names(ServiceResponse, lambda service: (service.replica_memory_gb, service.current_scaling))
"""Outputs that follow from the scaling."""


NO_CHANGE: WireDict = {"add": [], "remove": []}
"""A change of a list that changes nothing."""


def details_body(now: WireValues, wanted: WireValues) -> Flat:
    """Return what *update basic details* takes: lists go as what to add and what to remove."""
    return {name: _detail(name, now.get(name) or [], value) for name, value in wanted.items()}


def _detail(name: str, now: Any, wanted: Any) -> object:
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
        return [{_PROTOCOL: entry[_PROTOCOL], _ENABLED: entry.get(_ENABLED) is not False} for entry in wanted]
    return wanted


def tags_of(record: ServiceResponse, state: WireValues, count: int) -> list[object]:
    """Return the tags that a service has, as an update counts them.

    Args:
        record: The service.
        state: What is known of it where the record says nothing.
        count: How many tags it is to have: the tag that marks its creation makes room for the last of them.
    """
    tags = [tag for tag in record.answer.get(TAGS, state.get(TAGS)) or () if isinstance(tag, Mapping)]
    return [tag for tag in tags if tag.get(_TAG_KEY) != CREATE_TAG or count >= MAX_TAGS]


def left_tags(tags: list[object], said: WireValues) -> list[object]:
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
