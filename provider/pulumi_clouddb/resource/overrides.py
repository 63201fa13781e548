"""Overrides: they change an existing object, and restore it later; its original values are recorded on disk first."""

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
"""The number of interrupted attempts that are remembered."""


def remember(session: Session, object_id: str, found: RecordT, wanted: Model, meaning: Normalizer) -> RecordT:
    """Record and return the original values: the current ones, or those before an interrupted attempt.

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
    """Return the result of `change`; if the server has certainly rejected it, forget the attempt.

    Its original values are forgotten, too, unless an earlier attempt may have changed the object.
    """
    try:
        return change()
    except CloudDBError as error:
        if isinstance(error, RateLimitError):
            # A proxy may answer 429 to a request that succeeded (tests/resources/test_updates.py). Keeping the
            # original values is harmless: they count only if the object has the values of this attempt.
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
    """The fields that the override changes."""

    @abstractmethod
    def object_of(self, session: Session, wanted: ThingT) -> str:
        """Return the id of the object in the inputs."""

    @abstractmethod
    def named(self, object_id: str) -> ThingT:
        """Return the inputs that identify an object."""

    def reported(self, record: ThingT) -> WireValues:
        """Return the properties of an object to import, by wire name."""
        return to_wire(record)

    def objects(self, session: Session, object_id: str) -> Collection[ThingT]:  # noqa: ARG002
        """Return the collection with the object."""
        return session.api.of(self.collection)

    def outputs_changed_by(self, old: State[ThingT, ThingT], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return the outputs that follow from the fields; the original values stay."""
        fields = wire_names(self.fields)
        return ({*fields} | self.type.copies_of(fields)) - {*wire_names(self.type.own)}

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT, ThingT]]:
        """Read the object, remember its fields, then send the new ones.

        Raises:
            ResourceError: The object does not exist, or its original values could not be restored.
        """
        object_id = self.object_of(session, wanted)
        objects = self.objects(session, object_id)
        try:
            record = objects.get(object_id)
        except NotFoundError:
            raise self.missing(object_id) from None
        fields = only(wanted, wire_names(self.fields))
        original = remember(session, object_id, self._fields_of(record), fields, self.type.normalized)
        if not self.took(record, fields):
            record = changed_or_forgotten(session, lambda: self.change(session, objects, object_id, to_wire(fields)))
        return object_id, State(wanted, record.model_copy(update={"original": original}))

    def read(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> State[ThingT, ThingT] | None:
        """Read the object from the shared list."""
        record = self.objects(session, object_id).find(object_id)
        return State(self.reconciled(state.wanted, record), with_ours(record, state.actual)) if record else None

    def update(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Send the changes; a removed field gets its original value."""
        changed = only(merged(_original(old), wanted), self.changes(old, wanted))
        body = to_wire(filled(changed), wire_names(self.fields))
        objects = self.objects(session, object_id)
        record = self.change(session, objects, object_id, body) if body else objects.get(object_id)
        return State(wanted, with_ours(record, old.actual))

    def delete(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> None:
        """Restore the original values of the managed fields, if the object still exists."""
        changed = differing(self.found(state), state.wanted)
        if not changed.model_fields_set:
            return
        try:
            self.change(session, self.objects(session, object_id), object_id, to_wire(changed))
        except NotFoundError:
            if self.objects(session, object_id).find(object_id, max_age=0.0) is not None:
                raise  # one 404 does not prove that the object is gone

    def found(self, state: State[ThingT, ThingT]) -> Model:
        """Return the original values of the managed fields."""
        return only(_original(state), to_wire(state.wanted))

    def import_(
        self,
        session: Session,
        object_id: str,
        hints: ThingT,  # noqa: ARG002
    ) -> tuple[str, State[ThingT, ThingT]]:
        """Import an object; its current values are also the original ones."""
        record = self.objects(session, object_id).find(object_id)
        if record is None:
            raise self.missing(object_id)
        wanted, left_out = self.importable(session, self.named(object_id), self.reported(record))
        original = self._fields_of(record)
        return object_id, State(wanted, record.model_copy(update={"original": original}), left_out)

    def _fields_of(self, record: ThingT) -> Thing:
        """Return the fields of an object.

        Raises:
            ResourceError: A value has the wrong type, so it could not be restored.
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
