"""The operations on a resource as both front ends call them: the handler's, and what Pulumi's state is known to hold.

Whatever names an id proves that state holds the object, so that its create is no longer pending.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from .base import MANAGED, Difference, Live, ResourceHandler, State
from .session import Session


def diff(
    session: Session, handler: ResourceHandler, object_id: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Difference:
    """Compare state with checked inputs."""
    _held(session, object_id)
    return handler.diff(old, new)


def create(session: Session, handler: ResourceHandler, inputs: State) -> tuple[str, State]:
    """Create the object, and keep its create pending until state is known to hold it."""
    # Without a URN nothing tells this create from another one, so that no later run can take it up.
    known = session if session.urn else session.for_resource(f"unknown:{uuid.uuid4()}")
    with known.creating() as creating:
        object_id, state = handler.create(creating, inputs)
        creating.hand_over(object_id)
    return object_id, state


def read(
    session: Session, handler: ResourceHandler, object_id: str, state: State, inputs: Mapping[str, Any]
) -> tuple[str, Live | None]:
    """Return the object as it is now; without state, it is imported."""
    if MANAGED in state:
        _held(session, object_id)
    return handler.look(session, object_id, state, inputs)


def update(session: Session, handler: ResourceHandler, object_id: str, old: State, new: State) -> State:
    """Bring the object to its new inputs."""
    _held(session, object_id)
    return handler.update(session, object_id, old, new)


def delete(session: Session, handler: ResourceHandler, object_id: str, state: State) -> None:
    """Delete the object, unless this run has adopted it as the one that takes the place of the deleted one.

    That happens when a resource is replaced by hand (`--replace`, which asks for no diff) right after a run that was
    interrupted between creating it and writing state.
    """
    if object_id in session.adopted:
        session.warn(f"{handler.type.name} {object_id} is not deleted: it is the one that this run has adopted.")
        return
    _held(session, object_id)
    handler.delete(session, object_id, state)


def _held(session: Session, object_id: str) -> None:
    session.held.add(object_id)
    session.adopted.discard(object_id)
    session.pending.holds(object_id, session.urn)
