"""Names that only one object may have: who has one already, and the refusal of a second, before anything is created.

Check is the only call for each resource that a preview and an `up` both make, so it is there that a preview learns of a
name that is taken. A resource that is checked without old inputs is new, or it is replaced. Pulumi's engine tells the
difference by a diff, which names the old object; but of a replacement that a person asks for (`--replace`, `pulumi
state taint`) it tells nothing (deploy/step_generator.go of 3.260). So one such resource alone is let through with a
warning, and its create decides. Together with other new resources it is refused: these would be created first, and an
alias that is added later would no longer reach the old ones (tests/test_renames.py).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.services.service import ServiceArgs

from .create_request import CreateRequest, RecordT
from .other_machines import is_marked
from .session import Session

Answer = TypeVar("Answer")

ALLOW_DUPLICATE = property_name(ServiceArgs, lambda args: args.allow_duplicate_name)
"""The option of those resources of which two of one name may be wanted."""

LOOK_SECONDS = 5.0
"""How long check waits for a list: a preview goes on where no server can be reached."""

RENAMED = (
    "If resources were renamed in the program, put their old names back, run `pulumi up`, and rename them again, each "
    "with an alias of its old name."
)


def taken_by(request: CreateRequest[RecordT], listed: list[RecordT] | None) -> str | None:
    """Return the id of the listed object that has the name of the one to create, if only one may have it."""
    if not request.unique:
        return None
    objects = request.collection
    there = (record for record in listed or () if objects.exists(record))
    return next((objects.id_of(record) for record in there if objects.name_of(record) == request.name), None)


def refuse_taken(session: Session, request: CreateRequest[Any], object_id: str, to_replace: str = "") -> ResourceError:
    """Return the refusal of a second object of a name."""
    names = session.planned.names
    new = f". New resources of this run so far: {', '.join(names)}" if len(names) > 1 else ""
    both = f", or set {ALLOW_DUPLICATE}" if ALLOW_DUPLICATE in request.resource.provider_only else ""
    return ResourceError(
        f"{request.what} exists already, with the id {object_id}; a second one of the same name is not created{new}",
        f"{RENAMED} If it is to be replaced, {to_replace or request.to_replace}. "
        f"If it is yours otherwise, import it (`pulumi import`, or `clouddb import-file`, with the id {object_id}), "
        f"or delete it. Else choose another name{both}.",
    )


def refuse_second(request: CreateRequest[Any]) -> ResourceError:
    """Return the refusal of an object of whose name another one is being created."""
    both = f", or set {ALLOW_DUPLICATE} on both" if ALLOW_DUPLICATE in request.resource.provider_only else ""
    return ResourceError(
        f"{request.what} is being created by this program already; a second one of the same name is not created",
        f"Two resources of the program ask for it: give one of them another name{both}.",
    )


def refuse_new(session: Session, resource: AnyResource, inputs: WireValues) -> ResourceError | None:
    """Return why a resource that is checked without old inputs must not be created; None where nothing speaks against.

    Args:
        session: The session of the resource.
        resource: What handles it.
        inputs: Its checked inputs.
    """
    planned = session.planned
    if not session.urn or session.urn in planned.in_state:
        return None
    planned.new[session.urn] = _taken(session, resource, inputs)
    taken = [each for each in planned.new.values() if each is not None]
    if not taken:
        return None
    if len(taken) < len(planned.new):
        request, object_id = planned.new[session.urn] or taken[-1]
        return refuse_taken(session, request, object_id, to_replace="do that in a run without other new resources")
    session.warn(
        f"{taken[-1][0].what} exists already, with the id {taken[-1][1]}: it is only created if this run deletes that "
        f"one first.\n{RENAMED}"
    )
    return None


def _taken(session: Session, resource: AnyResource, inputs: WireValues) -> tuple[CreateRequest[Any], str] | None:
    """Return the request of a new resource and the id of the object that has its name, if there is one."""
    request = known_or(None, lambda: resource.unique_request(session, view_of(resource.type.inputs, inputs)))
    if request is None or session.pending.has(session.scope, session.urn, session.account):
        return None  # an interrupted run may have created it: the create finds out
    listed = _listed(session, request)
    if any(is_marked(session, request, record) for record in listed or ()):
        return None  # an interrupted run on another machine has created it
    object_id = taken_by(request, listed)
    return (request, object_id) if object_id and object_id not in session.planned.released else None


def _listed(session: Session, request: CreateRequest[RecordT]) -> list[RecordT] | None:
    """Return what exists, asked for once in a run; None where the server does not say."""
    key, lists = (request.list_operation, request.collection.service_id), session.planned.lists
    if key not in lists:
        lists[key] = asked(session, request.collection.records)
    return lists[key]


def asked(session: Session, question: Callable[[], Answer]) -> Answer | None:
    """Return what check asks a server, None where it does not answer in time: a preview goes on without."""
    with suppress(CloudDBError):
        return session.runtime.within(LOOK_SECONDS, question)
    return None
