"""An update of a service: what changed, each part by the operation that takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.settled import settled
from pulumi_clouddb.resource.state import Flat, State, among, merged, only, without
from pulumi_clouddb.schema.convert import construct, plain, to_wire
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, ServiceTag, as_tags
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import Services
from .enums import AutoscalingMode
from .lifecycle import known_service, seen_service
from .parts import EndpointSetting
from .service import BASIC_DETAILS, REPLICA_SCALING, TOTAL_MEMORY, Service
from .settings import SCHEDULE, send_settings, send_values

ServiceState = State[Service, Service]
ServiceResource = Resource[Service, Service]

IP_ACCESS_LIST, PRIVATE_ENDPOINT_IDS, ENDPOINTS, TAGS = property_names(
    Service, lambda args: (args.ip_access_list, args.private_endpoint_ids, args.endpoints, args.tags)
)
_PROTOCOL, _ENABLED = property_names(EndpointSetting, lambda setting: (setting.protocol, setting.enabled))

MODE, LEAST, MOST = property_names(Service, lambda args: (args.autoscaling_mode, args.min_replicas, args.max_replicas))
TOGETHER = frozenset({MODE, LEAST, MOST})
"""What is sent with all of `REPLICAS` where it changes: servers judge it together."""

REPLICAS = (
    MODE,
    LEAST,
    MOST,
    *property_names(Service, lambda args: (args.num_replicas, args.min_replica_memory_gb, args.max_replica_memory_gb)),
)
"""How many replicas there are, and of which size."""

VERTICAL = AutoscalingMode.VERTICAL.value

FOLLOWS_SCALING = property_names(Service, lambda service: (service.replica_memory_gb, service.current_scaling))
"""Outputs that follow from the scaling."""


LISTS: Mapping[str, Callable[[object], Any]] = {
    IP_ACCESS_LIST: as_access_list,
    PRIVATE_ENDPOINT_IDS: as_set,
    TAGS: as_tags,
}
"""The lists among the basic details, and what each means."""

NO_CHANGE: WireDict = {"add": [], "remove": []}
"""A change of a list that changes nothing."""


def send_changes(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    old: ServiceState,
    wanted: Service,
    changed: Iterable[str],
) -> Service | None:
    """Send the changed fields to the operations that take them; return the last record answered.

    Raises:
        ApiError: One was refused; those before it have been carried out.
    """
    services, names = session.api.of(Services), tuple(changed)
    try:
        send_values(session, service_id, old.wanted, wanted, names)  # first, as it refuses names that are unknown
        record = _send_details(resource, session, service_id, old, wanted, names)
        record = _send_scaling(resource, session, service_id, old, wanted, names) or record
        send_settings(session, service_id, old.wanted, wanted, names)
        if SCHEDULE in names:  # what was answered before describes the schedule before
            services.invalidate()
            record = seen_service(session, service_id) or (record and without(record, {SCHEDULE, *FOLLOWS_SCALING}))
    finally:
        if names:
            services.invalidate()  # also after a failure: the one before it may have been carried out
    return record


def _send_details(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    old: ServiceState,
    wanted: Service,
    names: tuple[str, ...],
) -> Service | None:
    """Update the basic details that change; lists are sent as what to add and what to remove."""
    details = only(wanted, among(names, BASIC_DETAILS))
    if not details.model_fields_set and TAGS not in names:
        return None
    stored = merged(old.actual, old.wanted)
    now = known_service(session, service_id) or stored
    if TAGS in names:
        now = now.model_copy(update={"tags": tags_of(now, stored, len(wanted.tags or ()))})
        if details.tags is None:
            details.tags = _left_tags(now.tags or [], old.wanted.tags or [])
    body = details_body(now, details)
    if body == {TAGS: NO_CHANGE}:
        return None
    return _patch(resource, session, service_id, session.api.of(Services).update, body, details)


def _send_scaling(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    old: ServiceState,
    wanted: Service,
    names: tuple[str, ...],
) -> Service | None:
    """Update the scaling that changes; return the last record answered."""
    services, record = session.api.of(Services), None
    names += () if TOGETHER.isdisjoint(names) else REPLICAS
    for send, group in ((services.scale, REPLICA_SCALING), (services.scale_total, TOTAL_MEMORY)):
        scaling = only(wanted, among(names, group))
        taken_out = MODE in among(names, group) and scaling.autoscaling_mode is None
        if taken_out and old.wanted.autoscaling_mode not in (None, VERTICAL):
            scaling = merged(Service.model_construct(autoscaling_mode=VERTICAL), scaling)
        if scaling.model_fields_set:
            record = _patch(resource, session, service_id, send, to_wire(scaling), scaling)
    return record


def _patch(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    send: Callable[[str, WireValues], Service],
    body: WireValues,
    wanted: Service,
) -> Service:
    """Send one update; if the response is lost, the service itself shows whether the server carried it out."""
    services = session.api.of(Services)

    def look() -> Service | None:
        services.invalidate()
        return known_service(session, service_id, max_age=0.0)

    return settled(session, lambda: send(service_id, body), look, lambda record: resource.took(record, wanted))


def details_body(now: Service, wanted: Service) -> Flat:
    """Return what *update basic details* takes: lists go as what to add and what to remove."""
    body, have = to_wire(wanted), to_wire(now)
    for name, meaning in LISTS.items():
        if name in body:
            body[name] = _change(have.get(name) or [], body[name], meaning)
    if wanted.endpoints is not None:
        body[ENDPOINTS] = [{_PROTOCOL: each.protocol, _ENABLED: each.enabled is not False} for each in wanted.endpoints]
    return body


def _change(now: list[Any], wanted: list[Any], meaning: Callable[[object], Any]) -> WireDict:
    """Return what to add to a list, and what to remove, so that it means what is wanted."""
    have, want = meaning(now), meaning(wanted)
    return {
        "add": [each for each in wanted if not meaning([each]) <= have],
        "remove": [each for each in now if not meaning([each]) <= want],
    }


def tags_of(record: Service, stored: Service, count: int) -> list[ServiceTag]:
    """Return the tags that a service has, as an update counts them.

    Args:
        record: The service.
        stored: What state has of it, where the record has no tags.
        count: How many tags it is to have: the tag that marks its creation makes room for the last of them.
    """
    answered = record.answer.get(TAGS, plain(stored.tags)) or ()
    tags = [construct(ServiceTag, tag) for tag in answered if isinstance(tag, Mapping)]
    return [tag for tag in tags if tag.key != CREATE_TAG or count >= MAX_TAGS]


def _left_tags(tags: list[ServiceTag], before: list[ServiceTag]) -> list[ServiceTag]:
    """Return the tags that are left when a program says no tags any more: those that it has never said."""
    known = as_tags(plain(before))
    return [tag for tag in tags if not as_tags([plain(tag)]) <= known]


def merged_endpoints(
    served: Sequence[EndpointSetting] | None, settings: Sequence[EndpointSetting] | None
) -> list[EndpointSetting]:
    """Return what is served, and mark the protocols that the user turned on or off."""
    wanted = {each.protocol: each.enabled is not False for each in settings or ()}
    merged = [each.model_copy(update={"enabled": True}) if each.protocol in wanted else each for each in served or ()]
    protocols = {each.protocol for each in merged}
    off = [
        EndpointSetting.model_construct(protocol=protocol, enabled=False)
        for protocol in wanted
        if protocol not in protocols
    ]
    return merged + off


def set_endpoints(endpoints: Sequence[EndpointSetting] | None) -> list[EndpointSetting]:
    """Return what the user has turned on or off, as far as state marks it."""
    return [
        EndpointSetting.model_construct(protocol=each.protocol, enabled=each.enabled)
        for each in endpoints or ()
        if each.protocol and each.enabled is not None
    ]
