"""The operations on a resource as both front ends call them: wire values go in and come out.

Whatever names an id proves that state holds the object, so that its create is no longer pending.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection
from dataclasses import dataclass

from pulumi_clouddb.client.errors import NotFoundError, ResourceError, first_line
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.values import WireValues

from .base import AnyResource, CheckResult, DiffResult
from .new_names import refuse_new
from .state import MANAGED, Flat, refuse_misfits, state_from_wire, state_to_wire


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
    if object_id in session.adopted:
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
    session.held.add(object_id)
    session.planned.in_state.add(session.urn)
    session.adopted.discard(object_id)
    session.pending.holds(object_id, session.urn, stored_urn)
