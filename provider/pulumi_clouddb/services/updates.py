"""An update of a service: what changed, each part by the operation that takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pulumi_clouddb.client.errors import AmbiguousError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import Resource
from pulumi_clouddb.resource.state import Flat, State, among, state_to_wire
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.values import WireValues

from .api import Services
from .bodies import FOLLOWS_SCALING, MODE, NO_CHANGE, REPLICAS, TAGS, TOGETHER, details_body, left_tags, tags_of
from .lifecycle import known_service, seen_service
from .response import ServiceResponse
from .service import BASIC_DETAILS, REPLICA_SCALING, SERVICE, TOTAL_MEMORY, ServiceActual, ServiceArgs
from .settings_changes import SCHEDULE, send_settings, without

ServiceState = State[ServiceArgs, ServiceActual]
ServiceResource = Resource[ServiceArgs, ServiceActual]


def send_changes(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    old: ServiceState,
    wanted: ServiceArgs,
    changed: Iterable[str],
) -> ServiceResponse | None:
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
    wanted: ServiceArgs,
    names: tuple[str, ...],
) -> ServiceResponse | None:
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
    wanted: ServiceArgs,
    names: tuple[str, ...],
) -> ServiceResponse | None:
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


def _reset_mode(old: ServiceArgs) -> Flat:
    """Return the body that resets the scaling mode, if it must be reset."""
    cleared = SERVICE.cleared([MODE])
    return cleared if to_wire(old).get(MODE, cleared[MODE]) != cleared[MODE] else {}


def _patch(
    resource: ServiceResource,
    session: Session,
    service_id: str,
    send: Callable[[str, WireValues], ServiceResponse],
    body: WireValues,
    wanted: WireValues,
) -> ServiceResponse:
    """Send one update; if the response is lost, the service itself says whether it took."""
    try:
        return send(service_id, body)
    except AmbiguousError:
        session.api.of(Services).invalidate()
        record = known_service(session, service_id, max_age=0.0)
        if record is None or not resource.took(to_wire(record), wanted):
            raise
        return record
