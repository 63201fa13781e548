"""The operations on a resource as both front ends call them: wire values go in and come out.

Whatever names an id proves that state holds the object, so that its create is no longer pending.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.errors import NotFoundError, ResourceError, first_line
from pulumi_clouddb.create.create_request import RENAMED, CreateRequest, RecordT, refuse_taken, taken_by
from pulumi_clouddb.create.other_machines import is_marked
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.view import known_or, view_of

from .base import AnyResource, CheckResult, DiffResult
from .state import MANAGED, Flat, refuse_misfits, state_from_wire, state_to_wire


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
        lists[key] = session.try_reading(request.collection.records)
    return lists[key]


@dataclass(frozen=True)
class ReadResult:
    """An object as it is now.

    Attributes:
        state: Its state.
        inputs: The inputs that would leave it as it is.
        left_out: Why no program can say what else the server has, of an object that no state has held before.
    """

    state: Flat
    inputs: Flat
    left_out: tuple[Failure, ...] = ()


def check(
    session: Session,
    resource: AnyResource,
    inputs: WireValues,
    secret: Collection[str] = (),
    old: WireValues | None = None,
) -> CheckResult:
    """Return the inputs with defaults filled in, and all failures at once.

    Args:
        session: The session of the resource.
        resource: What handles it.
        inputs: The inputs of a program.
        secret: Wire names of those that no failure may quote.
        old: The inputs of the last update, if there was one.
    """
    checked = resource.check(session, inputs, secret, old)
    if checked.failures:
        return checked
    refusal = resource.refusal(session, checked.inputs, old)
    refusal = refusal or (None if old else refuse_new(session, resource, checked.inputs))
    return CheckResult(checked.inputs, [Failure("", str(refusal))]) if refusal else checked


def diff(
    session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues, stored_urn: str = ""
) -> DiffResult:
    """Compare state with checked inputs.

    Args:
        session: The session of the resource.
        resource: What handles it.
        object_id: Its object.
        old: State.
        new: Checked inputs.
        stored_urn: The URN in state, where that is known and may be an older one.

    Raises:
        ResourceError: State was edited by hand, and a property of it has another type.
    """
    refuse_misfits(resource.type, object_id, old)
    _held(session, object_id, stored_urn)
    result = resource.diff(old, new)
    if result.renames:
        session.planned.released.add(object_id)
    if not result.replaces:
        session.claim(resource.type.name, object_id, stored_urn)
    return result


def preview(resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> Flat:
    """Return the outputs that an update would leave, `UNKNOWN` where only the server can tell.

    Raises:
        ResourceError: State was edited by hand, and a property of it has another type.
    """
    refuse_misfits(resource.type, object_id, old)
    return resource.preview_outputs(old, new)


def create(session: Session, resource: AnyResource, inputs: WireValues) -> tuple[str, Flat]:
    """Create the object, and keep its create pending until state is known to hold it."""
    # Without a URN nothing tells this create from another one, so that no later run can take it up.
    known = session if session.urn else session.for_resource(f"unknown:{uuid.uuid4()}")
    with known.creating() as creating:
        object_id, state = resource.create(creating, construct(resource.type.inputs, inputs))
        creating.hand_over(object_id)
    session.drop_claims()  # what it replaces is deleted next, perhaps under the URN that it had before an alias
    session.claim(resource.type.name, object_id)
    return object_id, state_to_wire(resource.type, state)


def read(
    session: Session, resource: AnyResource, object_id: str, state: WireValues, inputs: WireValues
) -> tuple[str, ReadResult | None]:
    """Return the id of an object and the object as it is now, or None when it is gone for certain.

    State that this package has not written is an import, or a `get`. A warning names what an import leaves out of the
    inputs.

    Raises:
        ResourceError: There is no such object to import or to get.
    """
    if MANAGED in state:
        refuse_misfits(resource.type, object_id, state)
        _held(session, object_id)
        live = resource.read(session, object_id, state_from_wire(resource.type, state))
        if live is None:
            session.planned.in_state.discard(session.urn)
    else:
        hints = construct(resource.type.inputs, {**inputs, **state})
        object_id, live = resource.import_(session, object_id, hints)
    if live is None:
        return object_id, None
    if live.left_out:
        reasons = "; ".join(" ".join(str(each).split()) for each in live.left_out)
        session.warn(
            f"{resource.type.name} {object_id} has what no program can say; it is left out of the inputs, and stays as "
            f"the server has it: {reasons}"
        )
    return object_id, ReadResult(state_to_wire(resource.type, live), to_wire(live.wanted), live.left_out)


def update(session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> Flat:
    """Bring the object to its new inputs.

    Raises:
        ResourceError: It is gone.
    """
    refuse_misfits(resource.type, object_id, old)
    _held(session, object_id)
    wanted = construct(resource.type.inputs, new)
    try:
        updated = resource.update(session, object_id, state_from_wire(resource.type, old), wanted)
        return state_to_wire(resource.type, updated)
    except NotFoundError as error:
        raise ResourceError(
            first_line(error), "If somebody has deleted it, run `pulumi refresh`, then run again."
        ) from None


def delete(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> None:
    """Delete the object, unless the run that deletes this resource needs it for another one.

    It may have adopted the object as the one that takes the place of the deleted one. That happens when a resource is
    replaced by hand (`--replace`, which asks for no diff) right after a run that was interrupted between creating it
    and writing state.

    Or another resource of the program is the same object. That happens when a resource gets another name without an
    alias and its object is adopted or imported under the new one: the engine then deletes the old name at the end.
    """
    if object_id in session.adopted_ids:
        session.warn(f"{resource.type.name} {object_id} is not deleted: it is the one that this run has adopted.")
        return
    refuse_misfits(resource.type, object_id, state)
    stored = state_from_wire(resource.type, state)
    other = session.other_claim(resource.type.name, object_id)
    if other is not None:
        found = to_wire(resource.found(stored))
        lost = (
            f" It no longer remembers what was there before: {json.dumps(found, ensure_ascii=False)}." if found else ""
        )
        session.warn(
            f"{resource.type.name} {object_id} stays as it is: it is also {other}, which the program keeps.{lost}\n"
            "To rename a resource, give it an alias of its old name."
        )
        return
    _held(session, object_id)
    resource.delete(session, object_id, stored)


def _held(session: Session, object_id: str, stored_urn: str = "") -> None:
    session.stored_ids.add(object_id)
    session.planned.in_state.add(session.urn)
    session.adopted_ids.discard(object_id)
    session.pending.holds(object_id, session.urn, stored_urn)
