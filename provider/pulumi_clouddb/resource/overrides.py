"""Overrides: they change an existing object, and restore it later; its original values are recorded on disk first."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import replace
from typing import ClassVar, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import CloudDBError, NotFoundError, RateLimitError, ResourceError
from pulumi_clouddb.create.evidence import Normalizer, digests, shows_what_was_sent
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, wire_names
from pulumi_clouddb.schema.check.claims import Claim, sets
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import RecordT, construct, to_body, to_wire
from pulumi_clouddb.schema.equality import usual_id
from pulumi_clouddb.schema.thing import Thing, ThingT
from pulumi_clouddb.schema.values import WireValues

from .base import SERVICE_ID, DiffResult, Resource, missing_in
from .settled import held
from .state import State, differing, filled, merged, only, without

Answer = TypeVar("Answer")

MOST_ATTEMPTS = 20
"""The number of interrupted attempts that are remembered."""


def remember(
    session: Session, object_id: str, found: RecordT, wanted: Model, meaning: Normalizer
) -> tuple[RecordT, frozenset[str]]:
    """Record and return the original values: the current ones, or those before an interrupted attempt.

    Return the names of the properties, too, that an interrupted attempt has changed, and that are no longer wanted.

    Earlier attempts count only if the object has the values of one of them. Otherwise they were rejected, or somebody
    has changed the object since.

    Args:
        session: A session in which the create of the override is pending.
        object_id: The id of the override.
        found: The current values.
        wanted: The values to send.
        meaning: Normalizes the value of a property.
    """
    pending, now = session.entry.record, to_wire(found)
    if session.entry.previous and pending.found is None:
        session.warn(
            f"An interrupted run was creating {pending.what}{f' (id {pending.id})' if pending.id else ''}; the program "
            "no longer declares it. If it exists and nobody needs it, delete it by hand."
        )
    attempts = [pending.digests, *pending.earlier][:MOST_ATTEMPTS]

    def shows(attempt: dict[str, str]) -> bool:
        return shows_what_was_sent(pending.model_copy(update={"digests": attempt}), now, meaning)

    if session.entry.previous and pending.found is not None and any(map(shows, attempts)):
        original = pending.found
        pending.earlier = attempts
    else:
        original = now
        pending.earlier = []
    removed = frozenset(name for each in pending.earlier for name in each).difference(to_wire(wanted))
    pending.found = original
    pending.id = object_id
    pending.started, pending.response_lost = session.runtime.time(), False
    pending.digests = digests(pending, to_wire(wanted), meaning)
    session.entry.write()
    return construct(type(found), original), removed


def changed_or_forgotten(session: Session, change: Callable[[], Answer]) -> Answer:
    """Return the result of `change`; if the server has certainly rejected it, forget the attempt.

    Its original values are forgotten, too, unless an earlier attempt may have changed the object.
    """
    try:
        return change()
    except CloudDBError as error:
        if isinstance(error, RateLimitError):
            # A proxy may answer 429 to a request that succeeded (tests/provider/resources/test_updates.py). Keeping the
            # original values is harmless: they count only if the object has the values of this attempt.
            session.response_was_lost()
        entry = session.entry
        if not entry.record.response_lost and entry.record.earlier:
            entry.record.digests, *entry.record.earlier = entry.record.earlier
            entry.write()
        elif not entry.record.response_lost:
            entry.forget()
        raise


def moved(session: Session, resource: Resource[ThingT], object_id: str, old: State[ThingT]) -> dict[str, str]:
    """Return the properties of an override that others of the program set by now, each with the URN of one of them."""
    claims = resource.claims(session.rules, to_wire(old.wanted), object_id, {})
    others = ((each.place.name.rpartition(".")[2], session.run.set_beside(session.urn, each)) for each in claims)
    return {name: urn for name, urn in others if urn}


def warn_of_moved(
    session: Session, resource: Resource[ThingT], object_id: str, old: State[ThingT], names: Set[str]
) -> None:
    """Warn of original values that are not restored, since another resource sets these properties by now."""
    if originals := to_wire(only(resource.originals(old), names)):
        session.warn(
            f"Another resource sets {', '.join(sorted(originals))} of {object_id} now. State no longer has the "
            f"original values: {json.dumps(originals, ensure_ascii=False)}."
        )


def to_send(
    session: Session, resource: Resource[ThingT], object_id: str, old: State[ThingT], wanted: ThingT
) -> set[str]:
    """Return the properties that an update of an override sends, beside others of the object in the same run.

    One that another resource sets instead, perhaps already, is not restored. And one that is set now is sent, also with
    the value in state: another one may have restored it.
    """
    before, now = to_wire(old.wanted).keys(), to_wire(wanted).keys()
    left = moved(session, resource, object_id, old).keys() - now
    warn_of_moved(session, resource, object_id, old, left)
    return {*resource.changes(old, wanted), *(now - before)} - left


class OverrideResource(Resource[ThingT]):
    """A resource that changes some fields of an existing object.

    Its thing derives from the class of these fields, and keeps their original values in `original`.
    """

    fields: ClassVar[type[Thing]]
    """The fields that it may change."""
    original: ClassVar[str] = "original"
    """The attribute of the thing with the original values."""
    part: ClassVar[str] = ""
    """Wire name of the property that has them in the object; empty if they are its own."""
    sends_equal_values: ClassVar[bool] = False
    """Whether a create sends values that the server already reports."""

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield the fields that it sets of the object that its last immutable input names, or of the organization."""
        named = [inputs[name] for name in self.type.immutable if name in inputs]
        fields = {name: inputs[name] for name in wire_names(self.fields) if name in inputs}
        values = {self.part: fields} if self.part else fields
        service_id, object_id = inputs.get(SERVICE_ID, ""), named[-1] if named else ""
        yield from sets(self.collection.model.__name__, service_id, object_id, values)

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare; a replacement by itself restores the object first, so that the new override finds it as it was."""
        result = super().diff(old, new)
        return replace(result, delete_before_replace=not result.replaces)

    def staying(self, old: State[ThingT]) -> tuple[str, ...]:
        """Return nothing: a removed field gets its original value."""
        return ()

    @abstractmethod
    def object_of(self, session: Session, wanted: ThingT) -> str:
        """Return the id of the object that the arguments name."""

    @abstractmethod
    def named(self, object_id: str) -> ThingT:
        """Return the arguments that name an object."""

    def values_in(self, record: ThingT) -> Thing:
        """Return the part of a record that has the fields."""
        return record

    def misfits_in(self, record: ThingT) -> list[str]:
        """Return the names of the fields that the server returned with an unexpected type."""
        read = to_wire(self._fields_of(record))
        return [each for each in wire_names(self.fields) if record.answer.get(each) is not None and each not in read]

    def reported(self, record: ThingT) -> WireValues:
        """Return the properties of an imported object, by wire name."""
        return to_wire(self.values_in(record))

    def objects(self, session: Session, object_id: str) -> Collection[ThingT]:
        """Return the collection that contains the object."""
        return session.api.of(self.collection)

    def outputs_changed_by(self, old: State[ThingT], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that repeat the fields; the original values stay."""
        fields = wire_names(self.fields)
        return ({*fields} | self.type.copies_of(fields)).intersection(wire_names(self.type.record))

    def took(self, served: ThingT, sent: Model) -> bool:  # type: ignore[override]
        """Return whether an object has all values that were sent."""
        return super().took(self.values_in(served), sent)

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT]]:
        """Read the object, record its fields, then send the new values.

        Raises:
            ResourceError: There is no such object, or its current values could not be restored later.
        """
        object_id = usual_id(self.object_of(session, wanted))
        objects = self.objects(session, object_id)
        return object_id, held(session, objects, object_id, lambda holding: self._begin(holding, object_id, wanted))

    def _begin(self, session: Session, object_id: str, wanted: ThingT) -> State[ThingT]:
        objects = self.objects(session, object_id)
        try:
            found = objects.get(object_id)
        except NotFoundError:
            raise self.missing(object_id) from None
        asked = only(wanted, wire_names(self.fields))
        original, removed = remember(session, object_id, self._restorable(found), asked, self.type.normalized)
        sent = merged(only(original, removed), asked)
        if sent.model_fields_set and (self.sends_equal_values or not self.took(found, sent)):
            found = changed_or_forgotten(session, lambda: self.change(session, objects, object_id, to_body(sent)))
        return self._state(wanted, found, original)

    def read(self, session: Session, object_id: str, state: State[ThingT]) -> State[ThingT] | None:
        """Find the object in the shared list."""
        record = self.objects(session, object_id).find(object_id)
        if record is None:
            return None
        return self._state(self.reconciled(state, self.values_in(record)), record, self._original(state))

    def update(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Send the changes; a field that the program no longer sets gets its original value, unless another sets it."""
        original = self._original(old)
        changed = only(merged(original, wanted), to_send(session, self, object_id, old, wanted))
        body = to_wire(filled(changed), wire_names(self.fields))
        objects = self.objects(session, object_id)
        record = self._change_held(session, object_id, body) if body else objects.get(object_id)
        return self._state(wanted, record, original)

    def delete(self, session: Session, object_id: str, state: State[ThingT]) -> None:
        """Restore the original values of the fields that this override set; an object that is gone needs nothing."""
        changed = self.to_restore(state)
        if not changed.model_fields_set:
            return
        try:
            self._change_held(session, object_id, to_wire(changed))
        except NotFoundError:
            if self.objects(session, object_id).find(object_id, max_age=0.0) is not None:
                raise  # one 404 does not prove that the object is gone

    def _change_held(self, session: Session, object_id: str, body: WireValues) -> ThingT:
        """Change the fields that the body has; servers without such an update replace the object that they return."""

        def change(holding: Session) -> ThingT:
            return self.change(holding, self.objects(holding, object_id), object_id, body)

        return held(session, self.objects(session, object_id), object_id, change)

    def restored(self, state: WireValues) -> tuple[str, ...]:
        """Return the fields."""
        return wire_names(self.fields)

    def originals(self, state: State[ThingT]) -> Model:
        """Return the original values of the fields that this override set, or that an update in doubt may have set."""
        return only(self._original(state), {*to_wire(state.wanted), *state.doubtful})

    def to_restore(self, state: State[ThingT]) -> Model:
        """Return those of them that the object does not have, or perhaps does not."""
        return differing(self.originals(state), without(state.wanted, state.doubtful))

    def import_(self, session: Session, object_id: str, hints: ThingT) -> tuple[str, State[ThingT]]:
        """Import an object as it is; destroying restores these values."""
        record = self.objects(session, object_id).find(object_id)
        if record is None:
            raise missing_in(session, self, object_id, self.named(object_id))
        wanted, left_out = self.importable(session, self.named(object_id), self.reported(record))
        return object_id, replace(self._state(wanted, record, self._restorable(record)), left_out=left_out)

    def _fields_of(self, record: ThingT) -> Thing:
        return filled(merged(self.fields.model_construct(), self.values_in(record)))

    def _restorable(self, record: ThingT) -> Thing:
        """Return the current values of the fields.

        Raises:
            ResourceError: One of them has an unexpected type.
        """
        if misfits := self.misfits_in(record):
            raise ResourceError(
                f"{self.type.name}: the server returned {', '.join(misfits)} with an unexpected type, so that "
                "destroying could not restore it",
                "Nothing was changed. Run again; if it happens again, a newer version of this package may read it.",
            )
        return self._fields_of(record)

    def _original(self, state: State[ThingT]) -> Thing:
        original: Thing | None = vars(state.actual)[self.original]
        return original or self.fields.model_construct()

    def _state(self, wanted: ThingT, record: ThingT, original: Thing) -> State[ThingT]:
        return State(wanted, record.model_copy(update={self.original: original}))
