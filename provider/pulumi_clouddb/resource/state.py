"""State, typed: what the program wants, and what the object actually is.

Pulumi keeps it as one flat map: the server's record, over it the inputs as given, over them what this provider adds,
and under `__managed` the names of the inputs. Of a server's form of the inputs it has only how that differs from them.
Only this module knows that map.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import Model, Record, wire_names
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import ModelT, RecordT, construct, fields_of, to_wire
from pulumi_clouddb.schema.equality import applied, difference
from pulumi_clouddb.schema.json_types import Misfit, misfits
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict, WireValues

WantedT = TypeVar("WantedT", bound=Model)
ActualT = TypeVar("ActualT", bound=Record)

MANAGED: Final = "__managed"
"""Where the flat map names the inputs that were given: which fields are the user's, and what was taken out since."""

FORMER: Final = {"__server": "__served"}
"""What older state keeps whole, by its name there, and what it is called now."""

Flat = WireDict
"""State as Pulumi keeps it, or inputs, by wire name."""


@dataclass(frozen=True)
class State(Generic[WantedT, ActualT]):
    """What is kept of one object.

    Attributes:
        wanted: What the program said; `wanted.model_fields_set` has all that it said.
        actual: What the server answered last, with what this provider adds. Of state that was stored, the answer has
            only what the program did not say.
        left_out: Why no program can say what the server has, of an object that was just imported.
    """

    wanted: WantedT
    actual: ActualT
    left_out: tuple[Failure, ...] = ()


def state_from_wire(
    resource: ResourceType, flat: WireValues, make: Callable[[type[object], WireValues], Any] = construct
) -> State[Any, Any]:
    """Return the state that Pulumi has kept as a flat map: models, or views for who looks at a few properties only."""
    managed, ours = flat.get(MANAGED, ()), wire_names(resource.own)
    left = {*managed, *FORMER} - {*ours}
    actual = {name: value for name, value in flat.items() if name not in left} | whole_copies(resource, flat)
    return State(
        make(resource.inputs, {name: flat[name] for name in managed if name in flat}), make(resource.thing, actual)
    )


def whole_copies(resource: ResourceType, flat: WireValues) -> Flat:
    """Return, by name, what state keeps as a difference from the inputs.

    Raises:
        ValueError: Somebody has edited state by hand so that it cannot be such a difference.
    """
    former = {name: flat[older] for older, name in FORMER.items() if older in flat}
    kept = [name for name in _copies(resource) if flat.get(name) is not None]
    return {**former, **{name: applied(_sources(resource, name, flat), flat[name]) for name in kept}}


def _copies(resource: ResourceType) -> list[str]:
    return [name for name, sources in resource.kept.items() if sources]


def _sources(resource: ResourceType, copy: str, flat: WireValues) -> Flat:
    managed = flat.get(MANAGED, ())
    return resource.as_answered(
        {name: flat[name] for name in resource.kept[copy] if name in managed and name in flat}, flat
    )


def refuse_misfits(resource: ResourceType, object_id: str, flat: WireValues) -> None:
    """Refuse state that somebody has edited by hand so that it cannot be what this package wrote.

    Raises:
        ResourceError: A property of it has another type.
    """
    managed = flat.get(MANAGED, [])
    if not isinstance(managed, list) or not all(isinstance(name, str) for name in managed):
        problem = f"{MANAGED} must be a list of names"
    else:
        given = {name: flat[name] for name in managed if name in flat}
        found: list[Misfit | str] = [
            *misfits(resource.inputs, given),
            *misfits(resource.record, {name: value for name, value in flat.items() if name not in given}),
            *misfits(resource.own, {name: value for name, value in flat.items() if name not in given}),
        ]
        try:
            whole_copies(resource, flat)
        except ValueError as error:
            found.append(f"{', '.join(_copies(resource))} does not fit the inputs: {error}")
        if not found:
            return
        problem = "; ".join(map(str, found))
    raise ResourceError(
        f"state of {resource.name} {object_id} cannot be used: {problem}",
        "Correct it: `pulumi stack export --file state.json`, edit the file, `pulumi stack import --file state.json`.",
    )


def state_to_wire(resource: ResourceType, state: State[Any, Any]) -> Flat:
    """Return state as the flat map that Pulumi keeps."""
    ours, wanted = wire_names(resource.own), to_wire(state.wanted)
    actual = {name: value for name, value in to_wire(state.actual).items() if value is not None and name != ID}
    own = {name: value for name, value in actual.items() if name in ours}
    flat = {**actual, **wanted, **own, MANAGED: sorted(wanted)}
    copies = [name for name in _copies(resource) if name in own]
    return {**flat, **{name: difference(_sources(resource, name, flat), own[name]) for name in copies}}


def unmanaged(state: State[WantedT, ActualT]) -> ActualT:
    """Return the actual object without the properties that the program manages, and without those that are null."""
    managed = to_wire(state.wanted)
    actual = to_wire(state.actual).items()
    return without(state.actual, {name for name, value in actual if value is None or name in managed})


def without(model: ModelT, names: Collection[str]) -> ModelT:
    """Return a copy without some of the properties, by wire name."""
    copy = model.model_copy()
    for name, attribute, _ in fields_of(type(model)):
        if name in names:
            vars(copy)[attribute] = None
            copy.model_fields_set.discard(attribute)
    return copy


def only(model: ModelT, names: Collection[str]) -> ModelT:
    """Return a copy with only these of the properties, by wire name."""
    return without(model, {name for name in wire_names(type(model)) if name not in names})


def merged(actual: RecordT, newer: Model) -> RecordT:
    """Return an object with all fields of a newer one of its class, or of what a program says, over it."""
    values = vars(newer)
    fields = {name: values[name] for name in newer.model_fields_set if name in type(actual).model_fields}
    found = actual.model_copy(update=fields)
    if isinstance(newer, Record):
        found.keep_answer(newer.answer)
    return found


def filled(model: ModelT) -> ModelT:
    """Return a copy without the properties that are null."""
    return only(model, [name for name, value in to_wire(model).items() if value is not None])


def differing(one: Model, other: Model) -> tuple[str, ...]:
    """Return the wire names of the properties that one value has, and the other has not, or otherwise."""
    theirs = to_wire(other)
    return tuple(name for name, value in to_wire(one).items() if name not in theirs or theirs[name] != value)


def among(names: Iterable[str], group: Collection[str]) -> tuple[str, ...]:
    """Return those of `names` that are in a group."""
    return tuple(name for name in names if name in group)
