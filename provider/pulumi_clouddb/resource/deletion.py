"""The deletion of a resource: the first of a table of named cases that applies says what becomes of its object."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.create_request import refusal_in_preview_only
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.claims import shown
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.provisioned import Database
from pulumi_clouddb.schema.values import WireValues

from . import doubt
from .base import AnyResource
from .overrides import OverrideResource, moved, warn_of_moved
from .state import State, refuse_unusable, state_from_wire, without_inputs

DELETION_PROTECTION = property_name(Database, lambda database: database.deletion_protection)


@dataclass(frozen=True)
class DeletionFacts:
    """What a run knows about the object of a resource that the engine deletes; by default, nobody else needs it.

    Attributes:
        other: The URN of another resource of the program that has the object; None if there is none.
        is_replaced_by_itself: Whether this run has created the resource again, with the same object.
        is_leftover: Whether a replacement has left it: the resource has another object by now.
        was_allowed: Of a leftover, whether the inputs in state of the object that has replaced it allow that.
        has_old_urn: Whether it has the URN that state has for a resource which the program has under another one now.
        refusal: Why its resource must not be replaced, if the program still has that.
        newer: The new resources that may have replaced it, though the program has not allowed that.
        is_protected: Whether its deletion protection is on; of a leftover, unless the program turns it off by now.
        moved: The properties of an override that others of the program set by now.
    """

    other: str | None = None
    is_replaced_by_itself: bool = False
    is_leftover: bool = False
    was_allowed: bool = True
    has_old_urn: bool = False
    refusal: ResourceError | None = None
    newer: Sequence[str] = ()
    is_protected: bool = False
    moved: Set[str] = frozenset()


@dataclass(frozen=True)
class Deleted:
    """A resource that the engine deletes."""

    session: Session
    resource: AnyResource
    object_id: str
    stored: State[Any]
    facts: DeletionFacts

    @property
    def urn(self) -> str:
        """The URN that the program has for the resource now, as far as the run knows."""
        return self.session.run.urn_now(self.session.urn)

    @property
    def what(self) -> str:
        """The object in words, with its name if it has one, and its id."""
        return _named(self.resource, to_wire(self.stored.wanted), self.object_id)

    @property
    def newer(self) -> str:
        """What has replaced a leftover, in words."""
        run = self.session.run
        return _named(self.resource, run.state(self.urn) or {}, run.current(self.urn))


@dataclass(frozen=True)
class DeletionCase:
    """One row of the table: the object is kept with a warning, or its deletion is refused, or it is deleted.

    Attributes:
        name: The case in words.
        applies: Returns whether the case applies.
        warning: Why the object is kept, to follow its name. `{other}` is the URN of the other resource, and `{lost}`
            names the original values that an override no longer remembers.
        refusal: Returns why it must not be deleted.
    """

    name: str
    applies: Callable[[DeletionFacts], bool]
    warning: str = ""
    refusal: Callable[[Deleted], ResourceError | None] | None = None


def _named(resource: AnyResource, values: WireValues, object_id: str) -> str:
    words = resource.type.words
    return f"{words} {values[NAME]!r} ({object_id})" if NAME in values else f"{words} {object_id}"


def _is_refused_leftover(it: DeletionFacts) -> bool:
    """Return whether neither state nor the program allows to delete what a replacement has left."""
    return not it.was_allowed and (it.refusal is not None or it.is_protected)


def _leftover_refusal(it: Deleted) -> ResourceError:
    """Return the refusal to delete what a replacement has left that the program did not allow."""
    return ResourceError(
        f"{it.what} is not deleted: a replacement that the program did not allow (`--replace`, a taint, an import) has "
        f"made a newer one, {it.newer}, in its place",
        "To keep the older one, run `pulumi stack export --file state.json`, remove the resource with the id "
        f'{it.session.run.current(it.urn)}, and `"delete": true` and `"taint": true` of the one with the id '
        f"{it.object_id}, run `pulumi stack import --file state.json`, declare the older one as it was, and delete the "
        "newer one by hand. To delete the older one with its data, set allowReplacement to true, and "
        "deletionProtection to false.",
    )


def _old_urn_refusal(it: Deleted) -> ResourceError:
    """Return the refusal to delete what a replacement may have left before a rename."""
    return ResourceError(
        f"{it.what} is not deleted: {it.newer} had the same URN before, and perhaps has replaced it",
        "Run `pulumi refresh`, and then `pulumi up`, which deletes it if it was removed from the program.",
    )


def _beside_refusal(it: Deleted) -> ResourceError:
    """Return the refusal to delete what a new resource of the run may have replaced."""
    name = shown(it.facts.newer[0])
    if any(map(it.session.run.has_made_one, it.facts.newer)):
        keep = (
            f"Run `pulumi up` again: it deletes the {it.resource.type.words} if that was removed from the program, and "
            "says what to do if it was replaced."
        )
    else:
        keep = f"After a taint, `pulumi state untaint {it.session.urn!r}` keeps it."
    return ResourceError(
        f"{it.what} is not deleted: this run creates {name}, perhaps in its place (a taint or `--replace` of a "
        "resource that has another URN now), and the program does not allow that",
        f"{keep} To delete it at once, with its data, set allowReplacement to true on {name}.",
    )


def _protected_refusal(it: Deleted) -> ResourceError:
    """Return the refusal to delete a protected object."""
    return ResourceError(
        f"{it.what} is not deleted: deletionProtection is set",
        "Set deletionProtection to false and run `pulumi up` once, without deleting or replacing it.",
    )


DELETION_CASES: Sequence[DeletionCase] = (
    # A resource was renamed without an alias, and its object adopted or imported under the new name: the engine deletes
    # the old name at the end.
    DeletionCase(
        "it also belongs to another resource of the program",
        lambda it: it.other is not None,
        "is kept: it is also {other}, which stays in the program.{lost}\n"
        "To rename a resource, give it an alias of its old name.",
    ),
    # The new override has found the object as the old one had left it. Or a run was interrupted between creating the
    # object and writing state, and a replacement by hand, which asks for no diff, has adopted it.
    DeletionCase(
        "it was replaced by itself",
        lambda it: it.is_replaced_by_itself,
        "is kept: its replacement is the same object.{lost}\n"
        "To delete the resource first, set Pulumi's option deleteBeforeReplace on it.",
    ),
    # State may have the old URN for longer than the engine; then the calls are those of one that the program removes.
    DeletionCase(
        "a replacement may have left it before a rename",
        lambda it: it.has_old_urn and it.is_leftover and (bool(it.newer) or _is_refused_leftover(it)),
        refusal=_old_urn_refusal,
    ),
    # What the program says today is about the object that replaced it.
    DeletionCase("a replacement that was allowed has left it", lambda it: it.is_leftover and it.was_allowed),
    DeletionCase(
        "a replacement that was not allowed has left it",
        lambda it: it.is_leftover and _is_refused_leftover(it),
        refusal=_leftover_refusal,
    ),
    # No update reaches what a replacement has left, so a program that allows replacements decides about it.
    DeletionCase("a replacement has left it, which the program allows by now", lambda it: it.is_leftover),
    DeletionCase(
        "the program has the resource, and it must not be replaced",
        lambda it: it.refusal is not None,
        refusal=lambda it: it.facts.refusal,
    ),
    # After a taint of a resource with a new URN the engine's calls are those of one removed and another added.
    DeletionCase("another one may have replaced it without leave", lambda it: bool(it.newer), refusal=_beside_refusal),
    DeletionCase("it is protected", lambda it: it.is_protected, refusal=_protected_refusal),
    DeletionCase("nobody else needs it", lambda _: True),
)


def decide(facts: DeletionFacts) -> DeletionCase:
    """Return the first case that applies."""
    return next(case for case in DELETION_CASES if case.applies(facts))


def delete(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> None:
    """Delete the object, unless this run needs it for another resource; see `DELETION_CASES`.

    Raises:
        ResourceError: It is protected, or the program has the resource and does not allow that it is replaced.
    """
    if session.config.preview_only:
        raise refusal_in_preview_only()
    refuse_unusable(resource.type, object_id, state)
    stored = state_from_wire(resource.type, doubt.with_doubt(session, resource, object_id, state))
    facts = _facts(session, resource, object_id, state, stored)
    it = Deleted(session, resource, object_id, stored, facts)
    case = decide(facts)
    if case.refusal and (refusal := case.refusal(it)):
        raise refusal
    if case.warning:
        originals = to_wire(resource.originals(stored))
        values = json.dumps(originals, ensure_ascii=False)
        lost = f" State no longer has its original values: {values}." if originals else ""
        session.warn(f"{resource.type.name} {object_id} {case.warning.format(other=facts.other, lost=lost)}")
        return
    if facts.is_leftover and not facts.has_old_urn:
        stays = session.run.current(it.urn)
        session.warn(f"{resource.type.name} {object_id} is deleted: a replacement has left it, and {stays} stays.")
    session.stored(object_id)
    session.run.deletes(session.urn, object_id, state)
    repeating = session.repeating(resource.busy_retry(session, object_id, stored.wanted, deleting=True))
    warn_of_moved(session, resource, object_id, stored, facts.moved)
    resource.delete(repeating, object_id, without_inputs(stored, facts.moved))
    # A destroy deletes the object of a finished replacement at the same time, and that call shows that state has it.
    if not session.run.has_resource(it.urn):
        session.warn_of_second(object_id)
    session.owners.forget(object_id)
    doubt.forget(session, resource, object_id, state)


def _facts(
    session: Session, resource: AnyResource, object_id: str, state: WireValues, stored: State[Any]
) -> DeletionFacts:
    """Return what this run knows about an object that is to be deleted."""
    run, urn, now = session.run, session.urn, session.run.urn_now(session.urn)
    other = run.declared_as(resource.type.name, object_id, urn)
    others = moved(session, resource, object_id, stored) if isinstance(resource, OverrideResource) else {}
    if isinstance(resource, OverrideResource) and other is not None:
        names = {*wire_names(resource.fields)}.intersection(to_wire(stored.wanted)).union(stored.doubtful)
        other = min(others.values()) if others and names <= others.keys() else None
    is_leftover = run.is_leftover(now, object_id)
    is_unprotected = is_leftover and run.inputs(now).get(DELETION_PROTECTION) is False
    return DeletionFacts(
        other=other,
        is_replaced_by_itself=run.has_made(urn, object_id),
        is_leftover=is_leftover,
        was_allowed=not resource.replacement_refusal(state, run.state(now) or {}),
        has_old_urn=now != urn,
        refusal=run.replacement_refusal(run.holder(resource.type.name, object_id, now) or now),
        newer=_new_without_leave(session, resource, object_id, state),
        is_protected=bool(state.get(DELETION_PROTECTION)) and not is_unprotected,
        moved=others.keys(),
    )


def _new_without_leave(session: Session, resource: AnyResource, object_id: str, state: WireValues) -> list[str]:
    """Return the new resources of this run that may replace a database without leave; see `create.run`.

    The program gives leave on the new one, or gave it on the old one in an earlier run; on a protected one, neither.
    What the program has under its own URN replaces it itself, if anything does.
    """
    run, urn = session.run, session.urn
    is_own = run.has_resource(urn) or run.holder(resource.type.name, object_id, urn)
    if not resource.has_data or is_own or not resource.replacement_refusal(state, state):
        return []
    is_protected = bool(state.get(DELETION_PROTECTION))
    return [
        each for each in run.new_of(resource.type.name, beside=urn) if is_protected or run.replacement_refusal(each)
    ]
