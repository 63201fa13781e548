"""State: the inputs of the program, and the actual object.

Pulumi stores it as a flat map: the response, overridden by the inputs, overridden by the outputs that this provider
adds. `__managed` has the names of the inputs. A copy of the inputs in the server's form is stored as its difference
from them. Only this module knows the map.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import Model, Record, wire_names
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import ModelT, RecordT, construct, fields_of, to_wire
from pulumi_clouddb.schema.json_types import Misfit, misfits
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues

MANAGED: Final = "__managed"
"""The entry with the names of the inputs, which shows what the program manages and what was removed since."""

FORMER: Final = {"__server": "__served"}
"""Entries of older state that contain a whole copy, and their names today."""


@dataclass(frozen=True)
class State(Generic[ThingT]):
    """The state of an object.

    Attributes:
        wanted: The inputs of the program; `wanted.model_fields_set` names those that it sets.
        actual: The last response with the outputs that this provider adds. From stored state, the response has only
            the properties that the program does not set.
        left_out: After an import, why the inputs lack some properties of the object.
    """

    wanted: ThingT
    actual: ThingT
    left_out: tuple[Failure, ...] = ()


def state_from_wire(
    resource: ResourceType, flat: WireValues, make: Callable[[type[object], WireValues], Any] = construct
) -> State[Any]:
    """Return the state in a flat map, as models or as views."""
    managed, ours = flat.get(MANAGED, ()), wire_names(resource.own)
    inputs = {name: flat[name] for name in managed if name in flat}
    skipped = {*managed, *FORMER} - {*ours}
    actual = {name: value for name, value in flat.items() if name not in skipped} | whole_copies(resource, flat)
    return State(make(resource.inputs, inputs), make(resource.thing, actual))


def whole_copies(resource: ResourceType, flat: WireValues) -> WireDict:
    """Return the copies of the inputs that state stores as differences.

    Raises:
        ValueError: State was edited by hand, and a difference does not fit the inputs.
    """
    former = {name: flat[older] for older, name in FORMER.items() if older in flat}
    kept = [name for name in _copies(resource) if flat.get(name) is not None]
    return {**former, **{name: applied(_sources(resource, name, flat), flat[name]) for name in kept}}


def _copies(resource: ResourceType) -> list[str]:
    return [name for name, sources in resource.kept.items() if sources]


def _sources(resource: ResourceType, copy: str, flat: WireValues) -> WireDict:
    managed = flat.get(MANAGED, ())
    return resource.as_answered(
        {name: flat[name] for name in resource.kept[copy] if name in managed and name in flat}, flat
    )


def refuse_misfits(resource: ResourceType, object_id: str, flat: WireValues) -> None:
    """Reject state that was edited by hand and has values of the wrong type.

    Raises:
        ResourceError: A value has the wrong type.
    """
    managed = flat.get(MANAGED, [])
    if not isinstance(managed, list) or not all(isinstance(name, str) for name in managed):
        problem = f"{MANAGED} must be a list of names"
    else:
        inputs = {name: flat[name] for name in managed if name in flat}
        outputs = {name: value for name, value in flat.items() if name not in inputs}
        problems: list[Misfit | str] = [
            *misfits(resource.inputs, inputs),
            *misfits(resource.record, outputs),
            *misfits(resource.own, outputs),
        ]
        try:
            whole_copies(resource, flat)
        except ValueError as error:
            problems.append(f"{', '.join(_copies(resource))} does not fit the inputs: {error}")
        if not problems:
            return
        problem = "; ".join(map(str, problems))
    raise ResourceError(
        f"state of {resource.name} {object_id} cannot be used: {problem}",
        "Correct it: `pulumi stack export --file state.json`, edit the file, `pulumi stack import --file state.json`.",
    )


def state_to_wire(resource: ResourceType, state: State[Any]) -> WireDict:
    """Return the flat map of state."""
    ours, wanted = wire_names(resource.own), to_wire(state.wanted)
    actual = {name: value for name, value in to_wire(state.actual).items() if value is not None and name != ID}
    own = {name: value for name, value in actual.items() if name in ours}
    flat = {**actual, **wanted, **own, MANAGED: sorted(wanted)}
    copies = [name for name in _copies(resource) if name in own]
    return {**flat, **{name: difference(_sources(resource, name, flat), own[name]) for name in copies}}


def usable(resource: ResourceType, state: State[ThingT], before: WireValues) -> State[ThingT]:
    """Return the state without values of the wrong type: a server may answer anything, and no command reads such state.

    An input has the value of `before` instead, as if the server did not return it.
    """
    inputs = resource.with_texts(to_wire(state.wanted))
    wrong = {str(each.path[0]) for each in misfits(resource.inputs, inputs)}
    outputs = {name: value for name, value in to_wire(state.actual).items() if name not in inputs}
    odd = {str(each.path[0]) for model in (resource.record, resource.own) for each in misfits(model, outputs)}
    kept = {name: before[name] for name in wrong & before.keys()}
    right = {name: value for name, value in inputs.items() if name not in wrong}
    wanted: Any = construct(resource.inputs, {**right, **kept})
    lost = [Failure(name, "has a value of a type that it cannot have") for name in sorted(wrong - kept.keys())]
    return replace(state, wanted=wanted, actual=without(state.actual, odd), left_out=(*state.left_out, *lost))


def unmanaged(state: State[ThingT]) -> ThingT:
    """Return the actual object without managed and null properties."""
    managed, actual = to_wire(state.wanted), to_wire(state.actual)
    return without(state.actual, {name for name, value in actual.items() if value is None or name in managed})


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
    """Return an object with the fields of a newer one of its class, or of inputs, over it."""
    values = vars(newer)
    fields = {name: values[name] for name in newer.model_fields_set if name in type(actual).model_fields}
    result = actual.model_copy(update=fields)
    if isinstance(newer, Record):
        result.keep_answer(newer.answer)
    return result


def filled(model: ModelT) -> ModelT:
    """Return a copy without null properties."""
    return only(model, [name for name, value in to_wire(model).items() if value is not None])


def differing(model: ModelT, other: Model) -> ModelT:
    """Return a copy with only the properties that the other value lacks, or has with another value."""
    values = to_wire(other)
    return only(model, [name for name, value in to_wire(model).items() if name not in values or values[name] != value])


def among(names: Iterable[str], group: Collection[str]) -> tuple[str, ...]:
    """Return the names that are in a group, in order."""
    return tuple(name for name in names if name in group)


# -- copies as differences ---------------------------------------------------------------------------------------

NOTHING: Final = object()
"""The value of an entry that does not exist."""

EACH: Final = "*"
"""The place, in the difference of a list, of the change that most elements have in common."""


def difference(base: object, value: object) -> object:
    """Return the difference of `value` from `base`; an empty object if they are equal."""
    if isinstance(base, dict) and isinstance(value, dict):
        names = {**base, **value}
        return _without_equal({name: difference(base.get(name, NOTHING), value.get(name, NOTHING)) for name in names})
    if isinstance(base, list) and isinstance(value, list) and len(base) == len(value):
        return _shared({str(place): difference(*pair) for place, pair in enumerate(zip(base, value, strict=True))})
    if value is NOTHING:
        return []
    # True equals 1 in Python, but not in JSON.
    return {} if base == value and isinstance(base, bool) == isinstance(value, bool) else [value]


def _without_equal(changes: Mapping[str, object]) -> WireDict:
    return {place: change for place, change in changes.items() if change != {}}


def _shared(changes: Mapping[str, object]) -> WireDict:
    """Return the changes of the elements of a list; a common one, such as a server's defaults, is stored once."""
    changed = _without_equal(changes)
    if len(changed) < 2:
        return changed
    texts = {place: json.dumps(change, sort_keys=True) for place, change in changes.items()}
    ((text, count),) = Counter(texts.values()).most_common(1)
    if count < 2 or text == "{}":
        return changed
    return {EACH: json.loads(text), **{place: change for place, change in changes.items() if texts[place] != text}}


def applied(base: object, change: object) -> object:
    """Return `base` with a difference applied.

    Raises:
        ValueError: The difference does not fit the value.
    """
    if isinstance(change, list):
        if len(change) > 1:
            raise ValueError(f"a list of {len(change)} values")
        return change[0] if change else NOTHING
    if not isinstance(change, dict):
        raise ValueError(f"{type(change).__name__}, not an object or a list")
    if not change:
        return base
    if isinstance(base, dict):
        places = {name: applied(base.get(name, NOTHING), change.get(name, {})) for name in {**base, **change}}
        return {name: value for name, value in places.items() if value is not NOTHING}
    if not isinstance(base, list) or not {*change} <= {EACH, *map(str, range(len(base)))}:
        raise ValueError(f"no {', '.join(change)} in what it differs from")
    return [applied(each, change.get(str(place), change.get(EACH, {}))) for place, each in enumerate(base)]
