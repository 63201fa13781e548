"""An update of a service: each change is sent by the operation that accepts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pulumi_clouddb.client.operation import Forms
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.settled import held, settled
from pulumi_clouddb.resource.state import State, among, merged, only, unmanaged, without
from pulumi_clouddb.schema.convert import construct, plain, to_wire
from pulumi_clouddb.schema.equality import as_access_list, as_set
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.tags import CREATE_TAG, MAX_TAGS, ServiceTag, as_tags
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import PRIVATE_ENDPOINT_IDS, Services
from .enums import AutoscalingMode
from .lifecycle import find_if_offered, find_if_readable
from .parts import EndpointSetting
from .service import BASIC_DETAILS, REPLICA_SCALING, TOTAL_MEMORY, Service
from .settings import SCHEDULE, VALUES, current_settings, send_engine_settings, send_settings

IP_ACCESS_LIST = property_name(Service, lambda args: args.ip_access_list)
ENDPOINTS = property_name(Service, lambda args: args.endpoints)
TAGS = property_name(Service, lambda args: args.tags)
_PROTOCOL = property_name(EndpointSetting, lambda setting: setting.protocol)
_ENABLED = property_name(EndpointSetting, lambda setting: setting.enabled)

MODE = property_name(Service, lambda args: args.autoscaling_mode)
_BAND = property_names(Service, lambda args: (args.min_replicas, args.max_replicas))

REPLICAS = (
    MODE,
    *_BAND,
    *property_names(Service, lambda args: (args.num_replicas, args.min_replica_memory_gb, args.max_replica_memory_gb)),
)
"""Number and size of the replicas: if the mode or the band changes, all are sent.

A request has both ends of the band or none, and a server that changes the mode drops the numbers of the other mode
(OpenAPI: `ServiceReplicaScalingPatchRequest`). Of the size it only says that it is one in horizontal mode.
"""

VERTICAL = AutoscalingMode.VERTICAL.value

FOLLOWS_SCALING = property_names(Service, lambda service: (service.replica_memory_gb, service.current_scaling))
"""The outputs that depend on the scaling."""


LISTS: Mapping[str, Callable[[object], Any]] = {
    IP_ACCESS_LIST: as_access_list,
    PRIVATE_ENDPOINT_IDS: as_set,
    TAGS: as_tags,
}
"""The lists among the basic details, and how each is compared."""

NO_CHANGE: WireDict = {"add": [], "remove": []}
"""A change of a list that changes nothing."""


@dataclass(frozen=True)
class ServiceUpdate:
    """An update of a service: `changed` has the wire names, and `shows` compares a record with what was sent."""

    session: Session
    service_id: str
    old: State[Service]
    wanted: Service
    changed: Sequence[str]
    shows: Callable[[Service, Service], bool]

    def send(self) -> Service | None:
        """Send what changes, and return the last record in a response; None if there was none.

        Raises:
            ApiError: A request was refused; those before it have been carried out.
        """
        session, service_id, before, changed = self.session, self.service_id, self.old.wanted, self.changed
        services = session.api.of(Services)
        try:
            # First: it refuses unknown names.
            held(session, services, service_id, lambda holding: replace(self, session=holding)._send_engine_settings())
            record = held(session, services, service_id, lambda holding: replace(self, session=holding)._send_details())
            record = self._send_scaling() or record
            send_settings(session, service_id, before, self.wanted, changed)
            if SCHEDULE in changed:  # the responses so far describe the former schedule
                services.invalidate()
                current = find_if_readable(session, service_id)
                record = current or (record and without(record, {SCHEDULE, *FOLLOWS_SCALING}))
            if VALUES in changed and self.wanted.settings:
                record = record or find_if_readable(session, service_id) or unmanaged(self.old)
                settings = current_settings(services, service_id)  # no response to an update has them
                record = record.model_copy(update={"settings": settings})
        finally:
            if changed:
                services.invalidate()  # also after a failure: the requests before may have been carried out
        return record

    def _send_engine_settings(self) -> None:
        send_engine_settings(self.session, self.service_id, self.old, self.wanted, self.changed)

    def _send_details(self) -> Service | None:
        """Update the basic details that change; of lists, the request has what to add and what to remove."""
        details = only(self.wanted, among(self.changed, BASIC_DETAILS))
        if not details.model_fields_set and TAGS not in self.changed:
            return None
        stored = merged(self.old.actual, self.old.wanted)
        current = find_if_offered(self.session, self.service_id) or stored
        current = _without_further_endpoints(current, stored, details)
        if TAGS in self.changed:
            current, details = self._with_tags(current, stored, details)
        body = details_body(current, details)
        if body == {TAGS: NO_CHANGE}:
            return None
        record = self._patch(Services.UPDATE, body, details)
        # The record before may have lagged behind an earlier update, and an address that it lacked would stay allowed.
        addresses = only(details, (IP_ACCESS_LIST,)) if IP_ACCESS_LIST in record.answer else Service.model_construct()
        rest = details_body(record, addresses)
        return record if rest in ({}, {IP_ACCESS_LIST: NO_CHANGE}) else self._patch(Services.UPDATE, rest, addresses)

    def _with_tags(self, current: Service, stored: Service, details: Service) -> tuple[Service, Service]:
        """Return the current service and the details with the tags that this update compares.

        If the program no longer has any, the tags of others stay.
        """
        tags = tags_of(current, stored, len(self.wanted.tags or ()))
        if details.tags is None:
            managed = as_tags(plain(self.old.wanted.tags or []))
            kept = [tag for tag in tags if not as_tags([plain(tag)]) <= managed]
            details = details.model_copy(update={"tags": kept})
        return current.model_copy(update={"tags": tags}), details

    def _send_scaling(self) -> Service | None:
        """Update the scaling that changes."""
        changed, record = (*self.changed,), None
        if not {MODE, *_BAND}.isdisjoint(changed):
            changed += REPLICAS
        for operation, group in ((Services.SCALE, REPLICA_SCALING), (Services.SCALE_TOTAL, TOTAL_MEMORY)):
            scaling = only(self.wanted, among(changed, group))
            removed = MODE in among(changed, group) and scaling.autoscaling_mode is None
            if removed and self.old.wanted.autoscaling_mode not in (None, VERTICAL):
                scaling = merged(Service.model_construct(autoscaling_mode=VERTICAL), scaling)
            if scaling.model_fields_set:
                record = self._patch(operation, to_wire(scaling), scaling)
        return record

    def _patch(self, operation: Forms, body: WireValues, sent: Service) -> Service:
        """Send one request; if the response is lost, the service shows whether the server carried it out."""
        services = self.session.api.of(Services)

        def read() -> Service | None:
            services.invalidate()
            return find_if_offered(self.session, self.service_id, max_age=0.0)

        return settled(
            self.session,
            lambda: services.patch(operation, self.service_id, body),
            read,
            lambda record: self.shows(record, sent),
        )


def _without_further_endpoints(current: Service, stored: Service, details: Service) -> Service:
    """Return the service without the private endpoints that others have attached: an update must not detach them."""
    if details.private_endpoint_ids is None:
        return current
    ours = {*details.private_endpoint_ids, *(stored.private_endpoint_ids or ())}
    ids = [each for each in current.private_endpoint_ids or () if each in ours]
    return current.model_copy(update={"private_endpoint_ids": ids})


def details_body(current: Service, wanted: Service) -> WireDict:
    """Return the body of *update basic details*: of lists, what to add and what to remove."""
    body, before = to_wire(wanted), to_wire(current)
    for name, meaning in LISTS.items():
        if name in body:
            body[name] = _change(before.get(name) or [], body[name], meaning)
    if wanted.endpoints is not None:
        body[ENDPOINTS] = [{_PROTOCOL: each.protocol, _ENABLED: each.enabled is not False} for each in wanted.endpoints]
    return body


def _change(current: list[Any], wanted: list[Any], meaning: Callable[[object], Any]) -> WireDict:
    """Return what to add to a list, and what to remove, so that it means what is wanted."""
    before, after = meaning(current), meaning(wanted)
    return {
        "add": [each for each in wanted if not meaning([each]) <= before],
        "remove": [each for each in current if not meaning([each]) <= after],
    }


def tags_of(record: Service, stored: Service, count: int) -> list[ServiceTag]:
    """Return the tags of a service; the tag of its create counts only if it must make room for the last of `count`.

    If the response has no tags, they are those of the last known record.
    """
    answer = record.answer.get(TAGS, plain(stored.tags)) or ()
    tags = [construct(ServiceTag, tag) for tag in answer if isinstance(tag, Mapping)]
    return [tag for tag in tags if tag.key != CREATE_TAG or count >= MAX_TAGS]
