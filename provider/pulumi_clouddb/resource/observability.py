"""What the resources of an observability server share: they live in a service's server or in the self-hosted one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import ApiError, UnsupportedOperationError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.observability import FOR_LIFE, OnStack
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .base import AnyCollection, Resource
from .dialects import InterfaceDialect, Update, VendorDialect
from .ids import located
from .state import ActualT, Flat, State, WantedT, merged

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)


DialectT = TypeVar("DialectT", bound=InterfaceDialect, covariant=True)


@dataclass(frozen=True)
class Dialects(Generic[DialectT]):
    """The dialects of one thing."""

    interface: DialectT
    vendor: DialectT

    def of(self, session: Session) -> DialectT:
        """Return the dialect of the servers of a session."""
        return self.vendor if session.config.vocabulary is CLICKHOUSE else self.interface


class ObservabilityResource(Resource[WantedT, ActualT]):
    """A resource that is created with POST, replaced with PUT, and found in one list with its neighbours."""

    dialects: ClassVar[Dialects[InterfaceDialect]] = Dialects(InterfaceDialect(), VendorDialect())
    users: ClassVar[tuple[tuple[str, AnyCollection], ...]] = ()
    """What may name such an object: the word for it, and where it is."""

    def __init_subclass__(cls) -> None:
        """Hold that the declaration is whole.

        Raises:
            TypeError: The class has no collection, or the collection lacks an operation.
        """
        super().__init_subclass__()
        if not hasattr(cls, "collection"):
            raise TypeError(f"{cls.__name__} has no collection")
        for role in ("LIST", "CREATE", "GET", "UPDATE", "DELETE"):
            if not hasattr(cls.collection, role) and (role != "GET" or cls.collection.get is Collection.get):
                raise TypeError(f"{cls.collection.__name__} has no {role}, which {cls.__name__} needs")

    def outputs_changed_by(
        self,
        old: State[WantedT, ActualT],  # noqa: ARG002
        changed: tuple[str, ...],  # noqa: ARG002
    ) -> Iterable[str]:
        """Return what a write may change by itself: all but what stays for life."""
        return tuple(name for name in self.type.output_only if name not in FOR_LIFE)

    def create(self, session: Session, wanted: WantedT) -> tuple[str, State[WantedT, ActualT]]:
        """Create the object."""
        created = self.create_once(session, wanted)
        state = self.state_of(session, wanted, created.record, created.id)
        if created.result is None and not self.is_as_wanted(state, created.record, created.id):
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self.replace(session, created.id, state, wanted)
        return created.id, state

    def read(self, session: Session, object_id: str, state: State[WantedT, ActualT]) -> State[WantedT, ActualT] | None:
        """Find the object in the shared list."""
        object_id = self.id_of(object_id, state)
        try:
            record = self.objects(session, service_of(state.wanted)).find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, self.noun)
        return self.refreshed(state, record, object_id) if record else None

    def update(
        self, session: Session, object_id: str, old: State[WantedT, ActualT], wanted: WantedT
    ) -> State[WantedT, ActualT]:
        """Replace the object."""
        return self.replace(session, self.id_of(object_id, old), old, wanted)

    def delete(self, session: Session, object_id: str, state: State[WantedT, ActualT]) -> None:
        """Delete the object; one that is gone already is done.

        A server deletes one that is in use without a word, and refuses the next update of what uses it
        (tests/sources/test_sources.py, tests/connections/test_connections.py): these objects are named.
        """
        service_id = service_of(state.wanted)
        used = self.users_of(session, object_id, service_id)
        self.objects(session, service_id).remove(self.id_of(object_id, state))
        if used and (used := self.users_of(session, object_id, service_id, max_age=0.0)):
            session.warn(
                f"{self.what(state.wanted)} (id {object_id}) is deleted, but still {self.still_used(', '.join(used))}."
            )

    def import_(self, session: Session, object_id: str, hints: WantedT) -> tuple[str, State[WantedT, ActualT]]:
        """Take over an object as it is; the id of a managed one is `serviceId/ID`."""
        service_id, own_id = located(object_id, service_of(hints))
        record = self.objects(session, service_id).find(own_id)
        if record is None:
            raise self.missing(object_id)
        given = self._args({SERVICE_ID: service_id} if SERVICE_ID in wire_names(self.type.inputs) else {})
        wanted, left_out = self.importable(session, given, self.reported(record))
        return own_id, replace(self.state_of(session, wanted, record, own_id), left_out=left_out)

    def server_kind(self, inputs: WireValues) -> ServerKind:
        """Return which server holds an object of these inputs."""
        return server_of(inputs)

    # -- what a resource may say otherwise -----------------------------------------------------------------------

    def state_of(self, session: Session, wanted: WantedT, record: ActualT, object_id: str) -> State[WantedT, ActualT]:  # noqa: ARG002
        """Return the state of an object that a server has answered to a write, or to an import."""
        return State(wanted, self.with_id(record, object_id))

    def refreshed(self, state: State[WantedT, ActualT], record: ActualT, object_id: str) -> State[WantedT, ActualT]:
        """Return the state of an object as its server has it now."""
        actual = self.with_id(record, object_id)
        return State(self.reconciled(state.wanted, actual), actual)

    def is_as_wanted(self, state: State[WantedT, ActualT], record: ActualT, object_id: str) -> bool:
        """Return whether an object that a lost response was about is as the program wants it."""
        return not self.changes(self.refreshed(state, record, object_id), state.wanted)

    def reported(self, record: ActualT) -> Flat:
        """Return the properties of an imported record by wire name, those that do not fit the model included."""
        return {**record.answer, **to_wire(record)}

    @property
    def noun(self) -> str:
        """What it is, with its article."""
        return f"{'an' if self.type.words[0] in 'aeiou' else 'a'} {self.type.words}"

    def name_of(self, wanted: WantedT) -> str:
        """Return the name that distinguishes such objects."""
        return str(getattr(wanted, NAME, None))

    def what(self, wanted: WantedT) -> str:
        """Return the object in words, such as `saved search 'Errors'`."""
        return f"{self.type.words} {self.name_of(wanted)!r}"

    def with_id(self, actual: ActualT, object_id: str) -> ActualT:  # noqa: ARG002
        """Return a server's answer with the id of its object, for resources that keep it among their properties."""
        return actual

    def id_of(self, object_id: str, state: State[WantedT, ActualT]) -> str:  # noqa: ARG002
        """Return the id of the object on its server."""
        return object_id

    def still_used(self, used: str) -> str:
        """Return the consequence of deleting an object that others refer to, to follow "but still"."""
        return f"used by {used}: the server refuses updates of these until they name another {self.type.words}"

    def body_of_create(self, session: Session, wanted: WantedT) -> WireDict:  # noqa: ARG002
        """Return the body of a POST."""
        return self.body(wanted)

    def body_of_update(self, session: Session, update: Update[WantedT, ActualT]) -> WireDict:
        """Return the body of a PUT: what the program says, and what the server holds beside it."""
        return {**self.body(update.wanted), **self.dialects.of(session).sent_along(update), **update.cleared()}

    # -- parts ---------------------------------------------------------------------------------------------------

    def objects(self, session: Session, service_id: str | None) -> Collection[ActualT]:
        """Return the collection that holds the object."""
        return session.api.of(self.collection, service_id)

    def users_of(
        self, session: Session, object_id: str, service_id: str | None, max_age: float = SHARED_LIST_SECONDS
    ) -> list[str]:
        """Return, in words, the objects of the same server whose records name an id, as far as they can be listed."""
        found = []
        for word, collection in self.users:
            objects = session.api.of(collection, service_id)
            with suppress(ApiError):
                found += [
                    f"{word} {objects.name_of(record)!r} (id {objects.id_of(record)})"
                    for record in objects.listed(max_age=max_age)
                    if object_id in str(record.answer) and objects.id_of(record) != object_id
                ]
        return found

    def create_once(self, session: Session, wanted: WantedT) -> CreateResult[ActualT]:
        """Create the object, or find the one that an interrupted attempt has made."""
        return create_once(session, self._request(session, wanted, self.body_of_create(session, wanted)))

    def unique_request(self, session: Session, wanted: WantedT) -> CreateRequest[ActualT] | None:
        """Return the request that creates an object, where servers refuse a second one of its name."""
        return self._request(session, wanted, {}) if self.naming else None

    def _request(self, session: Session, wanted: WantedT, body: WireValues) -> CreateRequest[ActualT]:
        unique = bool(self.naming)
        return CreateRequest(
            what=self.what(wanted),
            name=self.name_of(wanted),
            resource=self.type,
            collection=self.objects(session, service_of(wanted)),
            body=body,
            unique=unique,
            shared_look=not unique,
        )

    def replace(
        self, session: Session, object_id: str, old: State[WantedT, ActualT], wanted: WantedT
    ) -> State[WantedT, ActualT]:
        """Replace the object; a property that no program says goes back as the server has it now.

        Raises:
            NotFoundError: The server does not find it.
        """
        objects = self.objects(session, service_of(wanted))
        held = objects.current(object_id) or old.actual
        body = self.body_of_update(session, Update(self.type, object_id, held, old, wanted))
        record = objects.replace(object_id, body)
        return self.state_of(session, wanted, merged(self.only_of_server(old.actual), record), object_id)


def service_of(wanted: Model) -> str | None:
    """Return the service whose server holds an object; None for the self-hosted one."""
    service_id: str | None = getattr(wanted, "service_id", None)
    return service_id


def server_of(inputs: WireValues) -> ServerKind:
    """Return which server holds an object: that of the service which the inputs name, or the self-hosted one."""
    return ServerKind.SELF_HOSTED if inputs.get(SERVICE_ID) is None else ServerKind.MANAGEMENT
