"""The operations on a resource, as both front ends call them, with wire values.

`check` and `delete`, which decide by what the run knows, have files of their own. A call with an id proves that state
has the object, so its create is no longer pending.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.errors import (
    ClientError,
    CloudDBError,
    ListNotFoundError,
    NotFoundError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
    first_line,
)
from pulumi_clouddb.create.create_request import refusal_in_preview_only
from pulumi_clouddb.create.pending import digest_of_state
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.check.wording import TAKE_ID
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict, WireValues, contains_unknown
from pulumi_clouddb.schema.view import view_of

from . import doubt
from .base import AnyResource, DiffResult
from .checking import check, warn_of_contradictions
from .deletion import delete
from .recording import after_read, after_write, lost_inputs
from .state import (
    MANAGED,
    URN,
    State,
    doubtful_in,
    refuse_unusable,
    state_from_wire,
    state_to_wire,
    usable,
    without_inputs,
)

__all__ = ["ReadResult", "check", "create", "delete", "diff", "left_in_doubt", "preview", "read", "update"]


@dataclass(frozen=True)
class ReadResult:
    """The current object.

    Attributes:
        state: Its state.
        inputs: The inputs that describe it.
        left_out: After an import, why the inputs lack some properties of the object.
    """

    state: WireDict
    inputs: WireDict
    left_out: tuple[Failure, ...] = ()


def diff(
    session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues, stored_urn: str = ""
) -> DiffResult:
    """Compare state with checked inputs.

    `stored_urn` is the URN that the dynamic class has sent; it may be older than that of the session.

    Raises:
        ResourceError: State was edited by hand, and a value has the wrong type.
    """
    refuse_unusable(resource.type, object_id, old)
    # A refresh writes today's URN into the state of a database, and does not change what the dynamic class has sent.
    session.run.compared(session.urn, object_id, old, str(old.get(URN) or "") or stored_urn)
    if not session.pending.is_replaced(session.urn, old):  # otherwise the interrupted run has deleted it
        session.stored(object_id, stored_urn)
    if _is_for_early_deletion(session, new) and resource.replacement_refusal({}, new):
        return DiffResult()
    _remember_owner(session, resource, object_id)
    old = doubt.with_doubt(session, resource, object_id, old)
    result = resource.diff(old, new)
    resource.warn_of_object(session, state_from_wire(resource.type, old, view_of), stored=True)
    for warning in resource.warnings_of_change(session, old, new):
        session.warn(warning)
    if result.renames:
        session.run.renames(object_id)
    if not result.replaces and session.run.has_resource(session.urn):  # a refresh compares what the program lacks, too
        for urn in filter(None, (session.urn, stored_urn)):
            session.run.declares(urn, resource.type.name, object_id)
        warn_of_contradictions(session, resource, new, object_id, old)
        if not result.changed:
            session.warn_of_second(object_id)
    return result


def _is_for_early_deletion(session: Session, new: WireValues) -> bool:
    """Return whether the engine only asks whether the object must be deleted before one that it depends on.

    It asks before it checks the resource, with unknown values for those of the other one, and deletes the object at
    once if it is replaced (calculateDependentReplacements in pkg/resource/deploy/step_generator.go). With no change, no
    option of the resource replaces it.
    """
    return bool(session.urn) and session.run.old_inputs(session.urn) is None and contains_unknown(new)


def preview(resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> WireDict:
    """Return the outputs after an update, `UNKNOWN` where only the server knows them.

    Raises:
        ResourceError: State was edited by hand, and a value has the wrong type.
    """
    refuse_unusable(resource.type, object_id, old)
    return resource.preview_outputs(old, new)


def create(session: Session, resource: AnyResource, inputs: WireValues) -> tuple[str, WireDict]:
    """Create the object; its create stays pending until state is known to have it."""
    if session.config.preview_only:
        raise refusal_in_preview_only()
    # Without a URN, no later run can recognize this create.
    known = session if session.urn else session.for_resource(f"unknown:{uuid.uuid4()}")
    with known.creating(resource.server_kind(inputs)) as creating:
        if before := session.run.state(session.urn):
            creating.entry.record.replaces = digest_of_state(session.urn, before)
        wanted = construct(resource.type.inputs, inputs)
        try:
            object_id, state = resource.create(creating.repeating(resource.busy_retry(session, "", wanted)), wanted)
        except NotFoundError as error:
            raise _of_missing(error, inputs) from None
        creating.hand_over(object_id)
    session.run.made(session.urn, resource.type.name, object_id)
    _remember_owner(session, resource, object_id)
    return object_id, _recorded(session, resource, after_write(resource, state, inputs))


def _recorded(session: Session, resource: AnyResource, state: State[Any], before: WireValues | None = None) -> WireDict:
    """Return what state contains; of a database also its URN, since its deletion must know an alias of it."""
    urn = session.urn or (before or {}).get(URN)
    return {**state_to_wire(resource.type, state), **({URN: urn} if resource.has_data and urn else {})}


def _of_missing(error: NotFoundError, inputs: WireValues) -> CloudDBError:
    """Return the error with the properties that name objects in the path of the request, if there are some."""
    inner = {
        f"{name}.{key}": each for name, of in inputs.items() if isinstance(of, Mapping) for key, each in of.items()
    }
    names = [name for name, value in {**inputs, **inner}.items() if value in error.url.split("/")]
    if not names:
        return error
    return ResourceError(first_line(error), f"Check {' and '.join(names)}: the server has no such object{TAKE_ID}.")


def read(
    session: Session, resource: AnyResource, object_id: str, state: WireValues, inputs: WireValues
) -> tuple[str, ReadResult | None]:
    """Return the id of an object, and the current object; None if it certainly does not exist.

    State that this package has not written is from an import or a `get`. A warning names the properties that an import
    leaves out of the inputs.

    Raises:
        ResourceError: There is no such object to import or to get, or its id has another form.
    """
    if MANAGED in state:
        refuse_unusable(resource.type, object_id, state)
        session.stored(object_id)
        stored = state_from_wire(resource.type, state)
        before, live = stored, resource.read(session, object_id, stored)
        if live is None:
            session.run.gone(session.urn)
            doubt.forget(session, resource, object_id, state)
        else:
            live = _without_lost(session, resource, object_id, stored, live)
    else:
        _refuse_malformed(resource.type, object_id)
        hints = construct(resource.type.inputs, {**inputs, **state})
        before = None
        object_id, live = resource.import_(session, usual_id(object_id), hints)
    if live is None:
        return object_id, None
    live = usable(resource.type, live, to_wire(construct(resource.type.inputs, state)) if MANAGED in state else {})
    live = after_read(resource, live, before)
    if live.kept:
        _warn_of_kept(session, resource, live)
    resource.warn_of_object(session, live, stored=False)
    if live.left_out:
        reasons = "; ".join(" ".join(str(each).split()) for each in live.left_out)
        session.warn(
            f"{resource.type.name} {object_id} has values that no program can declare. They are left out of the "
            f"inputs, and stay on the server: {reasons}"
        )
    known = doubt.with_doubt(session, resource, object_id, state)
    outputs = doubt.carried_over(_recorded(session, resource, live, state), known)
    return object_id, ReadResult(outputs, to_wire(live.wanted), live.left_out)


def _without_lost(
    session: Session, resource: AnyResource, object_id: str, stored: State[Any], live: State[Any]
) -> State[Any]:
    """Return the current object without the inputs that the server has returned before, and returns no more.

    A list may leave out what the object's own response has, so without that it is not known.
    """
    if live is stored or not lost_inputs(resource, stored, live):
        return live
    try:
        alone = resource.read(session.reading_alone(), object_id, stored)
    except (UnsupportedOperationError, UnauthorizedError, ClientError):
        return live
    if alone is None or alone is stored:
        return live
    return without_inputs(alone, lost_inputs(resource, stored, alone))


def _warn_of_kept(session: Session, resource: AnyResource, live: State[Any]) -> None:
    """Warn of what the server still keeps instead of the program's values."""
    wanted = to_wire(live.wanted)
    named = f"{resource.type.words} {wanted[NAME]!r}" if isinstance(wanted.get(NAME), str) else resource.type.words
    session.warn(
        f"The server keeps its own {', '.join(live.kept)} of {named}, and ignores that of the program.\n"
        "Remove it from the program, or write the server's value there.",
        at=[f"{resource.type.name}.{name}" for name in live.kept],
    )


def _refuse_malformed(type_: ResourceType, object_id: str) -> None:
    """Reject the id of an object to import that has a part too many or too few, or an empty one.

    Raises:
        ResourceError: The id has another form.
    """
    parts = object_id.split("/")
    counts = {form.count("/") + 1 for form in type_.import_ids} | ({1} if type_.state_inputs else set())
    fits = type_.id_has_slashes or len(parts) in counts
    if not fits or not all(part and part == part.strip() for part in parts):
        raise ResourceError(
            f"{object_id!r} is not the id of {type_.with_article}", f"Write {' or '.join(type_.import_ids)}."
        )


def update(session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues) -> WireDict:
    """Update the object.

    Raises:
        ResourceError: It does not exist.
    """
    if session.config.preview_only:
        raise refusal_in_preview_only()
    refuse_unusable(resource.type, object_id, old)
    session.stored(object_id)
    session.warn_of_second(object_id)
    wanted = construct(resource.type.inputs, new)
    old = doubt.with_doubt(session, resource, object_id, old)
    changed = resource.changed(old, new)
    attempt = doubt.Attempt(session, resource, object_id, old, changed)
    try:
        before = state_from_wire(resource.type, old)
        repeating = attempt.sending.repeating(resource.busy_retry(session, object_id, wanted))
        updated = resource.update(repeating, object_id, before, wanted)
        resource.warn_of_object(session, updated, stored=False)
        session.run.gave_up(session.urn)
        return attempt.succeeded(_recorded(session, resource, after_write(resource, updated, changed, before), old))
    except CloudDBError as error:
        attempt.failed(error)
        if not isinstance(error, (NotFoundError, ListNotFoundError)):
            raise
        raise ResourceError(
            first_line(error), "If somebody has deleted it, run `pulumi refresh`, then run again."
        ) from None


def left_in_doubt(session: Session, resource: AnyResource, object_id: str, old: WireValues) -> WireDict | None:
    """Return the state after an update that failed, if something that it sent is in doubt."""
    state = doubt.with_doubt(session, resource, object_id, old)
    return dict(state) if doubtful_in(state) else None


def _remember_owner(session: Session, resource: AnyResource, object_id: str) -> None:
    """Record for later runs that state has the object, if nothing may replace it by accident."""
    if resource.has_data:
        session.owners.remember(session.urn, object_id)
