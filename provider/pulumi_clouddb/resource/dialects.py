"""What the servers of the two dialects do otherwise with an object of an observability server: an object of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from pulumi_clouddb.schema.base import names_marked, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues

from .state import State


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
