"""The operations on a resource as both front ends call them: wire values go in and come out.

Whatever names an id proves that state holds the object, so that its create is no longer pending.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from pulumi_clouddb.models.convert import construct, to_wire
from pulumi_clouddb.models.values import WireValues

from .base import AnyResource, DiffResult
from .session import Session
from .state import MANAGED, Flat, state_from_wire, state_to_wire


@dataclass(frozen=True)
class ReadResult:
    """An object as it is now: state, and the inputs that would leave it as it is."""

    state: Flat
    inputs: Flat


def diff(session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> DiffResult:
    """Compare state with checked inputs."""
    _held(session, object_id)
    return resource.diff(old, new)


def create(session: Session, resource: AnyResource, inputs: WireValues) -> tuple[str, Flat]:
    """Create the object, and keep its create pending until state is known to hold it."""
    # Without a URN nothing tells this create from another one, so that no later run can take it up.
    known = session if session.urn else session.for_resource(f"unknown:{uuid.uuid4()}")
    with known.creating() as creating:
        object_id, state = resource.create(creating, construct(resource.type.inputs, inputs))
        creating.hand_over(object_id)
    return object_id, state_to_wire(state)


def read(
    session: Session, resource: AnyResource, object_id: str, state: WireValues, inputs: WireValues
) -> tuple[str, ReadResult | None]:
    """Return the id of an object and the object as it is now, or None when it is gone for certain.

    State that this package has not written is an import, or a `get`.

    Raises:
        ResourceError: There is no such object to import or to get.
    """
    if MANAGED in state:
        _held(session, object_id)
        live = resource.read(session, object_id, state_from_wire(resource.type, state))
    else:
        hints = construct(resource.type.inputs, {**inputs, **state})
        object_id, live = resource.import_(session, object_id, hints)
    return object_id, ReadResult(state_to_wire(live), to_wire(live.args)) if live else None


def update(session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> Flat:
    """Bring the object to its new inputs."""
    _held(session, object_id)
    args = construct(resource.type.inputs, new)
    return state_to_wire(resource.update(session, object_id, state_from_wire(resource.type, old), args))


def delete(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> None:
    """Delete the object, unless this run has adopted it as the one that takes the place of the deleted one.

    That happens when a resource is replaced by hand (`--replace`, which asks for no diff) right after a run that was
    interrupted between creating it and writing state.
    """
    if object_id in session.adopted:
        session.warn(f"{resource.type.name} {object_id} is not deleted: it is the one that this run has adopted.")
        return
    _held(session, object_id)
    resource.delete(session, object_id, state_from_wire(resource.type, state))


def _held(session: Session, object_id: str) -> None:
    session.held.add(object_id)
    session.adopted.discard(object_id)
    session.pending.holds(object_id, session.urn)
