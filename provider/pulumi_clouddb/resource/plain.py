"""What all plain resources share: one POST creates them, one list has them, and an update changes them in place."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import ApiError, ResourceError, UnsupportedOperationError
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import FOR_LIFE, NAME
from pulumi_clouddb.schema.thing import Thing, ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues

from .base import SERVICE_ID, AnyCollection, Resource
from .ids import located
from .state import Flat, State, merged, unmanaged


class PlainResource(Resource[ThingT, ThingT]):
    """A resource that is created with POST, changed in what differs, and found in one list with its neighbours."""

    users: ClassVar[tuple[tuple[str, AnyCollection], ...]] = ()
    """What may name such an object: the word for it, and where it is."""
    name_is_id: ClassVar[bool] = False
    """Whether the server uses the name that the program gives as the id."""

    def __init__(self) -> None:
        """Refuse a declaration that lacks a part.

        Raises:
            TypeError: The class has no collection, or the collection lacks an operation.
        """
        if not hasattr(self, "collection"):
            raise TypeError(f"{type(self).__name__} has no collection")
        changes = {*wire_names(self.type.inputs)} - {*self.type.immutable, *self.type.provider_only}
        has_get = self.collection.get is not Collection.get
        for role in ("LIST", "CREATE", *(() if has_get else ("GET",)), *(("UPDATE",) if changes else ()), "DELETE"):
            if not hasattr(self.collection, role):
                raise TypeError(f"{self.collection.__name__} has no {role}, which {type(self).__name__} needs")

    def outputs_changed_by(self, old: State[ThingT, ThingT], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what a write may change by itself: all but what stays for life."""
        return tuple(name for name in self.type.output_only if name not in FOR_LIFE)

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT, ThingT]]:
        """Create the object."""
        created = self.create_once(session, wanted)
        state = self.state_of(session, wanted, created.record, created.id)
        if created.result is None and not self.is_as_wanted(state, created.record, created.id):
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self.send(session, created.id, self.refreshed(state, created.record, created.id), wanted)
        return created.id, state

    def create_once(self, session: Session, wanted: ThingT) -> CreateResult[ThingT]:
        """Create the object, or find the one that an interrupted attempt has made."""
        return create_once(session, self._request(session, wanted, self.body_of_create(session, wanted)))

    def read(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> State[ThingT, ThingT] | None:
        """Find the object in the shared list."""
        object_id = self.id_of(object_id, state)
        try:
            record = self.objects(session, state.wanted).find(object_id)
        except UnsupportedOperationError:
            article = "an" if self.type.words[0] in "aeiou" else "a"
            return self.keep_unread(session, state, f"{article} {self.type.words}")
        return self.refreshed(state, record, object_id) if record else None

    def update(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Send what the update changes."""
        return self.send(session, self.id_of(object_id, old), old, wanted)

    def send(
        self, session: Session, object_id: str, old: State[ThingT, ThingT], wanted: ThingT
    ) -> State[ThingT, ThingT]:
        """Send what changed; a property that is taken out stays as the server has it, unless a value clears it.

        Raises:
            NotFoundError: The server does not find it.
        """
        objects, changed = self.objects(session, wanted), self.changes(old, wanted)
        body = {**self.body(wanted, changed), **self.type.cleared(set(changed) - to_wire(wanted).keys())}
        if not body:
            return State(wanted, unmanaged(old))
        record = self.change(session, objects, object_id, body)
        return self.state_of(session, wanted, merged(self.only_of_server(old.actual), record), object_id)

    def delete(self, session: Session, object_id: str, state: State[ThingT, ThingT]) -> None:
        """Delete the object; one that is gone already is done.

        A server deletes one that is in use without a word, and refuses the next update of what uses it
        (tests/sources/test_sources.py, tests/connections/test_connections.py): these objects are named.
        """
        wanted = state.wanted
        used = self.users_of(session, object_id, wanted)
        self.objects(session, wanted).remove(self.id_of(object_id, state))
        if used and (used := self.users_of(session, object_id, wanted, max_age=0.0)):
            session.warn(
                f"{self.what(wanted)} (id {object_id}) is deleted, but still {self.still_used(', '.join(used))}."
            )

    def import_(self, session: Session, object_id: str, hints: ThingT) -> tuple[str, State[ThingT, ThingT]]:
        """Take over an object as it is; the id of a managed one is `serviceId/ID`."""
        service_id, own_id = located(object_id, _service_of(hints)) if self.type.state_inputs else (None, object_id)
        if self.type.needs_service and not service_id:
            raise self.missing(object_id)
        given = self._args({SERVICE_ID: service_id} if service_id else {})
        objects = self.objects(session, given)
        record = objects.find(own_id)
        if record is None:
            raise self.missing(object_id)
        if not objects.can_be_managed(record):
            raise ResourceError(
                f"{self.what(record)} (id {own_id}) is the server's own: nobody can change or delete it",
                "Name its id where it is needed, without a resource.",
            )
        wanted, left_out = self.importable(session, given, self.reported(record))
        return own_id, replace(self.state_of(session, wanted, record, own_id), left_out=left_out)

    def unique_request(self, session: Session, wanted: ThingT) -> CreateRequest[ThingT] | None:
        """Return the request that creates an object, where servers refuse a second one of its name."""
        return self._request(session, wanted, {}) if self.naming else None

    # -- what a resource may do otherwise ------------------------------------------------------------------------

    def what(self, wanted: ThingT) -> str:
        """Return the object in words, such as `saved search 'Errors'`."""
        return f"{self.type.words} {self.name_of(wanted)!r}"

    def name_of(self, wanted: ThingT) -> str:
        """Return the name that distinguishes such objects."""
        return str(getattr(wanted, NAME, None))

    def id_of(self, object_id: str, state: State[ThingT, ThingT]) -> str:  # noqa: ARG002
        """Return the id of the object on its server."""
        return object_id

    def with_id(self, actual: ThingT, object_id: str) -> ThingT:  # noqa: ARG002
        """Return a server's answer with the id of its object, for resources that keep it among their properties."""
        return actual

    def body_of_create(self, session: Session, wanted: ThingT) -> WireDict:  # noqa: ARG002
        """Return the body of a POST."""
        return self.body(wanted)

    def state_of(self, session: Session, wanted: ThingT, record: ThingT, object_id: str) -> State[ThingT, ThingT]:  # noqa: ARG002
        """Return the state of an object that a server has answered to a write, or to an import."""
        return State(wanted, self.with_id(record, object_id))

    def refreshed(self, state: State[ThingT, ThingT], record: ThingT, object_id: str) -> State[ThingT, ThingT]:
        """Return the state of an object as its server has it now."""
        actual = self.with_id(record, object_id)
        return State(self.reconciled(state.wanted, actual), actual)

    def is_as_wanted(self, state: State[ThingT, ThingT], record: ThingT, object_id: str) -> bool:
        """Return whether an object that a lost response was about is as the program wants it."""
        return not self.changes(self.refreshed(state, record, object_id), state.wanted)

    def reported(self, record: ThingT) -> Flat:
        """Return the properties of an imported record by wire name, those that do not fit the model included."""
        return {**record.answer, **to_wire(record)}

    def still_used(self, used: str) -> str:
        """Return the consequence of deleting an object that others refer to, to follow "but still"."""
        return f"used by {used}: the server refuses updates of these until they name another {self.type.words}"

    # -- parts ---------------------------------------------------------------------------------------------------

    def objects(self, session: Session, wanted: ThingT) -> Collection[ThingT]:
        """Return the collection that holds the object."""
        return session.api.of(self.collection, _service_of(wanted))

    def users_of(
        self, session: Session, object_id: str, wanted: ThingT, max_age: float = SHARED_LIST_SECONDS
    ) -> list[str]:
        """Return, in words, the objects of the same server whose records name an id, as far as they can be listed."""
        found = []
        for word, collection in self.users:
            objects = session.api.of(collection, _service_of(wanted))
            with suppress(ApiError):
                found += [
                    f"{word} {objects.name_of(record)!r} (id {objects.id_of(record)})"
                    for record in objects.listed(max_age=max_age)
                    if object_id in str(record.answer) and objects.id_of(record) != object_id
                ]
        return found

    def _request(self, session: Session, wanted: ThingT, body: WireValues) -> CreateRequest[ThingT]:
        return CreateRequest(
            what=self.what(wanted),
            name=self.name_of(wanted),
            resource=self.type,
            collection=self.objects(session, wanted),
            body=body,
            unique=bool(self.naming),
            own_id=self.name_of(wanted) if self.name_is_id else "",
        )


def _service_of(wanted: Thing) -> str | None:
    """Return the service whose server holds an object; None for the self-hosted one."""
    service_id: str | None = getattr(wanted, "service_id", None)
    return service_id
