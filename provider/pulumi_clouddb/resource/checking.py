"""The check of a resource: its own, and then what the run knows of it, asked in the order of `QUESTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check.claims import contradictions
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.values import WireValues

from .base import AnyResource, CheckResult
from .new_resources import refusal_of_name, refusal_of_new, unique_request
from .state import state_from_wire


@dataclass(frozen=True)
class Checked:
    """A resource whose inputs are valid.

    Attributes:
        session: Its session.
        resource: Its type.
        inputs: Its inputs with defaults.
        old: Its old inputs, if the engine has brought some.
        before: Those, or the ones of an earlier check of this run; None if there are none.
        replacement_refusal: Why its object must not be replaced.
        unique: The request of its create, if other objects may forbid it, and if it is known.
    """

    session: Session
    resource: AnyResource
    inputs: WireValues
    old: WireValues | None
    before: WireValues | None
    replacement_refusal: ResourceError | None
    unique: CreateRequest[Any] | None


def _refusal_of_replacement(it: Checked) -> ResourceError | None:
    """Return why an object must not be replaced, if a check with its old inputs came before; see `create.run`.

    `refusal_of_new` finds a replacement by hand, before which there is none.
    """
    if it.old or it.before is None or not it.replacement_refusal:
        return None
    return None if _is_gone(it.session, it.resource) else it.replacement_refusal


def _is_gone(session: Session, resource: AnyResource) -> bool:
    """Return whether the object of a resource certainly no longer exists, so that a replacement deletes nothing."""
    state, object_id = session.run.state(session.urn), session.run.current(session.urn)
    if state is None or not object_id:
        return False
    stored = state_from_wire(resource.type, state)
    return session.try_reading(lambda: [resource.read(session, object_id, stored)]) == [None]


Question = Callable[[Checked], ResourceError | None]
"""Returns why the resource is refused; None if it is not. It may also warn, and record what later calls ask."""

QUESTIONS: Sequence[Question] = (
    # Only the configuration or a server shows what this refuses: no other resource matters.
    lambda it: it.resource.server_refusal(it.session, it.inputs, it.old),
    _refusal_of_replacement,
    lambda it: None if it.old else refusal_of_new(it.session, it.resource, it.inputs, it.unique),
    # Last, since a name that is taken on the server is refused already, with the object that has it.
    lambda it: refusal_of_name(it.session, it.resource, it.unique, it.old),
)


def check(
    session: Session,
    resource: AnyResource,
    inputs: WireValues,
    secret: Collection[str] = (),
    old: WireValues | None = None,
) -> CheckResult:
    """Return the inputs with defaults, and all failures; see `Resource.check`."""
    checked = resource.check(session, inputs, secret, old)
    if checked.failures:
        return checked
    before = old or session.run.old_inputs(session.urn)
    replacement_refusal = resource.replacement_refusal(before or {}, checked.inputs)
    unique = unique_request(session, resource, checked.inputs)
    it = Checked(session, resource, checked.inputs, old, before, replacement_refusal, unique)
    # Whatever is refused: deletions depend on which resources the program has.
    session.run.checked(session.urn, resource.type.name, checked.inputs, old, replacement_refusal)
    refusal = next(filter(None, (question(it) for question in QUESTIONS)), None)
    warn_of_contradictions(session, resource, checked.inputs, "", old)
    return CheckResult(checked.inputs, [Failure("", str(refusal))]) if refusal else checked


def warn_of_contradictions(
    session: Session, resource: AnyResource, inputs: WireValues, object_id: str, before: WireValues | None
) -> None:
    """Warn of what the resource and others of the program claim of objects, if both cannot have it."""
    if session.urn:
        meetings = session.run.claims(session.urn, resource.claims(session.rules, inputs, object_id, before or {}))
        for warning in contradictions(session.urn, meetings):
            session.for_resource(warning.urn).warn(str(warning), at=warning.places)
