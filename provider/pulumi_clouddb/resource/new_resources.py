"""New resources, and names that only one object may have: what a check knows of them before anything is created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.client.errors import ListNotFoundError, ResourceError
from pulumi_clouddb.create.create_request import (
    RENAMED,
    CreateRequest,
    RecordT,
    refusal_beside,
    refusal_of_same_name,
    refusal_of_second,
    refusal_of_taken,
    taken_by,
    warning_of_passed_name,
    warning_of_same_name,
    warning_of_taken,
)
from pulumi_clouddb.create.evidence import is_marked, object_in_state
from pulumi_clouddb.create.run import Naming, Taken
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check.claims import shown
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of

from .base import SERVICE_ID, AnyResource


def refusal_of_new(
    session: Session, resource: AnyResource, inputs: WireValues, unique: CreateRequest[Any] | None
) -> ResourceError | None:
    """Return why a resource without old inputs must not be created, or not replaced by hand; None if it may.

    A replacement by hand looks like a new resource, whose object state or the server has already; see `create.run`.
    """
    run, urn = session.run, session.urn
    request = _new_request(session, unique)
    replaces_none = request is not None and request.replaces_none and not session.config.preview_only
    if not urn or (run.is_replacement(urn) and not replaces_none):
        return None
    _warn_of_unknown_service(session, resource, inputs)
    listed = _listed(session, request) if request else None
    own = _taken(session, request, listed)
    if request and replaces_none and not own and (first := object_in_state(session, request, listed or {})):
        return refusal_of_second(request, urn, *first)
    run.adds(urn, own)
    if session.config.preview_only:
        if own:
            session.warn(warning_of_taken(*own))
        return None
    return _refusal_of_taken(session, own)


def _refusal_of_taken(session: Session, own: Taken | None) -> ResourceError | None:
    """Return why a run whose names are taken must not go on; warn if it may delete the objects that have them.

    The refusal of another new resource says whose name is taken, and what to do only if no error has said it.
    """
    run, urn = session.run, session.urn
    taken = run.taken
    if not taken:
        return None
    if len(taken) < len(run.new_names):
        whose = urn if own else [*taken][-1]
        refusal = refusal_of_taken(run.new_names, *taken[whose], "do that in a run without other new resources")
        is_told = run.tells_taken(whose)
        return refusal if own else refusal_beside(shown(whose), refusal, is_told=is_told)
    request, object_id = taken[urn]
    session.warn(
        f"{request.what} exists already, with the id {object_id}: it is only created if this run deletes that one "
        f"first.\n{RENAMED}"
    )
    return None


def _warn_of_unknown_service(session: Session, resource: AnyResource, inputs: WireValues) -> None:
    """Warn of a service that the server does not find, if a new resource names it by an id from elsewhere."""
    service_id, run, is_of_service = inputs.get(SERVICE_ID), session.run, resource.collection.LIST.managed.is_of_service
    if not is_of_service or not isinstance(service_id, str) or run.owns(service_id):
        return
    objects = session.api.of(resource.collection, service_id)

    def read() -> Mapping[str, Any] | None:
        try:
            return objects.records()
        except ListNotFoundError:
            run.service_missing(service_id)
            return None

    run.listed(objects.list_key, lambda: session.try_reading(read))
    if run.is_service_missing(service_id):
        session.warn(
            f"{shown(session.urn)} is for service {service_id}, which the server does not find: it may belong to "
            f"another environment.\nCheck {SERVICE_ID}, and the organization (clouddb:organizationId)."
        )


def refusal_of_name(
    session: Session, resource: AnyResource, request: CreateRequest[Any] | None, old: WireValues | None
) -> ResourceError | None:
    """Return why a new resource must not be created beside another one of the program; warn if both may succeed."""
    run, urn = session.run, session.urn
    if request is None or not request.unique:
        return None
    before = unique_request(session, resource, old) if old else None
    naming = Naming(not old and not run.is_replacement(urn), before is not None and before.place != request.place)
    for other, are_new in run.names(urn, request.place, naming).items():
        if are_new and not session.config.preview_only:
            return refusal_of_same_name(request, shown(other))
        first, second = sorted((urn, other))
        session.for_resource(first).warn(warning_of_same_name(request, shown(first), shown(second)))
    for giver, taker in run.passes(urn, request.place, before.place if before else ""):
        session.for_resource(taker).warn(warning_of_passed_name(request, shown(giver), shown(taker)))
    return None


def unique_request(session: Session, resource: AnyResource, inputs: WireValues) -> CreateRequest[Any] | None:
    """Return the request of a create that other objects may forbid; None without a URN, and if it is unknown."""
    if not session.urn:
        return None
    return known_or(None, lambda: resource.unique_request(session, view_of(resource.type.inputs, inputs)))


def _new_request(session: Session, request: CreateRequest[Any] | None) -> CreateRequest[Any] | None:
    """Return the request of a new resource, if no run was interrupted in it."""
    if request is None or session.is_pending(request.collection.list_key[0].server_kind):
        return None  # an interrupted run may have created it; the create will know
    return request


def _taken(session: Session, request: CreateRequest[Any] | None, listed: Mapping[str, Any] | None) -> Taken | None:
    """Return the request of a new resource and the id of the object with its name, if there is one."""
    if request is None or any(is_marked(session, request, record) for record in (listed or {}).values()):
        return None  # an interrupted run on another machine has created it
    object_id = taken_by(request, listed) if request.unique else None
    return (request, object_id) if object_id and not session.run.is_renamed(object_id) else None


def _listed(session: Session, request: CreateRequest[RecordT]) -> Mapping[str, RecordT] | None:
    """Return the existing objects by id, listed once in a run; None if the list fails."""
    objects = request.collection
    return session.run.listed(objects.list_key, lambda: session.try_reading(objects.records))
