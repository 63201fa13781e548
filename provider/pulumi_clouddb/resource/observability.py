"""What the resources of an observability server share: they live in a service's server or in the self-hosted one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .dialects import InterfaceDialect, Update, VendorDialect
from .plain import PlainResource
from .state import State, merged

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
