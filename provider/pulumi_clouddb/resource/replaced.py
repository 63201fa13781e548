"""Resources that an update replaces as a whole, with PUT, and the differences between the dialects of such updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import names_marked, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .plain import PlainResource
from .state import State


@dataclass(frozen=True)
class Update(Generic[ThingT]):
    """An update of an object.

    Attributes:
        resource: The type of the object.
        object_id: Its id on the server.
        held: The current object on the server.
        old: The state before the update.
        wanted: The inputs.
    """

    resource: ResourceType
    object_id: str
    held: ThingT
    old: State[ThingT]
    wanted: ThingT

    def cleared(self) -> WireDict:
        """Return the values that clear removed properties that a PUT does not clear by leaving them out."""
        wanted = to_wire(self.wanted)
        return self.resource.cleared(name for name in to_wire(self.old.wanted) if name not in wanted)

    def unmanaged(self, known: WireValues) -> WireDict:
        """Return the known properties that are not managed and were not; one that was managed is cleared."""
        managed = {*to_wire(self.old.wanted), *to_wire(self.wanted), ID}
        managed |= {*self.resource.provider_only, *self.resource.output_only}
        return {name: value for name, value in known.items() if name not in managed and value is not None}


class InterfaceDialect:
    """The servers of the interface, which accept only its properties."""

    def sent_along(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties for a PUT by wire name: without them it would clear them."""
        inputs = update.resource.inputs
        return update.unmanaged(to_wire(update.held, set(wire_names(inputs)) - set(names_marked(inputs, "only"))))


class VendorDialect(InterfaceDialect):
    """The vendor's servers, which accept all properties of a response and drop unknown ones."""

    def sent_along(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties, including unknown ones."""
        return update.unmanaged({**update.held.answer, **to_wire(update.held, wire_names(update.resource.inputs))})


DialectT = TypeVar("DialectT", bound=InterfaceDialect, covariant=True)


@dataclass(frozen=True)
class Dialects(Generic[DialectT]):
    """The dialects of one thing."""

    interface: DialectT
    vendor: DialectT

    def of(self, session: Session) -> DialectT:
        """Return the dialect of the servers of a session."""
        return self.vendor if session.config.vocabulary is CLICKHOUSE else self.interface


class ReplacedResource(PlainResource[ThingT]):
    """A plain resource that is updated with PUT."""

    dialects: ClassVar[Dialects[InterfaceDialect]] = Dialects(InterfaceDialect(), VendorDialect())

    def staying(self, old: State[ThingT]) -> tuple[str, ...]:
        """Return nothing: a PUT clears what it omits."""
        return ()

    def send(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Replace the object; unmanaged properties keep their current values.

        Raises:
            NotFoundError: The object does not exist.
        """
        objects = self.objects(session, wanted)
        answered = {name: value for name, value in old.actual.answer.items() if name not in wire_names(self.type.own)}
        shown = objects.current(object_id, answered)
        update = Update(self.type, object_id, shown or old.actual, old, wanted)
        body = self.sent_body(self.body_of_update(session, update))
        record = objects.replace(object_id, body, shown)
        return self.state_of(session, wanted, self.completed(record, old.actual), object_id)

    def body_of_update(self, session: Session, update: Update[ThingT]) -> WireDict:
        """Return the body of a PUT: the inputs and the unmanaged properties."""
        return {**self.body(update.wanted), **self.dialects.of(session).sent_along(update), **update.cleared()}
