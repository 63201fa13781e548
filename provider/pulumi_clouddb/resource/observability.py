"""What the resources of an observability server share: they live in a service's server or in the self-hosted one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import ClassVar, TypeVar, cast

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import ApiError, UnsupportedOperationError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.create_request import CreateRequest, CreateResult
from pulumi_clouddb.create.creation import create_once
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, wire_names
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME, property_name
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.values import WireDict, WireValues

from .base import AnyCollection, Resource
from .ids import located
from .state import Flat, OwnT, RecordT, State, merged
from .unsaid import cleared, unsaid

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)

FOR_LIFE = frozenset({ID, "teamId", "createdAt"})
"""What stays of an object as long as it lives."""

ObservabilityArgsT = TypeVar("ObservabilityArgsT", bound=Model)


class ObservabilityResource(Resource[ObservabilityArgsT, RecordT, OwnT]):
    """A resource that is created with POST, replaced with PUT, and found in one list with its neighbours."""

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
        old: State[ObservabilityArgsT, RecordT, OwnT],  # noqa: ARG002
        changed: tuple[str, ...],  # noqa: ARG002
    ) -> Iterable[str]:
        """Return what a write may change by itself: all but what stays for life."""
        return tuple(name for name in self.type.output_only if name not in FOR_LIFE)

    def create(
        self, session: Session, args: ObservabilityArgsT
    ) -> tuple[str, State[ObservabilityArgsT, RecordT, OwnT]]:
        """Create the object."""
        created = self.create_once(session, args)
        state = State(args, created.record, self.own(created.id))
        if created.result is None and self.changes(self._as_served(state), args):
            # It may have been sent by an earlier run, for a program that has changed since.
            state = self.replace(session, created.id, state, args)
        return created.id, state

    def read(
        self, session: Session, object_id: str, state: State[ObservabilityArgsT, RecordT, OwnT]
    ) -> State[ObservabilityArgsT, RecordT, OwnT] | None:
        """Find the object in the shared list."""
        object_id = self.id_of(object_id, state)
        try:
            record = self.objects(session, service_of(state.args)).find(object_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, self.noun)
        return self._as_served(State(state.args, record, self.own(object_id))) if record else None

    def update(
        self, session: Session, object_id: str, old: State[ObservabilityArgsT, RecordT, OwnT], args: ObservabilityArgsT
    ) -> State[ObservabilityArgsT, RecordT, OwnT]:
        """Replace the object."""
        return self.replace(session, self.id_of(object_id, old), old, args)

    def delete(self, session: Session, object_id: str, state: State[ObservabilityArgsT, RecordT, OwnT]) -> None:
        """Delete the object; one that is gone already is done.

        A server deletes one that is in use without a word, and refuses the next update of what uses it
        (tests/sources/test_sources.py, tests/connections/test_connections.py): these objects are named.
        """
        service_id = service_of(state.args)
        used = self.users_of(session, object_id, service_id)
        self.objects(session, service_id).remove(self.id_of(object_id, state))
        if used and (used := self.users_of(session, object_id, service_id, max_age=0.0)):
            session.warn(
                f"{self.what(state.args)} (id {object_id}) is deleted, but still {self.still_used(', '.join(used))}."
            )

    def import_(
        self, session: Session, object_id: str, hints: ObservabilityArgsT
    ) -> tuple[str, State[ObservabilityArgsT, RecordT, OwnT]]:
        """Take over an object as it is; the id of a managed one is `serviceId/ID`."""
        service_id, own_id = located(object_id, service_of(hints))
        record = self.objects(session, service_id).find(own_id)
        if record is None:
            raise self.missing(object_id)
        given = self._args({SERVICE_ID: service_id} if SERVICE_ID in wire_names(self.type.inputs) else {})
        args, left_out = self.importable(session, given, self.reported(record))
        return own_id, State(args, record, self.own(own_id), left_out)

    def server_kind(self, inputs: WireValues) -> ServerKind:
        """Return which server holds an object of these inputs."""
        return server_of(inputs)

    # -- what a resource may say otherwise -----------------------------------------------------------------------

    def reported(self, record: RecordT) -> Flat:
        """Return what an import says of a record, by wire name: what is in the answer and misfits is judged, too."""
        return {**record.answer, **to_wire(record)}

    @property
    def noun(self) -> str:
        """What it is, with its article."""
        return f"{'an' if self._word[0] in 'aeiou' else 'a'} {self._word}"

    @property
    def _word(self) -> str:
        return self.type.snake_name.replace("_", " ")

    def name_of(self, args: ObservabilityArgsT) -> str:
        """Return the name that distinguishes such objects."""
        return str(to_wire(args).get(NAME))

    def what(self, args: ObservabilityArgsT) -> str:
        """Return the object in words, such as `saved search 'Errors'`."""
        return f"{self._word} {self.name_of(args)!r}"

    def own(self, object_id: str) -> OwnT:  # noqa: ARG002
        """Return what this provider adds to the state of the object of this id."""
        return cast(OwnT, construct(self.type.own, {}))

    def id_of(self, object_id: str, state: State[ObservabilityArgsT, RecordT, OwnT]) -> str:  # noqa: ARG002
        """Return the id of the object on its server."""
        return object_id

    def still_used(self, used: str) -> str:
        """Return what deleting an object leads to that others still name, in words that go on from "but still"."""
        return f"used by {used}: the server refuses updates of these until they name another {self._word}"

    def sent(self, body: WireDict) -> WireDict:
        """Return the body of a replacement as the server takes it."""
        return body

    # -- parts ---------------------------------------------------------------------------------------------------

    def objects(self, session: Session, service_id: str | None) -> Collection[RecordT]:
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

    def create_once(self, session: Session, args: ObservabilityArgsT) -> CreateResult[RecordT]:
        """Create the object, or find the one that an interrupted attempt has made."""
        return create_once(session, self._request(session, args, self.body(args)))

    def unique_request(self, session: Session, args: ObservabilityArgsT) -> CreateRequest[RecordT] | None:
        """Return the request that creates an object, where servers refuse a second one of its name."""
        return self._request(session, args, {}) if self.naming else None

    def _request(self, session: Session, args: ObservabilityArgsT, body: WireValues) -> CreateRequest[RecordT]:
        unique = bool(self.naming)
        return CreateRequest(
            what=self.what(args),
            name=self.name_of(args),
            resource=self.type,
            collection=self.objects(session, service_of(args)),
            body=body,
            unique=unique,
            shared_look=not unique,
        )

    def replace(
        self, session: Session, object_id: str, old: State[ObservabilityArgsT, RecordT, OwnT], args: ObservabilityArgsT
    ) -> State[ObservabilityArgsT, RecordT, OwnT]:
        """Replace the object; a property that no program says goes back as the server has it now.

        Raises:
            NotFoundError: The server does not find it.
        """
        objects = self.objects(session, service_of(args))
        held = objects.current(object_id) or old.record
        more = self.unsaid(held, old.args, args, takes_more=session.client.dialect.takes_more)
        body = {**self.body(args), **more, **cleared(self.type, old.args, args)}
        record = objects.replace(object_id, self.sent(body))
        return State(args, merged(self.kept_outputs(old), record), self.own(object_id))

    def unsaid(self, held: RecordT, old: ObservabilityArgsT, args: ObservabilityArgsT, *, takes_more: bool) -> WireDict:
        """Return what a replacement sends along; see `unsaid`."""
        return unsaid(self.type, held, old, args, takes_more=takes_more)

    def _as_served(self, state: State[ObservabilityArgsT, RecordT, OwnT]) -> State[ObservabilityArgsT, RecordT, OwnT]:
        return State(self.reconciled(state.args, state.record), state.record, state.own)


def service_of(args: Model) -> str | None:
    """Return the service whose server holds an object; None for the self-hosted one."""
    service_id: str | None = getattr(args, "service_id", None)
    return service_id


def server_of(inputs: WireValues) -> ServerKind:
    """Return which server holds an object: that of the service which the inputs name, or the self-hosted one."""
    return ServerKind.SELF_HOSTED if inputs.get(SERVICE_ID) is None else ServerKind.MANAGEMENT
