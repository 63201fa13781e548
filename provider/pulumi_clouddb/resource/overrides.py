"""Overrides: they change what exists, and put back what they found, which is kept over the death of this process."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeVar

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import CloudDBError, NotFoundError, RateLimitError, ResourceError
from pulumi_clouddb.create.evidence import Normalizer, digests, shows_what_was_sent
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, wire_names
from pulumi_clouddb.schema.convert import RecordT, construct, to_wire
from pulumi_clouddb.schema.thing import Thing, ThingT, with_ours
from pulumi_clouddb.schema.values import WireValues

from .base import Resource
from .state import State, differing, filled, merged, only

Answer = TypeVar("Answer")

MOST_ATTEMPTS = 20
"""That many interrupted attempts in a row are remembered."""


def remember(session: Session, object_id: str, found: RecordT, wanted: Model, meaning: Normalizer) -> RecordT:
    """Return what is put back one day: what was found now, or what an interrupted attempt found before it changed it.

    Earlier attempts count only if the object is as one of them wanted it. Otherwise they were refused, or somebody has
    changed the object since.

    Args:
        session: What to work with; the create of the override is pending.
        object_id: The id of the override.
        found: What the object has now.
        wanted: What is about to be sent.
        meaning: What a property's value means.
    """
    pending, now = session.entry.record, to_wire(found)
    if session.entry.previous and pending.found is None:
        session.warn(
            f"An interrupted run was creating {pending.what}{f' (id {pending.id})' if pending.id else ''}; the program "
            "no longer asks for it. If it is there and nobody needs it, delete it by hand."
        )
    attempts = [pending.digests, *pending.earlier][:MOST_ATTEMPTS]
    ours = any(shows_what_was_sent(pending.model_copy(update={"digests": each}), now, meaning) for each in attempts)
    if session.entry.previous and pending.found is not None and ours:
        original = pending.found
        pending.earlier = attempts
    else:
        original = now
        pending.earlier = []
    pending.found = original
    pending.id = object_id
    pending.started, pending.response_lost = session.runtime.time(), False
    pending.digests = digests(pending, to_wire(wanted), meaning)
    session.entry.write()
    return construct(type(found), original)


def changed_or_forgotten(session: Session, change: Callable[[], Answer]) -> Answer:
    """Return what `change` answers; if the server has not carried it out for certain, forget the attempt.

    What was found is forgotten with it, unless an earlier attempt may have changed the object.
    """
    try:
        return change()
    except CloudDBError as error:
        if isinstance(error, RateLimitError):
            # A proxy that counts responses refuses what was carried out (tests/resources/test_updates.py). To keep
            # what was found costs nothing: it counts only if the object is as this attempt wanted it.
            session.response_was_lost()
        entry = session.entry
        if not entry.record.response_lost and entry.record.earlier:
            entry.record.digests, *entry.record.earlier = entry.record.earlier
            entry.write()
        elif not entry.record.response_lost:
            entry.forget()
        raise


class OverrideResource(Resource[ThingT, ThingT]):
    """A resource that changes some fields of an object that exists already.

    Its thing derives from the class of these fields, and has them as they were before in `original`.
    """

    fields: ClassVar[type[Thing]]
    """The fields that it may change."""

    @abstractmethod
    def object_of(self, session: Session, wanted: ThingT) -> str:
        """Return the id of the object that a program names."""

    @abstractmethod
    def named(self, object_id: str) -> ThingT:
        """Return the arguments that name an object."""

    def reported(self, record: ThingT) -> WireValues:
        """Return what an import takes of an object, by wire name."""
        return to_wire(record)

    def objects(self, session: Session, object_id: str) -> Collection[ThingT]:  # noqa: ARG002
        """Return the collection that has the object."""
        return session.api.of(self.collection)

    def outputs_changed_by(self, old: State[ThingT, ThingT], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what the server reports of the fields; what was found at first stays."""
        fields = wire_names(self.fields)
        return ({*fields} | self.type.copies_of(fields)) - {*wire_names(self.type.own)}

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT, ThingT]]:
        """Read the object, remember its fields, then send the new ones.

        Raises:
            ResourceError: There is no such object, or what it has could not be put back.
        """
        object_id = self.object_of(session, wanted)
        objects = self.objects(session, object_id)
        try:
            found = objects.get(object_id)
        except NotFoundError:
            raise self.missing(object_id) from None
        asked = only(wanted, wire_names(self.fields))
        original = remember(session, object_id, self._fields_of(found), asked, self.type.normalized)
        if not self.took(found, asked):
            found = changed_or_forgotten(session, lambda: self.change(session, objects, object_id, to_wire(asked)))
        return object_id, State(wanted, found.model_copy(update={"original": original}))

    def read(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> State[ThingT, ThingT] | None:
        """Find the object in the shared list."""
        record = self.objects(session, object_id).find(object_id)
        return State(self.reconciled(state.wanted, record), with_ours(record, state.actual)) if record else None

    def update(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Send what changed; a field that was taken out gets back what was found."""
        changed = only(merged(_original(old), wanted), self.changes(old, wanted))
        body = to_wire(filled(changed), wire_names(self.fields))
        objects = self.objects(session, object_id)
        record = self.change(session, objects, object_id, body) if body else objects.get(object_id)
        return State(wanted, with_ours(record, old.actual))

    def delete(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> None:
        """Put back what was found, of the fields that this override set; an object that is gone needs nothing."""
        found = self.found(state)
        changed = only(found, differing(found, state.wanted))
        if not changed.model_fields_set:
            return
        try:
            self.change(session, self.objects(session, object_id), object_id, to_wire(changed))
        except NotFoundError:
            if self.objects(session, object_id).find(object_id, max_age=0.0) is not None:
                raise  # one 404 is not enough to leave the object as it is

    def found(self, state: State[ThingT, ThingT]) -> Model:
        """Return the fields before this override, of those that it set."""
        return only(_original(state), to_wire(state.wanted))

    def import_(
        self,
        session: Session,
        object_id: str,
        hints: ThingT,  # noqa: ARG002
    ) -> tuple[str, State[ThingT, ThingT]]:
        """Take over an object as it is; that is also what destroying puts back."""
        record = self.objects(session, object_id).find(object_id)
        if record is None:
            raise self.missing(object_id)
        wanted, left_out = self.importable(session, self.named(object_id), self.reported(record))
        original = self._fields_of(record)
        return object_id, State(wanted, record.model_copy(update={"original": original}), left_out)

    def _fields_of(self, record: ThingT) -> Thing:
        """Return the fields that an object has.

        Raises:
            ResourceError: One of them is of another type, and could not be put back.
        """
        fields = filled(merged(self.fields.model_construct(), record))
        read = to_wire(fields)
        lost = [each for each in wire_names(self.fields) if record.answer.get(each) is not None and each not in read]
        if lost:
            raise ResourceError(
                f"{self.type.name}: the server answered {', '.join(lost)} of another type, which could not be put back",
                "Nothing was changed. Run again; if it comes again, a newer version of this package may read it.",
            )
        return fields


def _original(state: State[ThingT, ThingT]) -> Thing:
    original: Thing = vars(state.actual)["original"]
    return original
