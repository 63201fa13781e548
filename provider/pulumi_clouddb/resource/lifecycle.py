"""The operations on a resource, as both front ends call them, with wire values.

A call with an id proves that state has the object, so its create is no longer pending.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.errors import CloudDBError, ListNotFoundError, NotFoundError, ResourceError, first_line
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
from pulumi_clouddb.create.pending import digest_of_state
from pulumi_clouddb.create.run import Naming, Taken
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.check.claims import contradictions, shown
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.check.wording import TAKE_ID
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.provisioned import Database
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict, WireValues, contains_unknown
from pulumi_clouddb.schema.view import known_or, view_of

from .base import SERVICE_ID, AnyResource, CheckResult, DiffResult
from .deletion import Deletion, DeletionFacts, decide
from .overrides import OverrideResource
from .state import MANAGED, URN, State, refuse_misfits, state_from_wire, state_to_wire, usable

DELETION_PROTECTION = property_name(Database, lambda database: database.deletion_protection)


def _check_new(
    session: Session, resource: AnyResource, inputs: WireValues, unique: CreateRequest[Any] | None
) -> ResourceError | None:
    """Return why a resource without old inputs must not be created, or not replaced by hand; None if it may.

    A replacement by hand looks like a new resource, whose object state or the server has already; see `create.run`.
    """
    run, urn = session.run, session.urn
    request = _new_request(session, unique)
    replaces_none = request is not None and request.replaces_none and not session.config.preview_only
    if not urn or (run.is_in_state(urn) and not replaces_none):
        return None
    _warn_of_unknown_service(session, resource, inputs)
    listed = _listed(session, request) if request else None
    own = _taken(session, request, listed)
    if request and replaces_none and not own and (first := object_in_state(session, request, listed or {})):
        return refusal_of_second(request, urn, *first)
    run.new[urn] = own
    if session.config.preview_only:
        if own:
            session.warn(warning_of_taken(*own))
        return None
    return _check_taken(session, own)


def _check_taken(session: Session, own: Taken | None) -> ResourceError | None:
    """Return why a run whose names are taken must not go on; warn if it may delete the objects that have them.

    The refusal of another new resource says whose name is taken, and what to do only if no error has said it.
    """
    run, urn = session.run, session.urn
    taken = {each: found for each, found in run.new.items() if found is not None}
    if not taken:
        return None
    if len(taken) < len(run.new):
        whose = urn if own else [*taken][-1]
        refusal = refusal_of_taken(run.new_names, *taken[whose], "do that in a run without other new resources")
        is_told = whose in run.refused
        run.refused.add(whose)
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

    def is_missing() -> bool:
        try:
            run.lists[objects.list_key] = objects.records()
        except ListNotFoundError:
            return True
        return False

    if objects.list_key not in run.lists:
        run.lists[objects.list_key] = None
        if session.try_reading(is_missing):
            run.unknown_services.add(service_id)
    if service_id in run.unknown_services:
        session.warn(
            f"{shown(session.urn)} is for service {service_id}, which the server does not find: it may belong to "
            f"another environment.\nCheck {SERVICE_ID}, and the organization (clouddb:organizationId)."
        )


def _check_same_name(
    session: Session, resource: AnyResource, request: CreateRequest[Any] | None, old: WireValues | None
) -> ResourceError | None:
    """Return why a new resource must not be created beside another one of the program; warn if both may succeed."""
    run, urn = session.run, session.urn
    if request is None or not request.unique:
        return None
    before = _unique_request(session, resource, old) if old else None
    naming = Naming(not old and not run.is_in_state(urn), before is not None and before.place != request.place)
    for other, are_new in run.names(urn, request.place, naming).items():
        if are_new and not session.config.preview_only:
            return refusal_of_same_name(request, shown(other))
        first, second = sorted((urn, other))
        session.for_resource(first).warn(warning_of_same_name(request, shown(first), shown(second)))
    for giver, taker in run.passes(urn, request.place, before.place if before else ""):
        session.for_resource(taker).warn(warning_of_passed_name(request, shown(giver), shown(taker)))
    return None


def _unique_request(session: Session, resource: AnyResource, inputs: WireValues) -> CreateRequest[Any] | None:
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
    key, lists = request.collection.list_key, session.run.lists
    if key not in lists:
        lists[key] = session.try_reading(request.collection.records)
    return lists[key]


def _check_replacement(
    session: Session, resource: AnyResource, inputs: WireValues, old: WireValues | None
) -> ResourceError | None:
    """Return why an object must not be replaced, if a check with its old inputs came before; see `create.run`.

    `_check_new` finds a replacement by hand, before which there is none.
    """
    run, urn = session.run, session.urn
    before = old or run.old_inputs(urn)
    refusal = resource.replacement_refusal(before or {}, inputs)
    run.checked(urn, resource.type.name, old, refusal)
    if old or not urn or not refusal:
        return None
    return None if before is None or _is_gone(session, resource) else refusal


def _is_gone(session: Session, resource: AnyResource) -> bool:
    """Return whether the object of a resource certainly no longer exists, so that a replacement deletes nothing."""
    state, object_id = session.run.state(session.urn), session.run.current(session.urn)
    if state is None:
        return False
    stored = state_from_wire(resource.type, state)
    return session.try_reading(lambda: [resource.read(session, object_id, stored)]) == [None]


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
    refusal = resource.refusal(session, checked.inputs, old)
    refusal = refusal or _check_replacement(session, resource, checked.inputs, old)
    unique = _unique_request(session, resource, checked.inputs)
    refusal = refusal or (None if old else _check_new(session, resource, checked.inputs, unique))
    refusal = refusal or _check_same_name(session, resource, unique, old)
    _warn_of_contradictions(session, resource, checked.inputs, "", old)
    return CheckResult(checked.inputs, [Failure("", str(refusal))]) if refusal else checked


def _warn_of_contradictions(
    session: Session, resource: AnyResource, inputs: WireValues, object_id: str, before: WireValues | None
) -> None:
    """Warn of what the resource and others of the program claim of objects, if both cannot have it."""
    if session.urn:
        meetings = session.run.claims(session.urn, resource.claims(session.rules, inputs, object_id, before or {}))
        for warning in contradictions(session.urn, meetings):
            session.for_resource(warning.urn).warn(str(warning))


def diff(
    session: Session, resource: AnyResource, object_id: str, old: WireValues, new: WireValues, stored_urn: str = ""
) -> DiffResult:
    """Compare state with checked inputs.

    `stored_urn` is the URN in state, if it is known; it may be older than that of the session.

    Raises:
        ResourceError: State was edited by hand, and a value has the wrong type.
    """
    refuse_misfits(resource.type, object_id, old)
    stored_urn = stored_urn or str(old.get(URN) or "")
    session.run.compared(session.urn, object_id, old, stored_urn)
    if not session.pending.is_replaced(session.urn, old):  # otherwise the interrupted run has deleted it
        _stored(session, object_id, stored_urn)
    if _is_for_early_deletion(session, new) and resource.replacement_refusal({}, new):
        return DiffResult()
    _remember_owner(session, resource, object_id)
    result = resource.diff(old, new)
    resource.warn_of_object(session, state_from_wire(resource.type, old, view_of), stored=True)
    for warning in resource.warnings_of_change(session, old, new):
        session.warn(warning)
    if result.renames:
        session.run.renames(object_id)
    if not result.replaces:
        for urn in filter(None, (session.urn, stored_urn)):
            session.run.declares(urn, resource.type.name, object_id)
        _warn_of_contradictions(session, resource, new, object_id, old)
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
    refuse_misfits(resource.type, object_id, old)
    return resource.preview_outputs(old, new)


def create(session: Session, resource: AnyResource, inputs: WireValues) -> tuple[str, WireDict]:
    """Create the object; its create stays pending until state is known to have it."""
    _refuse_in_preview_only(session)
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
    return object_id, _recorded(session, resource, resource.recorded(state, inputs))


def _recorded(session: Session, resource: AnyResource, state: State[Any]) -> WireDict:
    """Return what state contains; of a database also its URN, since its deletion must know an alias of it."""
    urn = {URN: session.urn} if resource.has_data and session.urn else {}
    return {**state_to_wire(resource.type, state), **urn}


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
        refuse_misfits(resource.type, object_id, state)
        _stored(session, object_id)
        stored = state_from_wire(resource.type, state)
        before, live = stored, resource.read(session, object_id, stored)
        if live is None:
            session.run.gone(session.urn)
    else:
        _refuse_malformed(resource.type, object_id)
        hints = construct(resource.type.inputs, {**inputs, **state})
        before = None
        object_id, live = resource.import_(session, usual_id(object_id), hints)
    if live is None:
        return object_id, None
    live = usable(resource.type, live, to_wire(construct(resource.type.inputs, state)) if MANAGED in state else {})
    live = resource.recorded(live, before=before)
    if live.kept:
        _warn_of_kept(session, resource, live)
    resource.warn_of_object(session, live, stored=False)
    if live.left_out:
        reasons = "; ".join(" ".join(str(each).split()) for each in live.left_out)
        session.warn(
            f"{resource.type.name} {object_id} has values that no program can declare. They are left out of the "
            f"inputs, and stay on the server: {reasons}"
        )
    return object_id, ReadResult(_recorded(session, resource, live), to_wire(live.wanted), live.left_out)


def _warn_of_kept(session: Session, resource: AnyResource, live: State[Any]) -> None:
    """Warn of what the server still keeps instead of the program's values."""
    wanted = to_wire(live.wanted)
    named = f"{resource.type.words} {wanted[NAME]!r}" if isinstance(wanted.get(NAME), str) else resource.type.words
    session.warn(
        f"The server keeps its own {', '.join(live.kept)} of {named}, and ignores that of the program.\n"
        "Remove it from the program, or write the server's value there."
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
    _refuse_in_preview_only(session)
    refuse_misfits(resource.type, object_id, old)
    _stored(session, object_id)
    wanted = construct(resource.type.inputs, new)
    try:
        before = state_from_wire(resource.type, old)
        repeating = session.repeating(resource.busy_retry(session, object_id, wanted))
        updated = resource.update(repeating, object_id, before, wanted)
        resource.warn_of_object(session, updated, stored=False)
        changed = resource.changed(old, new)
        session.run.gave_up(session.urn)
        return _recorded(session, resource, resource.recorded(updated, changed, before))
    except NotFoundError as error:
        raise ResourceError(
            first_line(error), "If somebody has deleted it, run `pulumi refresh`, then run again."
        ) from None


def delete(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> None:
    """Delete the object, unless this run needs it for another resource; see `deletion.DELETION_CASES`.

    Raises:
        ResourceError: The program has the resource, so that its object is to be replaced, and that is not allowed.
    """
    _refuse_in_preview_only(session)
    refuse_misfits(resource.type, object_id, state)
    stored = state_from_wire(resource.type, state)
    facts = _facts(session, resource, object_id, state)
    case = decide(facts)
    if case.decision is Deletion.REFUSED:
        raise _deletion_refusal(session, resource, object_id, stored)
    if case.decision is Deletion.KEPT:
        other = session.run.declared_as(resource.type.name, object_id, session.urn)
        found = to_wire(resource.found(stored))
        values = json.dumps(found, ensure_ascii=False)
        lost = f" State no longer has its original values: {values}." if found else ""
        session.warn(f"{resource.type.name} {object_id} {case.warning.format(other=other, lost=lost)}")
        return
    if facts.is_leftover:
        stays = session.run.current(session.run.urn_now(session.urn))
        session.warn(f"{resource.type.name} {object_id} is deleted: a replacement has left it, and {stays} stays.")
    _stored(session, object_id)
    session.run.deletes(session.urn, object_id, state)
    repeating = session.repeating(resource.busy_retry(session, object_id, stored.wanted, deleting=True))
    resource.delete(repeating, object_id, stored)
    session.owners.forget(object_id)


def _deletion_refusal(session: Session, resource: AnyResource, object_id: str, stored: State[Any]) -> ResourceError:
    """Return why an object is not deleted: the program has it, or another one may have replaced it without leave."""
    run, urn = session.run, session.run.urn_now(session.urn)
    if run.is_leftover(urn, object_id):
        return _leftover_refusal(session, resource, object_id, stored)
    refusal = run.refusal(run.holder(object_id, urn) or urn)
    return refusal or _beside_refusal(session, resource, object_id, stored)


def _beside_refusal(session: Session, resource: AnyResource, object_id: str, stored: State[Any]) -> ResourceError:
    """Return the refusal to delete what a new resource of the run may have replaced."""
    newer = _new_without_leave(session, resource, object_id, to_wire(stored.wanted))
    words, name = resource.type.words, shown(newer[0])
    if any(map(session.run.has_made_one, newer)):
        keep = (
            f"Run `pulumi up` again: it deletes the {words} if that was removed from the program, and says what to do "
            "if it was replaced."
        )
    else:
        keep = f"After a taint, `pulumi state untaint {session.urn!r}` keeps it."
    return ResourceError(
        f"{words} {stored.wanted.name!r} ({object_id}) is not deleted: this run creates {name}, perhaps in its place "
        "(a taint or `--replace` of a resource that has another URN now), and the program does not allow that",
        f"{keep} To delete it at once, with its data, set allowReplacement to true on {name}.",
    )


def _leftover_refusal(session: Session, resource: AnyResource, object_id: str, stored: State[Any]) -> ResourceError:
    """Return the refusal to delete what a replacement has left that the program did not allow."""
    urn, words = session.run.urn_now(session.urn), resource.type.words
    current = session.run.current(urn)
    older, newer = (
        f"{words} {values[NAME]!r} ({each})" if NAME in values else f"{words} {each}"
        for each, values in ((object_id, to_wire(stored.wanted)), (current, session.run.state(urn) or {}))
    )
    return ResourceError(
        f"{older} is not deleted: a replacement that the program did not allow (`--replace`, a taint) has made a newer "
        f"one, {newer}, in its place",
        "To keep the older one, run `pulumi stack export --file state.json`, remove the resource with the id "
        f'{current}, and `"delete": true` and `"taint": true` of the one with the id {object_id}, run `pulumi stack '
        "import --file state.json`, declare the older one as it was, and delete the newer one by hand. To delete the "
        "older one with its data, set allowReplacement to true, and deletionProtection to false.",
    )


def _facts(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> DeletionFacts:
    """Return what this run knows about an object that is to be deleted."""
    run, urn = session.run, session.run.urn_now(session.urn)
    is_leftover = run.is_leftover(urn, object_id)
    other = run.declared_as(resource.type.name, object_id, urn)
    if other is not None and _set_other_properties(run.state(other), resource, state):
        other = None
    return DeletionFacts(
        is_adopted=run.is_adopted(object_id),
        other=other,
        is_replaced_by_itself=run.has_made(urn, object_id),
        is_leftover=is_leftover,
        replacement_is_refused=bool(run.refusal(run.holder(object_id, urn) or urn)),
        was_allowed=not resource.replacement_refusal(state, run.state(urn) or {}),
        may_be_replaced=bool(_new_without_leave(session, resource, object_id, state)),
    )


def _new_without_leave(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> list[str]:
    """Return the new resources of this run that may replace a database without leave; see `create.run`.

    The program gives leave on the new one, or gave it on the old one in an earlier run; on a protected one, neither.
    """
    run, urn = session.run, session.urn
    if not resource.has_data or run.holder(object_id, urn) or not resource.replacement_refusal(state, state):
        return []
    is_protected = bool(state.get(DELETION_PROTECTION))
    return [each for each in run.new_of(resource.type.name, beside=urn) if is_protected or run.refusal(each)]


def _set_other_properties(other: WireValues | None, resource: AnyResource, state: WireValues) -> bool:
    """Return whether two overrides of one object set different properties of it, so that each restores its own."""
    if other is None or not isinstance(resource, OverrideResource):
        return False
    return to_wire(resource.found(state_from_wire(resource.type, state))).keys().isdisjoint(other.get(MANAGED, ()))


def _refuse_in_preview_only(session: Session) -> None:
    """Refuse a write if previews only warn about taken names: an update could stop in the middle.

    A check cannot know whether it belongs to a preview (CheckRequest of Pulumi's provider.proto), hence the setting.

    Raises:
        ResourceError: The setting is on.
    """
    if session.config.preview_only:
        raise ResourceError(
            "clouddb:previewOnly is set, so nothing is created, changed or deleted",
            "Remove it from the configuration of the stack, or CLOUDDB_PREVIEW_ONLY from the environment.",
        )


def _remember_owner(session: Session, resource: AnyResource, object_id: str) -> None:
    """Record for later runs that state has the object, if nothing may replace it by accident."""
    if resource.has_data:
        session.owners.remember(session.urn, object_id)


def _stored(session: Session, object_id: str, stored_urn: str = "") -> None:
    """Record that state has the object, so that its create is no longer pending."""
    session.run.stored(session.urn, object_id)
    session.pending.finish(object_id, session.urn, stored_urn)
