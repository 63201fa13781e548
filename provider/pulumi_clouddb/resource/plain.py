"""Plain resources: POST creates them, one list contains them, and an update changes them in place."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import ApiError, ResourceError, UnsupportedOperationError
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.evidence import MIN_LISTS
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Record, wire_names
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import FOR_LIFE, NAME
from pulumi_clouddb.schema.thing import Thing, ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues, leaves

from .base import SERVICE_ID, AnyCollection, Resource, missing_in
from .state import State, merged, only, unmanaged, without

NEW_SECONDS = 60.0
"""For this long after a create, one list without the object does not prove that it is gone: lists may lag."""


class PlainResource(Resource[ThingT]):
    """A resource that is created with POST, updated with its changes, and read from a list."""

    users: ClassVar[tuple[tuple[str, AnyCollection], ...]] = ()
    """The objects that may refer to such an object: their name in messages, and their collection."""
    name_is_id: ClassVar[bool] = False
    """Whether the server uses the name that the program gives as the id."""

    unmanageable: ClassVar[str] = "is the server's own: nobody can change or delete it"
    """Why a program cannot manage an object that its collection excludes, to follow its name."""

    locks_out: ClassVar[bool] = False
    """Whether adopting the wrong object would lock its owner out: its password is reset, or it is deleted."""

    def __init__(self) -> None:
        """Check that the declaration is complete.

        Raises:
            TypeError: The class has no collection, the collection lacks an operation, or an id alone, by which a run
                knows an object, can be that of two.
        """
        if not hasattr(self, "collection"):
            raise TypeError(f"{type(self).__name__} has no collection")
        if self.name_is_id and self.type.state_inputs:
            name = type(self).__name__
            raise TypeError(f"{name} has a name as its id, which another service may have: see CONTRIBUTING.md")
        changes = {*wire_names(self.type.inputs)} - {*self.type.immutable, *self.type.provider_only}
        reads = ("GET",) if self.collection.not_listed else ()
        for role in ("LIST", "CREATE", *reads, *(("UPDATE",) if changes else ()), "DELETE"):
            if not hasattr(self.collection, role):
                raise TypeError(f"{self.collection.__name__} has no {role}, which {type(self).__name__} needs")

    def outputs_changed_by(self, old: State[ThingT], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that are not constant."""
        return tuple(name for name in self.type.output_only if name not in FOR_LIFE)

    # -- operations ----------------------------------------------------------------------------------------------

    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT]]:
        """Create the object."""
        created = self.create_once(session, wanted)
        state = self.state_of(session, wanted, created.record, created.id)
        if created.result is None:
            self.refuse_another(created, wanted, created.record)
            found = self.refreshed(state, created.record, created.id)
            before = replace(found, wanted=self.as_created(found.wanted, created, created.record))
            if created.unproven or not self.is_as_wanted(before, wanted):  # the program may have changed meanwhile
                state = self.send(session, created.id, before, wanted)
        return created.id, state

    def as_created(self, wanted: ThingT, created: CreateResult[Any], shown: Record) -> ThingT:
        """Return the part of the inputs that an interrupted create has certainly sent, for an update with the rest.

        It has the inputs that only the interrupted create has sent, too, so that the update clears them.
        """
        hidden = dict.fromkeys(created.removed.intersection(self.type.unanswered), "")
        removed = {name: value for name, value in to_wire(shown, created.removed).items() if value is not None}
        unproven = created.unproven - created.removed
        return without(self._args({**hidden, **removed, **to_wire(wanted)}), unproven)

    def refuse_another(self, created: CreateResult[ThingT], wanted: ThingT, record: ThingT) -> None:
        """Refuse to adopt an object whose immutable properties differ: no update changes them.

        Not every dialect documents these properties in responses, so the whole response counts. Of those
        that it does not show, the pending create proves that they differ, but not their values.

        Raises:
            ResourceError: One differs.
        """
        new, answer = to_wire(wanted), record.answer
        answered = {name: answer[name] for name in self.type.immutable if answer.get(name) is not None}
        actual = {**to_wire(self.reconciled(State(wanted, record), record), self.type.immutable), **answered}
        fixed = [name for name in actual if name in new and not self.same(name, actual[name], new[name])]
        shown = {name: f"{name} {actual[name]!r}" for name in fixed if name not in self.type.secrets}
        if different := [*fixed, *sorted(created.differing.difference(fixed))]:
            before = ", ".join(shown.get(name, f"the former {name}") for name in different)
            raise ResourceError(
                f"{self.what(wanted)} ({created.id}) was created by an interrupted run with another "
                f"{', '.join(different)}",
                f"Put {before} back into the program, or, if nobody needs this {self.type.words}, delete it in the "
                "console. Then run again.",
            )

    def create_once(self, session: Session, wanted: ThingT) -> CreateResult[ThingT]:
        """Create the object, or find the one of an interrupted create."""
        body = self.sent_body(self.body_of_create(session, wanted))
        return create_once(session, self._request(session, wanted, body))

    def read(self, session: Session, object_id: str, state: State[ThingT]) -> State[ThingT] | None:
        """Find the object in the shared list."""
        objects = self.objects(session, state.wanted)
        try:
            record = objects.find(object_id) or self._listed_late(session, objects, object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, self.type.with_article)
        return self.refreshed(state, record, object_id) if record else None

    def keep_unread(self, session: Session, state: State[ThingT], what: str) -> State[ThingT]:
        """Return the state unchanged, for a server that has no operation to read the object."""
        session.warn(f"This server offers no way to read {what}; its state is kept as it is.")
        return state

    def _listed_late(self, session: Session, objects: Collection[ThingT], object_id: str) -> ThingT | None:
        """Look again for an object that was created here a moment ago, if only lists show it, which may lag."""
        if hasattr(objects, "GET") or object_id not in session.pending.made_here(NEW_SECONDS):
            return None
        interval = float(session.config.poll_interval_seconds)
        for _ in range(MIN_LISTS - 1):
            session.sleep(interval)
            if record := objects.find(object_id, max_age=interval / 2):
                return record
        return None

    def update(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Send the changes."""
        return self.send(session, object_id, old, wanted)

    def send(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Send the changes; a removed property keeps its value on the server, unless a value clears it.

        Raises:
            NotFoundError: The object does not exist.
        """
        objects, changed = self.objects(session, wanted), self.changes(old, wanted)
        body = {**self.body(wanted, changed), **self.type.clearing_values(set(changed) - to_wire(wanted).keys())}
        if not body:
            stays = {*self.staying(old)}.intersection(wire_names(self.type.record))
            kept = construct(type(old.actual), to_wire(old.wanted, stays - to_wire(wanted).keys()))
            return State(wanted, merged(unmanaged(old), kept))
        record = self.change(session, objects, object_id, body)
        return self.state_of(session, wanted, self.with_outputs_of(record, old.actual), object_id)

    def with_outputs_of(self, record: ThingT, before: ThingT) -> ThingT:
        """Return the response of a write with the outputs of an earlier one that it does not repeat."""
        return merged(only(before, self.type.output_only), record)

    def delete(self, session: Session, object_id: str, state: State[ThingT]) -> None:
        """Delete the object, and warn of the objects that still use it."""
        wanted = state.wanted
        used = self.users_of(session, object_id, wanted)
        self.objects(session, wanted).remove(object_id)
        if used and (used := self.users_of(session, object_id, wanted, max_age=0.0)):
            session.warn(
                f"{self.what(wanted)} (id {object_id}) is deleted, but still used by {', '.join(used)}: the server "
                f"refuses updates of these until they name another {self.type.words}."
            )

    def import_(self, session: Session, object_id: str, hints: ThingT) -> tuple[str, State[ThingT]]:
        """Import an object; the id of a managed one is `serviceId/ID`."""
        service_id, own_id = None, object_id
        if self.type.state_inputs:
            service_id, own_id = service_and_id(object_id, _service_of(hints))
        if self.type.needs_service and not service_id:
            raise self.missing(object_id)
        given = self._args({SERVICE_ID: service_id} if service_id else {})
        objects = self.objects(session, given)
        record = objects.find(own_id)
        if record is None:
            raise missing_in(session, self, object_id, given)
        if not objects.can_be_managed(record):
            raise ResourceError(
                f"{self.what(record)} (id {own_id}) {self.unmanageable}",
                "Use its id where it is needed, and declare no resource for it.",
            )
        wanted, left_out = self.importable(session, given, self.reported(record), hints)
        return own_id, replace(self.state_of(session, wanted, record, own_id), left_out=left_out)

    def unique_request(self, session: Session, wanted: ThingT) -> CreateRequest[ThingT] | None:
        """Return the request of a create, if the name must be unique."""
        return self._request(session, wanted, {}) if self.unique_by else None

    # -- hooks ---------------------------------------------------------------------------------------------------

    def what(self, wanted: ThingT) -> str:
        """Return the object in a message, such as `saved search 'Errors'`."""
        return f"{self.type.words} {self.name_of(wanted)!r}"

    def name_of(self, wanted: ThingT) -> str:
        """Return the name of the object."""
        return str(getattr(wanted, NAME, None))

    def body_of_create(self, session: Session, wanted: ThingT) -> WireDict:
        """Return the body of a POST."""
        return {**self.body(wanted), **to_wire(wanted, self.type.carried)}

    def sent_body(self, body: WireDict) -> WireDict:
        """Return a body of a create, or of a whole replacement, as it is sent."""
        return body

    def state_of(self, session: Session, wanted: ThingT, record: ThingT, object_id: str) -> State[ThingT]:
        """Return the state after a write or an import."""
        return State(wanted, record)

    def refreshed(self, state: State[ThingT], record: ThingT, object_id: str) -> State[ThingT]:
        """Return the state after a read."""
        return State(self.reconciled(state, record), record)

    def is_as_wanted(self, found: State[ThingT], wanted: ThingT) -> bool:
        """Return whether an object that was found after a lost response matches the inputs."""
        return not self.changes(found, wanted)

    def reported(self, record: ThingT) -> WireDict:
        """Return the properties of an imported record by wire name, including those of the wrong type."""
        return {**record.answer, **to_wire(record)}

    def objects(self, session: Session, wanted: ThingT) -> Collection[ThingT]:
        """Return the collection with the object."""
        return session.api.of(self.collection, _service_of(wanted))

    def users_of(
        self, session: Session, object_id: str, wanted: ThingT, max_age: float = SHARED_LIST_SECONDS
    ) -> list[str]:
        """Return the objects on the same server that refer to an id, for a message, as far as they can be listed."""
        used = []
        for word, collection in self.users:
            objects = session.api.of(collection, _service_of(wanted))
            with suppress(ApiError):
                used += [
                    f"{word} {objects.name_of(record)!r} (id {objects.id_of(record)})"
                    for record in (objects.records(max_age=max_age) or {}).values()
                    if object_id in leaves(record.answer) and objects.id_of(record) != object_id
                ]
        return used

    def _request(self, session: Session, wanted: ThingT, body: WireValues) -> CreateRequest[ThingT]:
        return CreateRequest(
            what=self.what(wanted),
            name=self.name_of(wanted),
            resource=self.type,
            collection=self.objects(session, wanted),
            body=body,
            unique=bool(self.unique_by),
            locks_out=self.locks_out,
            own_id=self.name_of(wanted) if self.name_is_id else "",
        )


def _service_of(wanted: Thing) -> str | None:
    """Return the service of an object; None on a self-hosted server."""
    service_id: str | None = getattr(wanted, "service_id", None)
    return service_id


def service_and_id(object_id: str, service_id: str | None) -> tuple[str | None, str]:
    """Return the service and the id in `serviceId/ID`, or the given service for an id without one.

    Raises:
        ResourceError: The id has neither form.
    """
    before, slash, own = object_id.rpartition("/")
    if not own or "/" in before or (slash and not before):
        raise ResourceError(
            f"{object_id!r} is not an id",
            "Write ID, or SERVICE_ID/ID for an object of a service.",
        )
    return (before, own) if slash else (service_id, object_id)
