"""The base of all resources: check, diff, preview, and inputs from the server."""

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
from pulumi_clouddb.schema.additions import UNRECORDED
from pulumi_clouddb.schema.base import Model, NoRecord, Record, wire_names
from pulumi_clouddb.schema.check.claims import Claim, sets
from pulumi_clouddb.schema.check.findings import Failure, failures_of, findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import construct, to_body, to_wire
from pulumi_clouddb.schema.defaults import without_defaults
from pulumi_clouddb.schema.names import ID, LAST_ERROR, NAME, property_name
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, ThingT
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, contains_unknown
from pulumi_clouddb.schema.view import view_of

from .busy import BusyRetry
from .functions import Function, warn_of_values
from .settled import settled
from .state import MANAGED, State, doubtful_in, removed_inputs, state_from_wire, state_to_wire, unmanaged_in

AnyCollection: TypeAlias = type[api.Collection[Any]]

SERVICE_ID = property_name(OnStack, lambda args: args.service_id)


@dataclass(frozen=True)
class CheckResult:
    """Inputs with defaults, and all their failures."""

    inputs: WireDict
    failures: list[Failure]


@dataclass(frozen=True)
class DiffResult:
    """The difference between state and inputs.

    Attributes:
        changed: Wire names of the properties that change.
        replaces: Those of them that replace the object.
        delete_before_replace: Whether a replacement deletes the old object first.
        renames: Whether a unique name changes, or may change.
    """

    changed: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    delete_before_replace: bool = False
    renames: bool = False


class Resource(ABC, Generic[ThingT]):
    """The handler of a resource. It has no state of its own.

    create, read, update, delete and import_ get typed inputs and state, without unknown values. check, diff and preview
    get values by wire name, with `UNKNOWN`; they read a single property from a view.
    """

    type: ClassVar[ResourceType]
    collection: ClassVar[AnyCollection]
    """The collection with such objects, or with the objects that they are a part of."""
    functions: ClassVar[tuple[Function[Any], ...]] = ()
    """The functions that read such objects."""
    unique_by: ClassVar[tuple[str, ...]] = ()
    """Wire names of the inputs that together must be unique: those that the collection declares, with the service."""
    shared: ClassVar[tuple[str, ...]] = ()
    """Wire names of the inputs that other resources can set, too: an import manages them only if its hints do."""
    has_data: ClassVar[bool] = False
    """Whether a replacement would lose data, so that none happens by accident."""

    def __init_subclass__(cls) -> None:
        """Take over what the collection declares."""
        super().__init_subclass__()
        if (declared := vars(cls).get("collection")) and declared.unique_by:
            of_service = (SERVICE_ID,) if declared.LIST.managed.is_of_service else ()
            cls.unique_by = (*of_service, *declared.unique_by)

    def check(
        self,
        session: Session,
        inputs: WireValues,
        secret: Collection[str] = (),
        old: WireValues | None = None,
    ) -> CheckResult:
        """Return the inputs with defaults, and all failures; unknown values do not fail.

        No failure quotes the inputs named in `secret`. `old` has the inputs of the last update, if there was one.
        """
        given = {name: value for name, value in inputs.items() if value is not None}
        filled = {**self.type.defaults(), **self.type.with_texts(given)}
        if (only := self.type.only) and only is not session.rules.vocabulary:
            return CheckResult(filled, [Failure("", f"is a resource of the vendor's servers only: set {only.setting}")])
        for name, advice in self.type.deprecations(filled):
            session.warn_of_value(f"{self.type.name}.{name}", f"is deprecated: {advice}.")
        model = self.type.inputs_in(session.rules.vocabulary)
        findings = findings_of(model, filled, session.rules, secret)
        warn_of_values(session, self.type.name, findings)
        problem = session.settings_problem(self.server_kind(filled))
        return CheckResult(filled, [*([Failure("", problem)] if problem else []), *findings.failures])

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would reject checked inputs, as far as a preview can know."""
        return None

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterable[Claim]:
        """Yield what the resource sets of objects, and what it needs there.

        A diff passes the id and the state of its object. A check has no id, and the old inputs, none of a new resource.
        """
        if object_id:
            sent = {name: value for name, value in inputs.items() if name not in self.type.provider_only}
            yield from sets(self.collection.model.__name__, inputs.get(SERVICE_ID, ""), object_id, sent)

    def replacement_refusal(self, old: WireValues, inputs: WireValues) -> ResourceError | None:
        """Return why an object must not be replaced, whatever asks for that; `old` has its inputs, if known."""
        return None

    def busy_retry(self, session: Session, object_id: str, wanted: Any, *, deleting: bool = False) -> BusyRetry:
        """Return how long a write is repeated while the server works on the object; without an id, it is a new one."""
        return BusyRetry(session, session.wait_minutes)

    def server_kind(self, inputs: WireValues) -> ServerKind:
        """Return the kind of server for these inputs."""
        forms = self.collection.LIST
        return (forms.self_hosted if inputs.get(SERVICE_ID) is None else forms.managed).server_kind

    def diff(self, old: WireValues, new: WireValues) -> DiffResult:
        """Compare state with checked inputs by meaning; an unknown value is a change.

        A replacement that keeps its unique name deletes the old object first.
        """
        changed = self.changed(old, new)
        replaces = tuple(name for name in changed if name in self.type.immutable)
        renames = not set(self.unique_by).isdisjoint(changed)
        keeps_name = bool(self.unique_by) and not renames
        changed += _newly_managed(self, old, new) + self.needs_repair(self._seen(old))
        return DiffResult(changed, replaces, delete_before_replace=keeps_name, renames=renames)

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> WireDict:
        """Return the outputs after a create (`old` is None) or an update, `UNKNOWN` where only the server knows them.

        A successful write leaves no problem, so that output is absent.
        """
        names, inputs = wire_names(self.type.state), wire_names(self.type.inputs)
        kept: WireDict = {}
        unchanged: WireDict = {}
        if old is None:
            unknown = [name for name in names if name not in self.type.provider_only]
        else:
            changed = self.changed(old, new)
            kept = unmanaged_in(old, names)
            unchanged = {name: old[name] for name in old if name not in changed}
            moved = self.outputs_changed_by(self._seen(old), changed)
            unknown = [name for name in moved if name in old or name not in inputs] + [*removed_inputs(old, new)]
        outputs = {**kept, **{name: UNKNOWN for name in unknown if name != ID}, **new}
        # An output with the name of an input contains more than the input.
        outputs |= {name: unchanged.get(name, UNKNOWN) for name in wire_names(self.type.own) if name in inputs}
        outputs.pop(LAST_ERROR, None)
        return outputs

    def unique_request(self, session: Session, wanted: ThingT) -> CreateRequest[Any] | None:
        """Return the request of a create, without its body, if other objects may forbid it; `wanted` may be a view."""
        return None

    @abstractmethod
    def create(self, session: Session, wanted: ThingT) -> tuple[str, State[ThingT]]:
        """Create the object and return its id and state; no later failure may lose it.

        Raises:
            ApiError: The request failed.
            ResourceError: The object cannot be created, or cannot be distinguished from another one.
        """

    @abstractmethod
    def read(self, session: Session, object_id: str, state: State[ThingT]) -> State[ThingT] | None:
        """Return the current object and the inputs that describe it; None if it certainly does not exist.

        Raises:
            ApiError: The request failed.
        """

    @abstractmethod
    def update(self, session: Session, object_id: str, old: State[ThingT], wanted: ThingT) -> State[ThingT]:
        """Update the object and return its state.

        Raises:
            ApiError: The request failed.
            ResourceError: A property cannot be changed in place.
        """

    @abstractmethod
    def delete(self, session: Session, object_id: str, state: State[ThingT]) -> None:
        """Delete the object, if it still exists.

        Raises:
            ApiError: The request failed.
            ResourceError: The object is protected, or was not deleted in time.
        """

    def restored(self, state: WireValues) -> Collection[str]:
        """Return the wire names of the inputs that a delete restores; none if it deletes the object."""
        return ()

    def originals(self, state: State[ThingT]) -> Model:
        """Return the original values that a delete restores; an empty record if it deletes the object."""
        return NoRecord()

    @abstractmethod
    def import_(self, session: Session, object_id: str, hints: ThingT) -> tuple[str, State[ThingT]]:
        """Return the id and state of an object to import; `hints` has the type's `state_inputs`.

        Raises:
            ResourceError: There is no such object.
        """

    def warn_of_object(self, session: Session, state: State[ThingT], *, stored: bool) -> None:
        """Warn of what the server reports to be wrong with an object that is as the program declares it.

        Args:
            session: The session; a `stored` state must cause no request.
            state: The state; a view of it if it is `stored`.
            stored: Whether the state is that of the last command, not a current response.
        """

    @property
    def deleted_first_unless(self) -> tuple[str, ...] | None:
        """The inputs without which a replacement that a person asks for deletes the old object first, in dynamic mode.

        Its name must be unique. With one of them, `diff` decides: the new object may have another place. None if names
        need not be unique.
        """
        return tuple(name for name in self.unique_by if name in self.type.state_inputs) if self.unique_by else None

    # -- comparing -----------------------------------------------------------------------------------------------

    def same(self, name: str, old: object, new: object) -> bool:
        """Return whether two known values of one property mean the same."""
        return old == new or bool(self.type.normalized(name, old) == self.type.normalized(name, new))

    def changed(self, old: WireValues, new: WireValues) -> tuple[str, ...]:
        """Return the names of the inputs that were added, changed or removed, in the order of the inputs."""
        doubtful = doubtful_in(old)
        names = [
            name
            for name, value in new.items()
            if contains_unknown(value) or name not in old or name in doubtful or not self.same(name, old[name], value)
        ]
        return tuple(names) + removed_inputs(old, new)

    def took(self, record: Model, sent: Model) -> bool:
        """Return whether an object has all values that were sent, so that the request of a lost response succeeded."""
        served = to_wire(record)
        return all(
            self.same(name, self.type.without_additions(name, value, served.get(name)), value)
            for name, value in to_wire(sent).items()
        )

    def changes(self, old: State[ThingT], wanted: ThingT) -> tuple[str, ...]:
        """Return the wire names of the inputs that were added, changed or removed."""
        return self.changed(state_to_wire(self.type, old), to_wire(wanted))

    def staying(self, old: State[ThingT]) -> Collection[str]:
        """Return the inputs that stay on the server as they are when they are removed from the program."""
        return self.type.staying

    def warnings_of_change(self, session: Session, old: WireValues, new: WireValues) -> Iterable[str]:
        """Yield a warning for each change that may not be meant: an input that is removed, and stays on the server."""
        staying = self.staying(self._seen(old))
        named = f"{self.type.words} {old[NAME]!r}" if isinstance(old.get(NAME), str) else self.type.words
        for name in removed_inputs(old, new):
            if name not in staying or old.get(name) in (None, [], ""):
                continue
            empty = isinstance(old.get(name), list) and not self.same(name, old[name], [])
            inputs = {**new, name: []}
            failed = not empty or any(
                each.name == name for each in failures_of(self.type.inputs_in(session.rules.vocabulary), inputs)
            )
            advice = "Put it back with another value to change it." if failed else "Write [] to clear it."
            yield f"The program no longer sets {name} of {named}: it stays on the server as it is.\n{advice}"

    def needs_repair(self, old: State[ThingT]) -> tuple[str, ...]:
        """Return the properties that show unfinished work of the last run."""
        return ()

    @abstractmethod
    def outputs_changed_by(self, old: State[ThingT], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the names of the outputs that an update of `changed` may change, if state has them."""

    # -- sending -------------------------------------------------------------------------------------------------

    def body(self, wanted: ThingT, names: Collection[str] | None = None) -> WireDict:
        """Return the inputs to send, by wire name, all or those of `names`."""
        return {name: value for name, value in to_body(wanted, names).items() if name not in self.type.provider_only}

    def change(self, session: Session, objects: api.Collection[ThingT], object_id: str, body: WireValues) -> ThingT:
        """Change an object; if the response is lost, read the object to see whether the request succeeded."""
        wanted = construct(self.type.inputs, body)
        return settled(
            session,
            lambda: objects.change(object_id, body),
            lambda: objects.find(object_id),
            lambda record: self.took(record, wanted),
        )

    # -- reading -------------------------------------------------------------------------------------------------

    def reconciled(self, state: State[ThingT], served: Record) -> ThingT:
        """Return the inputs that describe the object on the server.

        An input keeps its spelling if the server's value means the same, or if the server returns none. What the server
        has added in response to a write, or kept instead of the program's value, as state records it, is the server's;
        everything else is drift.
        """
        server_values = to_wire(served)
        inputs = to_wire(state.wanted)
        for name in (inputs.keys() & server_values.keys()).difference(self.type.provider_only):
            if inputs[name] == server_values[name]:
                continue
            added = state.added.get(name, UNRECORDED)
            server_value = self.type.without_additions(name, inputs[name], server_values[name], added)
            if inputs[name] == [] and server_value is None:
                continue  # servers written in Go return null for an empty list; test_odd_answers.py
            is_kept = name in state.kept and state.kept[name] == self.type.digest(name, server_value)
            if not is_kept and not self.same(name, inputs[name], server_value):
                inputs[name] = server_value
        return self._args({name: value for name, value in inputs.items() if value is not None})

    def shown(self, actual: ThingT, served: WireValues) -> WireValues:
        """Return the inputs in a response, by wire name; `served` are all its properties of the right type."""
        return served

    def importable(
        self, session: Session, given: ThingT, reported: WireValues, hints: ThingT | None = None
    ) -> tuple[ThingT, tuple[Failure, ...]]:
        """Return the inputs that describe an imported object, and why others are left out.

        Options, deprecated properties, write-only secrets, invalid values and server defaults, also those within
        objects, are left out: the server keeps them; so are shared properties that `hints` lack. `given` has the inputs
        from the id, `reported` the properties of the object.
        """
        inputs, type_ = to_wire(given), self.type
        unmanaged = {*self.shared} - (to_wire(hints) if hints else {}).keys()
        candidates = {
            name: value
            for name in wire_names(type_.inputs)
            if name not in (*type_.provider_only, *type_.unanswered, *unmanaged)
            and (value := reported.get(name)) is not None
            and (name in type_.required or not type_.is_server_default(name, value))
        }
        for name, _ in type_.deprecations(list(candidates)):
            del candidates[name]
        optional = candidates.keys() - type_.required
        silent = session.silent()
        candidates = _without_defaults(self, silent, candidates, inputs)
        failures = self.check(silent, {**candidates, **inputs}).failures
        left_out = tuple(failure for failure in failures if failure.name in optional)
        for failure in left_out:
            candidates.pop(failure.name, None)
        return self._args(self.check(silent, {**inputs, **candidates}).inputs), left_out

    def without_defaults(self, name: str, served: object) -> object:
        """Return a server's value of an input without its defaults; all of it if leaving them out were a change."""
        shorter = without_defaults(self.type.inputs, name, served)
        return shorter if self.same(name, self.type.without_additions(name, shorter, served), shorter) else served

    def missing(self, object_id: str) -> ResourceError:
        """Return the error for an object that does not exist."""
        if self.type.state_inputs and "/" not in object_id:  # a common mistake
            if self.type.needs_service:
                return ResourceError(
                    f"{object_id!r} is not the id of {self.type.with_article}", f"Write SERVICE_ID/{object_id}."
                )
            return ResourceError(
                f"{self.type.name} {object_id} does not exist on the server of clouddb:stackUrl",
                f"Check the id. If it belongs to a service, write SERVICE_ID/{object_id}.",
            )
        return ResourceError(
            f"{self.type.name} {object_id} does not exist",
            "Check the id, and the organization (clouddb:organizationId).",
        )

    def _seen(self, state: WireValues) -> State[ThingT]:
        return state_from_wire(self.type, state, view_of)

    def _view(self, inputs: WireValues) -> ThingT:
        """Return a view of inputs, which can be unknown."""
        return cast(ThingT, view_of(self.type.inputs, inputs))

    def _args(self, inputs: WireValues) -> ThingT:
        return cast(ThingT, construct(self.type.inputs, inputs))


def _newly_managed(resource: Resource[ThingT], old: WireValues, new: WireValues) -> tuple[str, ...]:
    """Return the names of the inputs that become managed with the value that the server already has.

    They need no request, but state must name them: otherwise a later removal would not be a change.
    """
    unmanaged = old.keys() - old.get(MANAGED, old)
    return tuple(
        name
        for name, value in new.items()
        if name in unmanaged and not contains_unknown(value) and resource.same(name, old[name], value)
    )


def _without_defaults(resource: Resource[ThingT], session: Session, candidates: WireDict, inputs: WireDict) -> WireDict:
    """Return the values of an imported object without their defaults, unless check then requires these."""
    shorter = {name: resource.without_defaults(name, value) for name, value in candidates.items()}
    required = {each.name for each in resource.check(session, {**shorter, **inputs}).failures}
    return {name: candidates[name] if name in required else value for name, value in shorter.items()}


def missing_in(session: Session, resource: Resource[ThingT], object_id: str, named: Thing) -> ResourceError:
    """Return the error for an object to import that does not exist, which says if its service does not exist either.

    `named` has the service, if it is in one.
    """
    service_id = vars(named).get("service_id")
    if api.is_service_gone(session.api, resource.collection.LIST.managed, service_id):
        return ResourceError(
            f"{resource.type.name} {object_id} does not exist: the server has no service {service_id}",
            "Check the id of the service, and the organization (clouddb:organizationId).",
        )
    return resource.missing(object_id)


AnyResource = Resource[Any]
"""Any resource, called with values by wire name."""
