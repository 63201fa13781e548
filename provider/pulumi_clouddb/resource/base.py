"""What all resources share: check, diff, preview, and inputs from a read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, cast

from pulumi_clouddb.client import collection as api
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.create_request import CreateRequest
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, NoRecord, Record, wire_names
from pulumi_clouddb.schema.check import Failure, failures_of
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, property_name
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import UNKNOWN, WireValues, contains_unknown
from pulumi_clouddb.schema.view import view_of

from .functions import Function
from .settled import settled
from .state import MANAGED, ActualT, Flat, State, WantedT, among, only, state_from_wire, state_to_wire

AnyCollection: TypeAlias = type[api.Collection[Any]]

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)


@dataclass(frozen=True)
class CheckResult:
    """Inputs as they will be used, and everything that is wrong with them."""

    inputs: Flat
    failures: list[Failure]


@dataclass(frozen=True)
class DiffResult:
    """What an update would do.

    Attributes:
        changed: Wire names of the properties that change.
        replaces: Those of them that need another object.
        delete_before_replace: Whether the old object goes before the new one comes.
        renames: Whether a unique name changes, or may.
    """

    changed: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    delete_before_replace: bool = False
    renames: bool = False


class Resource(ABC, Generic[WantedT, ActualT]):
    """What one resource means. Holds no state of its own.

    create, read, update, delete and import see typed arguments and state, all known. check, diff and preview go through
    whatever properties there are, by wire name and with `UNKNOWN` among them; one that they mean, they read of a view.
    """

    type: ClassVar[ResourceType]
    collection: ClassVar[AnyCollection]
    """What lists such objects, or what they are a part of."""
    functions: ClassVar[tuple[Function[Any], ...]] = ()
    """What reads such objects for a program."""
    naming: ClassVar[tuple[str, ...]] = ()
    """Wire names of the inputs that make up a name which only one object may have; none where many may have it."""

    def check(
        self,
        session: Session,
        inputs: WireValues,
        secret: Collection[str] = (),
        old: WireValues | None = None,  # noqa: ARG002
    ) -> CheckResult:
        """Return the inputs with defaults filled in, and all failures at once; unknown values are let through.

        Args:
            session: What to work with.
            inputs: The inputs of a program.
            secret: Wire names of those that no failure may quote.
            old: The inputs of the last update, if there was one.
        """
        given = {name: value for name, value in inputs.items() if value is not None}
        filled = {**self.type.defaults(), **given}
        if (only := self.type.only) and only is not session.rules.vocabulary:
            return CheckResult(filled, [Failure("", f"is a resource of the vendor's servers only: set {only.setting}")])
        for name, advice in self.type.deprecations(filled):
            session.warn(f"{self.type.name}.{name} is deprecated: {advice}.")
        model = self.type.inputs_in(session.rules.vocabulary)
        failures = failures_of(model, filled, session.rules, secret)
        if problem := session.settings_problem(self.server_kind(filled)):
            failures.insert(0, Failure("", problem))
        return CheckResult(filled, failures)

    def refusal(
        self,
        session: Session,  # noqa: ARG002
        inputs: WireValues,  # noqa: ARG002
        old: WireValues | None,  # noqa: ARG002
    ) -> ResourceError | None:
        """Return why checked inputs cannot be carried out, as far as a preview can ask the server; None for nothing.

        Args:
            session: What to work with.
            inputs: Checked inputs.
            old: The inputs of the last update, if there was one.
        """
        return None

    def server_kind(self, inputs: WireValues) -> ServerKind:
        """Return which server holds an object of these inputs."""
        forms = self.collection.LIST
        return (forms.self_hosted if inputs.get(SERVICE_ID) is None else forms.managed).server_kind

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare state with checked inputs by meaning; unknown counts as changed.

        What keeps a unique name is deleted first also where it is the program that asks for a replacement.
        """
        changed = self.changed(old, new)
        replaces = tuple(name for name in changed if name in self.type.immutable)
        renames = not set(self.naming).isdisjoint(changed)
        kept = bool(self.naming) and not renames
        changed += self.newly_managed(old, new) + self.needs_repair(self._seen(old))
        return DiffResult(changed, replaces, kept, renames)

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> Flat:
        """Return the outputs that creating (`old` is None) or updating would leave; `UNKNOWN` where only it can tell.

        An output that has the name of an input holds more than the input says, and is unknown unless nothing changes. A
        write that succeeds leaves no problem.
        """
        names, inputs = wire_names(self.type.state), wire_names(self.type.inputs)
        if old is None:
            return self._previewed({}, [name for name in names if name not in self.type.provider_only], new, {})
        changed, managed = self.changed(old, new), old.get(MANAGED, ())
        kept = {name: old[name] for name in names if name in old and name not in managed}
        moved = self.outputs_changed_by(self._seen(old), changed)
        unknown = [name for name in moved if name in old or name not in inputs] + [*self.removed_inputs(old, new)]
        return self._previewed(kept, unknown, new, {name: old[name] for name in old if name not in changed})

    def _previewed(self, kept: Flat, unknown: Iterable[str], new: WireValues, same: WireValues) -> Flat:
        outputs = {**kept, **{name: UNKNOWN for name in unknown if name != ID}, **new}
        more_than_inputs = among(wire_names(self.type.own), wire_names(self.type.inputs))
        outputs |= {name: same.get(name, UNKNOWN) for name in more_than_inputs}
        return {name: value for name, value in outputs.items() if name != self.type.problem}

    def unique_request(self, session: Session, wanted: WantedT) -> CreateRequest[Any] | None:  # noqa: ARG002
        """Return the request that creates an object whose name only one may have, without its body; None for others.

        Args:
            session: What to work with.
            wanted: The arguments, or a view of them.
        """
        return None

    @abstractmethod
    def create(self, session: Session, wanted: WantedT) -> tuple[str, State[WantedT, ActualT]]:
        """Create the object and return its id and state; once it exists, nothing that fails may lose it.

        Raises:
            ApiError: The server refused, or was not reached.
            ResourceError: The object cannot be created, or cannot be told from another.
        """

    @abstractmethod
    def read(self, session: Session, object_id: str, state: State[WantedT, ActualT]) -> State[WantedT, ActualT] | None:
        """Return the object as it is now, with the arguments that would leave it so; None when it is gone for certain.

        Raises:
            ApiError: It could not be read.
        """

    @abstractmethod
    def update(
        self, session: Session, object_id: str, old: State[WantedT, ActualT], wanted: WantedT
    ) -> State[WantedT, ActualT]:
        """Bring the object to its new arguments and return its state.

        Raises:
            ApiError: The server refused, or was not reached.
            ResourceError: What changes cannot be changed in place.
        """

    @abstractmethod
    def delete(self, session: Session, object_id: str, state: State[WantedT, ActualT]) -> None:
        """Remove the object; one that is gone already is done.

        Raises:
            ApiError: The server refused, or was not reached.
            ResourceError: The object is protected, or did not go in time.
        """

    def found(self, state: State[WantedT, ActualT]) -> Model:  # noqa: ARG002
        """Return the original values that a delete restores; nothing if it deletes the object."""
        return NoRecord()

    @abstractmethod
    def import_(self, session: Session, object_id: str, hints: WantedT) -> tuple[str, State[WantedT, ActualT]]:
        """Return the id and state of an object that no program has managed so far.

        Args:
            session: What to work with.
            object_id: The id as the user gives it.
            hints: What else is known of it: the type's `state_inputs`.

        Raises:
            ResourceError: There is no such object.
        """

    # -- comparing -----------------------------------------------------------------------------------------------

    def same(self, name: str, old: object, new: object) -> bool:
        """Return whether two known values of one property mean the same."""
        return bool(self.type.normalized(name, old) == self.type.normalized(name, new))

    def changed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Return the names of the inputs that are new, other, or taken out, in the order of the inputs."""
        names = [
            name
            for name, value in new.items()
            if contains_unknown(value) or name not in old or not self.same(name, old[name], value)
        ]
        return tuple(names) + self.removed_inputs(old, new)

    def took(self, served: Model, sent: Model) -> bool:
        """Return whether a server shows everything that was sent, so that a lost response was a good one."""
        shown = to_wire(served)
        return all(self.same(name, shown.get(name), value) for name, value in to_wire(sent).items())

    def changes(self, old: State[WantedT, ActualT], wanted: WantedT) -> tuple[str, ...]:
        """Return the wire names of the arguments that are new, other, or taken out."""
        return self.changed(state_to_wire(self.type, old), to_wire(wanted))

    def newly_managed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Return the names of the inputs that become managed with the value that the server already has.

        Nothing needs to be sent, but state must name them: otherwise taking one out later would not be noticed.
        """
        left = old.keys() - old.get(MANAGED, old)
        return tuple(
            name
            for name, value in new.items()
            if name in left and not contains_unknown(value) and self.same(name, old[name], value)
        )

    def removed_inputs(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Return the names of the inputs that were removed from the program."""
        return tuple(name for name in old.get(MANAGED, ()) if name not in new)

    def needs_repair(self, old: State[WantedT, ActualT]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the properties that show that the last run did not finish."""
        return ()

    def outputs_changed_by(
        self,
        old: State[WantedT, ActualT],  # noqa: ARG002
        changed: tuple[str, ...],  # noqa: ARG002
    ) -> Iterable[str]:
        """Return the names of the outputs that an update of `changed` may change.

        One that has the name of an input changes only where state has it.
        """
        return self.type.output_only

    # -- sending -------------------------------------------------------------------------------------------------

    def body(self, wanted: WantedT, names: Collection[str] | None = None) -> Flat:
        """Return the arguments that are sent, by wire name: all but the options, or those of `names`."""
        return {name: value for name, value in to_wire(wanted, names).items() if name not in self.type.provider_only}

    def change(self, session: Session, objects: api.Collection[ActualT], object_id: str, body: WireValues) -> ActualT:
        """Change an object; if the response is lost, the object itself shows whether the server carried it out.

        Args:
            session: What to work with.
            objects: The collection of the object.
            object_id: Its id there.
            body: What changes.
        """
        wanted = construct(self.type.inputs, body)
        return settled(
            session,
            lambda: objects.change(object_id, body),
            lambda: objects.find(object_id),
            lambda record: self.took(record, wanted),
        )

    # -- reading -------------------------------------------------------------------------------------------------

    def reconciled(self, wanted: WantedT, served: Record) -> WantedT:
        """Return the inputs that describe the object on the server.

        A field keeps the user's spelling where the server's value means the same, or where the server reports none.
        """
        server = to_wire(served)
        inputs: Flat = {}
        for name, value in to_wire(wanted).items():
            theirs = self.type.without_additions(name, value, server.get(name))
            reported = name in server and name not in self.type.provider_only and not self.same(name, value, theirs)
            inputs[name] = theirs if reported else value
        return self._args({name: value for name, value in inputs.items() if value is not None})

    def importable(self, session: Session, given: WantedT, reported: WireValues) -> tuple[WantedT, tuple[Failure, ...]]:
        """Return the arguments that describe an imported object, and why the rest of it is left out.

        Options, deprecated properties, secrets that no server answers and what servers have anyway stay out, and so
        does what check does not accept: a property that is left out stays as the server has it.

        Args:
            session: What to work with.
            given: What the import itself says.
            reported: What the server reports, by wire name.
        """
        inputs = to_wire(given)
        names = [
            name
            for name in wire_names(self.type.inputs)
            if name not in (*self.type.provider_only, *self.type.unanswered)
        ]
        told = {
            name: reported[name]
            for name in names
            if reported.get(name) is not None
            and (name in self.type.required or not self.type.is_server_default(name, reported[name]))
        }
        for name, _ in self.type.deprecations(list(told)):
            del told[name]
        failures = self.check(session, {**told, **inputs}).failures
        left = tuple(failure for failure in failures if failure.name in told.keys() - self.type.required)
        kept = {name: value for name, value in told.items() if name not in {failure.name for failure in left}}
        return self._args(self.check(session, {**inputs, **kept}).inputs), left

    def only_of_server(self, actual: ActualT) -> ActualT:
        """Return the outputs of an object without its inputs: a response may not repeat them."""
        names = self.type.output_only
        return only(actual, names)

    def keep_unread(self, session: Session, state: State[WantedT, ActualT], what: str) -> State[WantedT, ActualT]:
        """Return the state as it is, for a server that has no operation to read the object."""
        session.warn(f"This server offers no way to read {what}; what Pulumi knows of it is kept as it is.")
        return state

    def missing(self, object_id: str) -> ResourceError:
        """Return the error for an object that does not exist."""
        if self.type.state_inputs and "/" not in object_id:  # the usual slip
            if self.type.needs_service:
                return ResourceError(
                    f"{object_id!r} is not the id of a {self.type.words}", f"Write SERVICE_ID/{object_id}."
                )
            return ResourceError(
                f"{self.type.name} {object_id} does not exist on the server of clouddb:stackUrl",
                f"Check the id. If it belongs to a service, write SERVICE_ID/{object_id}.",
            )
        return ResourceError(
            f"{self.type.name} {object_id} does not exist",
            "Check the id, and the organization (clouddb:organizationId).",
        )

    def _seen(self, state: WireValues) -> State[WantedT, ActualT]:
        return state_from_wire(self.type, state, view_of)

    def _args(self, inputs: WireValues) -> WantedT:
        return cast(WantedT, construct(self.type.inputs, inputs))


AnyResource = Resource[Any, Any]
"""Any resource, for those who call it with values by wire name."""
