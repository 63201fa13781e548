"""Resources that an update replaces as a whole, with PUT, and the differences between the dialects of such updates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

from pulumi_clouddb.client.errors import ClientError, ResourceError, first_line
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.client.version import OUTDATED
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.defaults import without_defaults
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

from .edits import combined
from .plain import PlainResource
from .recording import lost_inputs
from .settled import held
from .state import State, without_inputs


@dataclass(frozen=True)
class Update(Generic[ThingT]):
    """An update of an object.

    Attributes:
        resource: The type of the object.
        object_id: Its id on the server.
        current: The current object on the server.
        old: The state before the update.
        wanted: The inputs.
    """

    resource: ResourceType
    object_id: str
    current: ThingT
    old: State[ThingT]
    wanted: ThingT

    def clearing_values(self) -> WireDict:
        """Return the values that clear removed properties that a PUT does not clear by leaving them out."""
        wanted = to_wire(self.wanted)
        return self.resource.clearing_values(name for name in to_wire(self.old.wanted) if name not in wanted)

    def unmanaged(self, known: WireValues) -> WireDict:
        """Return the known properties that are not managed and were not; one that was managed is cleared."""
        managed = {*to_wire(self.old.wanted), *to_wire(self.wanted), ID}
        managed |= {*self.resource.provider_only, *self.resource.output_only}
        return {name: value for name, value in known.items() if name not in managed and value is not None}


class InterfaceDialect:
    """The servers of the interface, which accept only its properties."""

    def unmanaged(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties for a PUT by wire name: without them it would clear them."""
        inputs = update.resource.inputs
        return update.unmanaged(to_wire(update.current, set(wire_names(inputs)) - set(names_with(inputs, "only"))))


class VendorDialect(InterfaceDialect):
    """The vendor's servers, which accept all properties of a response and drop unknown ones."""

    def unmanaged(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties, including unknown ones."""
        current = update.current
        return update.unmanaged({**current.answer, **to_wire(current, wire_names(update.resource.inputs))})


DialectT = TypeVar("DialectT", bound=InterfaceDialect, covariant=True)


@dataclass(frozen=True)
class Dialects(Generic[DialectT]):
    """The dialects of one thing."""

    interface: DialectT
    vendor: DialectT

    def of(self, session: Session) -> DialectT:
        """Return the dialect of the servers of a session."""
        return self.named(session.config.vocabulary)

    def named(self, vocabulary: VocabularyName) -> DialectT:
        """Return the dialect with a name."""
        return self.vendor if vocabulary is CLICKHOUSE else self.interface


class ReplacedResource(PlainResource[ThingT]):
    """A plain resource that is updated with PUT."""

    collection: ClassVar[type[ReplacedCollection[Any]]]
    dialects: ClassVar[Dialects[InterfaceDialect]] = Dialects(InterfaceDialect(), VendorDialect())

    def staying(self, old: State[ThingT]) -> tuple[str, ...]:
        """Return nothing: a PUT clears what it omits."""
        return ()

    def send(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Replace the object; unmanaged properties keep their current values, and edits of others are not lost.

        Raises:
            NotFoundError: The object does not exist.
            ResourceError: Somebody else has changed what the program changes; only servers with versions show it.
        """
        objects = self._objects(session, wanted)
        return held(session, objects, object_id, lambda holding: self._send_held(holding, object_id, old, wanted))

    def _send_held(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        objects = self._objects(session, wanted)
        if objects.compares_versions:
            return self._send_on_version(session, object_id, old, wanted)
        answered = {name: value for name, value in old.actual.answer.items() if name not in wire_names(self.type.own)}
        shown = objects.current(object_id, answered)
        update = Update(self.type, object_id, shown or old.actual, old, wanted)
        body = self.sent_body(self.body_of_update(session, update))
        try:
            record = objects.replace(object_id, body, shown)
        except ClientError as refusal:
            if not objects.learns_of_versions(object_id, refusal):
                raise
            return self._send_held(session, object_id, old, wanted)
        return self.state_of(session, wanted, self.with_outputs_of(record, old.actual), object_id)

    def _send_on_version(
        self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT, last: bool = False
    ) -> State[ThingT]:
        """Make the program's changes on the current version of the object; once more if it is replaced meanwhile."""
        objects = self._objects(session, wanted)
        current, version = objects.get_version(object_id)
        update = self._with_edits(session, Update(self.type, object_id, current, old, wanted))
        body = self.sent_body(self.body_of_update(session, update))
        try:
            record = objects.replace(object_id, body, current, version)
        except ClientError as refusal:
            if refusal.status not in OUTDATED:
                raise
            if last:
                what = f"{self.what(wanted)} (id {object_id})"
                raise ResourceError(
                    f"{what} is being edited on the server: {first_line(refusal)}", "Run again when that has ended."
                ) from None
            return self._send_on_version(session, object_id, old, wanted, last=True)
        return self.state_of(session, update.wanted, self.with_outputs_of(record, old.actual), object_id)

    def _objects(self, session: Session, wanted: ThingT) -> ReplacedCollection[ThingT]:
        return cast("ReplacedCollection[ThingT]", self.objects(session, wanted))

    def _with_edits(self, session: Session, update: Update[ThingT]) -> Update[ThingT]:
        """Return an update that keeps the edits since the last run.

        Raises:
            ResourceError: The program and an edit change the same part.
        """
        edited = self.refreshed(update.old, update.current, update.object_id)
        edited = without_inputs(edited, lost_inputs(self, update.old, edited))
        edits = combined(to_wire(update.old.wanted), to_wire(update.wanted), to_wire(edited.wanted), self._equal)
        what = f"{self.what(update.wanted)} (id {update.object_id})"
        if edits.lost:
            raise ResourceError(
                f"{what} was edited on the server since the last run, and the program changes the same: "
                f"{', '.join(edits.lost)}. Nothing was sent",
                "Run `pulumi up --refresh`, whose preview shows the edit. Put it into the program, or let the update "
                "overwrite it.",
            )
        if edits.kept:
            session.warn(
                f"{what} was edited on the server since the last run; this update keeps {', '.join(edits.kept)}.\n"
                "Put the edit into the program, or the next update sets it back."
            )
        return replace(update, old=edited, wanted=self._args(edits.inputs))

    def _equal(self, name: str, one: object, other: object) -> bool:
        """Return whether two values of a property mean the same, also if only one of them has a server's defaults."""
        pruned = [without_defaults(self.type.inputs, name, each) for each in (one, other)]
        return self.same(name, one, other) or self.same(name, *pruned)

    def body_of_update(self, session: Session, update: Update[ThingT]) -> WireDict:
        """Return the body of a PUT: the inputs and the unmanaged properties."""
        return {**self.body(update.wanted), **self.dialects.of(session).unmanaged(update), **update.clearing_values()}
