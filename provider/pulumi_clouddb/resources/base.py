"""What all resources share: check, diff by meaning, and the shape of state.

State holds every input as the user gave it and what the server made of the rest, and under `__managed` the names of
the inputs that were given, so that a read knows which fields are the user's and an update knows what was taken out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ValidationError

from pulumi_clouddb.api.errors import ResourceError
from pulumi_clouddb.models.base import Record, wire_name, wire_names
from pulumi_clouddb.models.check import Failure
from pulumi_clouddb.models.resource_type import ResourceType
from pulumi_clouddb.models.values import UNKNOWN, contains_unknown

from .same import Meaning, as_is
from .session import Session

State = dict[str, Any]
MANAGED = "__managed"
LAST_ERROR = "lastError"


@dataclass(frozen=True)
class Checked:
    """Inputs as they will be used, and everything that is wrong with them."""

    inputs: State
    failures: list[Failure]


@dataclass(frozen=True)
class Difference:
    """What an update would do.

    Attributes:
        changed: Wire names of the properties that change.
        replaces: Those of them that need another object.
        delete_first: Whether the old object goes before the new one comes.
    """

    changed: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    delete_first: bool = False


@dataclass(frozen=True)
class Live:
    """An object as it is now: state, and the inputs that would leave it as it is."""

    state: State
    inputs: State


class ResourceHandler(ABC):
    """One resource's whole life. Holds no state of its own; all values are plain and carry wire names."""

    type: ClassVar[ResourceType]
    meanings: ClassVar[Mapping[str, Meaning]] = {}

    def check(self, session: Session, inputs: Mapping[str, Any], secret: Collection[str] = ()) -> Checked:
        """Return the inputs with defaults filled in, and all failures at once; unknown values are let through.

        Args:
            session: What to work with.
            inputs: The inputs of a program.
            secret: Wire names of those that no failure may quote.
        """
        given = {name: value for name, value in inputs.items() if value is not None}
        filled = {**self.type.defaults(), **given}
        for name, advice in self.type.deprecations(filled):
            session.warn(f"{self.type.name}.{name} is deprecated: {advice}.")
        model = session.client.vocabulary.model(self.type.inputs)
        return Checked(filled, self.type.failures(filled, session.rules, model, secret))

    def diff(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Difference:
        """Compare state with checked inputs by meaning; unknown counts as changed."""
        changed = self.changed(old, new)
        replaces = tuple(name for name in changed if name in self.type.immutable)
        return Difference(changed + self.taken_up(old, new) + self.unfinished(old), replaces)

    @abstractmethod
    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Create the object and return its id and state; once it exists, nothing that fails may lose it."""

    @abstractmethod
    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Return the object as it is now, or None when it is gone for certain."""

    @abstractmethod
    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Bring the object to `new` and return its state."""

    @abstractmethod
    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Remove the object; one that is gone already is done."""

    @abstractmethod
    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:
        """Return the id, state and inputs of an object that no program has managed so far.

        Args:
            session: What to work with.
            object_id: The id as the user gives it.
            hints: What else is known of it: the inputs of the type's `lookup`.

        Raises:
            ResourceError: There is no such object.
        """

    def look(
        self, session: Session, object_id: str, state: State, inputs: Mapping[str, Any]
    ) -> tuple[str, Live | None]:
        """Return the id of an object and the object as it is now, or None when it is gone for certain.

        State that this package has not written is an import, or a `get`.

        Raises:
            ResourceError: There is no such object to import or to get.
        """
        if MANAGED in state:
            return object_id, self.read(session, object_id, state)
        return self.imported(session, object_id, {**inputs, **state})

    def foreseen(self, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> State:
        """Return the outputs that creating (`old` is None) or updating would leave, as far as a preview can tell."""
        if old is None:
            options = self.type.options
            kept: State = {}
            open_ = [name for name in wire_names(self.type.state) if name not in options]
        else:
            changed = self.changed(old, new)
            kept = self.heard(old)
            open_ = [*self.affected(old, changed), *self.released(old, new)]
        unknown = {name: UNKNOWN for name in open_ if name != "id"}
        state = {**kept, **unknown, **new}
        state.pop(LAST_ERROR, None)
        return state

    def affected(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return the names of the outputs that an update of `changed` may change; known inputs need not be told."""
        return self.type.output_only

    def importable(self, session: Session, given: Mapping[str, Any], reported: Mapping[str, Any]) -> State:
        """Return the inputs that describe an imported object: what check accepts of what the server reports.

        Options, secrets and deprecated properties stay out, and so does what is beyond the documented limits: a field
        that the user leaves out is the server's business.
        """
        names = [name for name in wire_names(self.type.inputs) if name not in (*self.type.options, *self.type.secrets)]
        told = {name: reported[name] for name in names if reported.get(name) is not None}
        for name, _ in self.type.deprecations(list(told)):
            del told[name]
        failures = self.check(session, {**told, **given}).failures
        broken = {failure.path.partition("[")[0].partition(".")[0] for failure in failures} - self._required()
        kept = {name: value for name, value in told.items() if name not in broken}
        return self.check(session, {**given, **kept}).inputs

    def unreadable(self, session: Session, state: State, what: str) -> Live:
        """Return an object of a server that offers no way to read it: nothing is dropped from state."""
        session.warn(f"This server offers no way to read {what}; what Pulumi knows of it is kept as it is.")
        return Live(state, {name: state[name] for name in state.get(MANAGED, ()) if name in state})

    def missing(self, object_id: str) -> ResourceError:
        """Return the error of an object that should be read or imported, and is not there."""
        return ResourceError(f"{self.type.name} {object_id} does not exist", "Check the id, and the organization.")

    def _required(self) -> set[str]:
        model = self.type.inputs
        return {wire_name(model, attribute) for attribute, info in model.model_fields.items() if info.is_required()}

    def same(self, name: str, old: Any, new: Any) -> bool:
        """Tell whether two known values of one property mean the same."""
        meaning = self.meanings.get(name, as_is)
        return bool(meaning(old) == meaning(new))

    def changed(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the inputs that are new, other, or taken out, in the order of the inputs' model."""
        names = [
            name
            for name, value in new.items()
            if contains_unknown(value) or name not in old or not self.same(name, old[name], value)
        ]
        return tuple(names) + self.released(old, new)

    def taken_up(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the inputs that the user gives for the first time, with the value that the server has.

        Nothing needs to be sent, but state must name them: otherwise taking one out later would not be noticed.
        """
        left = old.keys() - old.get(MANAGED, old)
        return tuple(
            name
            for name, value in new.items()
            if name in left and not contains_unknown(value) and self.same(name, old[name], value)
        )

    def released(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the inputs that the user once gave and gives no more."""
        return tuple(name for name in old.get(MANAGED, ()) if name not in new)

    def unfinished(self, old: Mapping[str, Any]) -> tuple[str, ...]:
        """Return what the last run left to do, as the names of the properties that say so."""
        return (LAST_ERROR,) if old.get(LAST_ERROR) else ()

    def body(self, inputs: Mapping[str, Any]) -> State:
        """Return the inputs that are sent: all but the options."""
        return {name: value for name, value in inputs.items() if name not in self.type.options}

    def state(self, inputs: Mapping[str, Any], server: Mapping[str, Any], **own: Any) -> State:
        """Return the state: what the server says, over it the inputs as given, over it what this provider adds."""
        known = {name: value for name, value in server.items() if value is not None and name != "id"}
        added = {name: value for name, value in own.items() if value is not None}
        return {**known, **inputs, **added, MANAGED: sorted(inputs)}

    def heard(self, old: Mapping[str, Any]) -> State:
        """Return what the server said last of everything that the user leaves to it."""
        managed = old.get(MANAGED, ())
        return {name: old[name] for name in wire_names(self.type.state) if name in old and name not in managed}

    def live(self, state: Mapping[str, Any], server: Mapping[str, Any], **own: Any) -> Live:
        """Return state and inputs of an object whose record is `server`.

        A field the user manages keeps the user's spelling where the server's value means the same; a field that the
        server does not report at all keeps it, too.
        """
        inputs: State = {}
        for name in state.get(MANAGED, ()):
            value = state.get(name)
            if name in server and name not in self.type.options and not self.same(name, value, server[name]):
                value = server[name]
            if value is not None:
                inputs[name] = value
        return Live(self.state(inputs, server, **own), inputs)


def parse(model: type[Record], raw: Mapping[str, Any]) -> State:
    """Read a record leniently: known fields in their types, unknown fields dropped, misfits dropped, never an error."""
    values = dict(raw)
    for _ in range(len(values) + 1):
        try:
            record = model.model_validate(values, extra="allow")
        except ValidationError as error:
            misfits = {location[0] for item in error.errors() if (location := item["loc"])}
            values = {name: value for name, value in values.items() if name not in misfits}
            continue
        known = set(model.model_fields)
        return record.model_dump(mode="json", by_alias=True, exclude_unset=True, include=known)
    return {}
