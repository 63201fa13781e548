"""What the resources of an observability server share.

They exist on a service's server or on a self-hosted one; a dialect says what the vendor's servers do otherwise.
"""

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
from .state import State, merged


@dataclass(frozen=True)
class Update(Generic[ThingT]):
    """An update of an object.

    Attributes:
        resource: The type of the object.
        object_id: Its id on the server.
        held: The object as the server has it now.
        old: The object in state.
        wanted: The object that the program wants.
    """

    resource: ResourceType
    object_id: str
    held: ThingT
    old: State[ThingT, ThingT]
    wanted: ThingT

    def cleared(self) -> WireDict:
        """Return the values that clear properties which a server keeps when a PUT leaves them out."""
        now = to_wire(self.wanted)
        return self.resource.cleared(name for name in to_wire(self.old.wanted) if name not in now)

    def unmanaged(self, known: WireValues) -> WireDict:
        """Return those of the known properties that no program manages; one that was managed is to be cleared."""
        managed = {*to_wire(self.old.wanted), *to_wire(self.wanted), ID}
        managed |= {*self.resource.provider_only, *self.resource.output_only}
        return {name: value for name, value in known.items() if name not in managed and value is not None}


class InterfaceDialect:
    """The servers of the interface: they have its properties, and no others."""

    def sent_along(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties that a PUT repeats, by wire name: it would clear them."""
        inputs = update.resource.inputs
        return update.unmanaged(to_wire(update.held, set(wire_names(inputs)) - set(names_marked(inputs, "only"))))


class VendorDialect(InterfaceDialect):
    """The vendor's servers: they take back all that they answer, and drop what they do not know."""

    def sent_along(self, update: Update[Any]) -> WireDict:
        """Return the unmanaged properties, with those that this package does not know."""
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


class ObservabilityResource(PlainResource[ThingT]):
    """A plain resource that PUT replaces."""

    dialects: ClassVar[Dialects[InterfaceDialect]] = Dialects(InterfaceDialect(), VendorDialect())

    def send(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Replace the object of an id; a property that no program says goes back as the server has it now.

        Raises:
            NotFoundError: The server does not find it.
        """
        objects = self.objects(session, wanted)
        answered = {name: value for name, value in old.actual.answer.items() if name not in wire_names(self.type.own)}
        shown = objects.current(object_id, answered)
        body = self.body_of_update(session, Update(self.type, object_id, shown or old.actual, old, wanted))
        record = merged(self.only_of_server(old.actual), objects.replace(object_id, body, shown))
        return self.state_of(session, wanted, record, object_id)

    def body_of_update(self, session: Session, update: Update[ThingT]) -> WireDict:
        """Return the body of a PUT: what the program says, and what the server holds beside it."""
        return {**self.body(update.wanted), **self.dialects.of(session).sent_along(update), **update.cleared()}
