"""Whether the name of a new resource is free, asked by check.

Check is the only call for each resource that a preview and an `up` both make, so it is there that a preview learns of a
name that is taken. A resource that is checked without old inputs is new, or it is replaced. Pulumi's engine tells the
difference by a diff, which names the old object; but of a replacement that a person asks for (`--replace`, `pulumi
state taint`) it tells nothing (deploy/step_generator.go of 3.260). So one such resource alone is let through with a
warning, and its create decides. Together with other new resources it is refused: these would be created first, and an
alias that is added later would no longer reach the old ones (tests/resources/test_renames.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.create_request import CreateRequest, RecordT
from pulumi_clouddb.create.other_machines import is_marked
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.create.unique_names import RENAMED, refuse_taken, taken_by
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of

from .base import AnyResource


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
        return refuse_taken(planned, request, object_id, to_replace="do that in a run without other new resources")
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
    if any(is_marked(session, request, record) for record in (listed or {}).values()):
        return None  # an interrupted run on another machine has created it
    object_id = taken_by(request, listed)
    return (request, object_id) if object_id and object_id not in session.planned.released else None


def _listed(session: Session, request: CreateRequest[RecordT]) -> Mapping[str, RecordT] | None:
    """Return what exists by id, asked for once in a run; None where the server does not say."""
    key, lists = (request.list_operation, request.collection.service_id), session.planned.lists
    if key not in lists:
        lists[key] = session.asked(request.collection.records)
    return lists[key]
