"""An update of a service: what changed, each part by the operation that takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pulumi_clouddb.client.errors import AmbiguousError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.state import Flat, State, among, state_to_wire, without
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.equality import as_access_list
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import Services
from .lifecycle import known_service, seen_service
from .parts import CREATE_TAG, MAX_TAGS, EndpointSetting, ServiceTag, as_tags
from .service import BASIC_DETAILS, REPLICA_SCALING, SERVICE, TOTAL_MEMORY, Service
from .settings import SCHEDULE, send_settings

ServiceState = State[Service, Service]
ServiceResource = Resource[Service, Service]

IP_ACCESS_LIST, PRIVATE_ENDPOINT_IDS, ENDPOINTS, TAGS = property_names(
    Service, lambda args: (args.ip_access_list, args.private_endpoint_ids, args.endpoints, args.tags)
)
_PROTOCOL, _ENABLED = property_names(EndpointSetting, lambda setting: (setting.protocol, setting.enabled))
_TAG_KEY = property_name(ServiceTag, lambda tag: tag.key)

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

FOLLOWS_SCALING = property_names(Service, lambda service: (service.replica_memory_gb, service.current_scaling))
"""Outputs that follow from the scaling."""


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
    details = resource.body(wanted, among(names, BASIC_DETAILS))
    if not details and TAGS not in names:
        return None
    known, stored = known_service(session, service_id) or old.actual, state_to_wire(SERVICE, old)
    now = to_wire(known) or stored
    if TAGS in names:
        now = {**now, TAGS: tags_of(known, stored, len(wanted.tags or ()))}
        details.setdefault(TAGS, left_tags(now[TAGS], to_wire(old.wanted)))
    body = details_body(now, details)
    if set(body) == {TAGS} and body[TAGS] == NO_CHANGE:
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
        body = resource.body(wanted, among(names, group))
        if MODE in among(names, group):
            body = {**_reset_mode(old.wanted), **body}
        if body:
            record = _patch(resource, session, service_id, send, body, body)
    return record


def _reset_mode(old: Service) -> Flat:
    """Return the body that resets the scaling mode, if it must be reset."""
    cleared = SERVICE.cleared([MODE])
    return cleared if to_wire(old).get(MODE, cleared[MODE]) != cleared[MODE] else {}


def _patch(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    send: Callable[[str, WireValues], Service],
    body: WireValues,
    wanted: WireValues,
) -> Service:
    """Send one update; if the response is lost, the service itself says whether it took."""
    try:
        return send(service_id, body)
    except AmbiguousError:
        session.api.of(Services).invalidate()
        record = known_service(session, service_id, max_age=0.0)
        if record is None or not resource.took(to_wire(record), wanted):
            raise
        return record


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


def tags_of(record: Service, state: WireValues, count: int) -> list[object]:
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
    served: Sequence[EndpointSetting] | None, settings: Sequence[EndpointSetting] | None
) -> list[EndpointSetting]:
    """Return what is served, and mark the protocols that the user turned on or off."""
    wanted = {each.protocol: each.enabled is not False for each in settings or ()}
    merged = [each.model_copy(update={"enabled": True}) if each.protocol in wanted else each for each in served or ()]
    protocols = {each.protocol for each in merged}
    off = [EndpointSetting(protocol=protocol, enabled=False) for protocol in wanted if protocol not in protocols]
    return merged + off


def set_endpoints(endpoints: Sequence[EndpointSetting] | None) -> list[EndpointSetting]:
    """Return what the user has turned on or off, as far as state marks it."""
    return [
        EndpointSetting.model_construct(protocol=each.protocol, enabled=each.enabled)
        for each in endpoints or ()
        if each.protocol and each.enabled is not None
    ]
