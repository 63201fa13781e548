"""State: the inputs of the program, and the actual object.

Pulumi stores it as a flat map: the response, overridden by the inputs, overridden by the outputs that this provider
adds. `__managed` has the names of the inputs. Only this module knows the map; a thing may pack what it adds to it
(schema/resource_type.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema._version import VERSION
from pulumi_clouddb.schema.additions import ADDED, KEPT
from pulumi_clouddb.schema.base import Model, Record, extras, wire_names
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.convert import ModelT, RecordT, construct, fields_of, to_wire
from pulumi_clouddb.schema.json_types import Misfit, misfits, unknown_names
from pulumi_clouddb.schema.names import ID, LAST_ERROR
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import ThingT
from pulumi_clouddb.schema.values import WireDict, WireValues, show_path

MANAGED: Final = "__managed"
"""The entry with the names of the inputs, which shows what the program manages and what was removed since."""

ANSWERED: Final = "__answered"
"""The entry with the names of the inputs that the server has returned."""

DOUBT: Final = "__doubt"
"""The entry about updates that sent what no response shows: the number of the last one, and what is in doubt."""

NUMBER, NAMES = "number", "names"
"""Its parts: the number, and the wire names of the inputs in doubt; see resource/doubt.py."""


URN: Final = "__urn"
"""The entry of a database's state with its URN at that time: no call tells an alias that leads from it to a new one."""

FORMAT: Final = "__format"
"""The entry with which a version says that older ones cannot read its state; this one writes none, and reads none."""


@dataclass(frozen=True)
class State(Generic[ThingT]):
    """The state of an object.

    Attributes:
        wanted: The inputs of the program; `wanted.model_fields_set` names those that it sets.
        actual: The last response with the outputs that this provider adds. From stored state, the response has only
            the properties that the program does not set.
        left_out: After an import, why the inputs lack some properties of the object.
        added: What the server has added to inputs in its responses, by wire name; see schema/additions.py. State of
            versions that recorded nothing lacks it.
        kept: Digests of the values that the server has returned for a write instead of the program's, by wire name.
        answered: Wire names of the inputs that the server has returned: one that it returns no more has no value there.
            State of versions that recorded none lacks it.
        doubtful: Wire names of the inputs that an update in doubt has sent: each is a change, whatever its value.
    """

    wanted: ThingT
    actual: ThingT
    left_out: tuple[Failure, ...] = ()
    added: WireValues = field(default_factory=dict)
    kept: WireValues = field(default_factory=dict)
    answered: frozenset[str] = frozenset()
    doubtful: tuple[str, ...] = ()


def state_from_wire(
    resource: ResourceType, flat: WireValues, make: Callable[[type[object], WireValues], Any] = construct
) -> State[Any]:
    """Return the state in a flat map, as models or as views."""
    inputs, outputs = unpacked(resource, flat)
    actual = make(resource.thing, _former_flags(resource, flat) | outputs)
    added, kept, answered = flat.get(ADDED) or {}, flat.get(KEPT) or {}, frozenset(flat.get(ANSWERED) or ())
    wanted, doubtful = make(resource.inputs, inputs), doubtful_in(flat)
    return State(wanted, actual, added=added, kept=kept, answered=answered, doubtful=doubtful)


def doubtful_in(flat: WireValues) -> tuple[str, ...]:
    """Return the wire names of the inputs in doubt."""
    return tuple((flat.get(DOUBT) or {}).get(NAMES) or ())


def removed_inputs(flat: WireValues, inputs: WireValues) -> tuple[str, ...]:
    """Return the names of the inputs that were removed from the program."""
    return tuple(name for name in dict.fromkeys((*flat.get(MANAGED, ()), *doubtful_in(flat))) if name not in inputs)


def unmanaged_in(flat: WireValues, names: Iterable[str]) -> WireDict:
    """Return the values of these properties that the program does not set."""
    managed = flat.get(MANAGED, ())
    return {name: flat[name] for name in names if name in flat and name not in managed}


def _former_flags(resource: ResourceType, flat: WireValues) -> WireDict:
    """Return the flags that state of earlier versions has as a text in its last error."""
    error = str(flat.get(LAST_ERROR) or "")
    return {name: True for name, text in extras(resource.own, "formerly").items() if text in error}


def unpacked(resource: ResourceType, flat: WireValues) -> tuple[WireDict, WireDict]:
    """Return the inputs and the outputs in a flat map.

    Raises:
        ValueError: State was edited by hand, and they cannot be unpacked.
    """
    managed, ours = flat.get(MANAGED, ()), wire_names(resource.own)
    inputs = {name: flat[name] for name in managed if name in flat}
    outputs = {name: value for name, value in flat.items() if name not in managed or name in ours}
    return resource.packing.unpack(inputs, outputs)


def refuse_unusable(resource: ResourceType, object_id: str, flat: WireValues) -> None:
    """Reject state of a newer version, and state that was edited by hand and has values of the wrong type.

    What this version does not know, it would drop: a refresh, or an update, must not.

    Raises:
        ResourceError: A name is unknown, or a value has the wrong type.
    """
    managed = flat.get(MANAGED, [])
    if odd := [each for each in (MANAGED, ANSWERED) if not _are_names(flat.get(each, []))]:
        problem = f"{odd[0]} must be a list of names"
    elif odd := [each for each in (ADDED, KEPT, DOUBT) if not isinstance(flat.get(each, {}), Mapping)]:
        problem = f"{odd[0]} must be an object"
    else:
        inputs = {name: flat[name] for name in managed if name in flat}
        outputs = {name: value for name, value in flat.items() if name not in inputs}
        _refuse_newer(resource, object_id, inputs, outputs)
        problems: list[Misfit | str] = [
            *misfits(resource.inputs, inputs),
            *misfits(resource.record, outputs),
            *misfits(resource.own, outputs),
        ]
        try:
            unpacked(resource, flat)
        except ValueError as error:
            problems.append(str(error))
        if not problems:
            return
        problem = "; ".join(map(str, problems))
    raise ResourceError(
        f"state of {resource.name} {object_id} cannot be used: {problem}",
        "Correct it: `pulumi stack export --file state.json`, edit the file, `pulumi stack import --file state.json`.",
    )


def _refuse_newer(resource: ResourceType, object_id: str, inputs: WireValues, outputs: WireValues) -> None:
    """Refuse state with inputs that this version does not know, or in another format.

    What this provider adds is stored under the names of some inputs, such as `endpoints` with their hosts.
    """
    own = wire_names(resource.own)
    given = {name: value for name, value in inputs.items() if name not in own}
    unknown = [*map(show_path, unknown_names(resource.inputs, given)), *(each for each in outputs if each == FORMAT)]
    if unknown:
        raise ResourceError(
            f"state of {resource.name} {object_id} has {unknown[0]}, which pulumi-clouddb {VERSION} does not know: a "
            "newer version wrote it",
            "Install that version, or a newer one; this one changes nothing.",
        )


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def state_to_wire(resource: ResourceType, state: State[Any]) -> WireDict:
    """Return the flat map of state."""
    wanted = to_wire(state.wanted)
    answered = {name: value for name, value in to_wire(state.actual).items() if value is not None and name != ID}
    actual = resource.packing.pack(wanted, answered)
    own = {name: actual[name] for name in wire_names(resource.own) if name in actual}
    doubt = {NAMES: list(state.doubtful)} if state.doubtful else {}
    recorded = {ADDED: dict(state.added), KEPT: dict(state.kept), ANSWERED: sorted(state.answered), DOUBT: doubt}
    return {
        **actual,
        **wanted,
        **own,
        MANAGED: sorted(wanted),
        **{name: each for name, each in recorded.items() if each},
    }


def usable(resource: ResourceType, state: State[ThingT], before: WireValues) -> State[ThingT]:
    """Return the state without values of the wrong type: no command could read them, and a server may return any.

    An input has the value of `before` instead, as if the server did not return it.
    """
    inputs = resource.with_texts(to_wire(state.wanted))
    wrong = {str(each.path[0]) for each in misfits(resource.inputs, inputs)}
    outputs = {name: value for name, value in to_wire(state.actual).items() if name not in inputs}
    odd = {str(each.path[0]) for model in (resource.record, resource.own) for each in misfits(model, outputs)}
    kept = {name: before[name] for name in wrong & before.keys()}
    right = {name: value for name, value in inputs.items() if name not in wrong}
    wanted: Any = construct(resource.inputs, {**right, **kept})
    lost = [Failure(name, "has a value of the wrong type") for name in sorted(wrong - kept.keys())]
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


def without_inputs(state: State[ThingT], names: Collection[str]) -> State[ThingT]:
    """Return the state of an object that has no values of some of the inputs."""
    doubtful = tuple(name for name in state.doubtful if name not in names)
    return replace(state, wanted=without(state.wanted, names), actual=without(state.actual, names), doubtful=doubtful)


def only(model: ModelT, names: Collection[str]) -> ModelT:
    """Return a copy with only these of the properties, by wire name."""
    return without(model, {name for name in wire_names(type(model)) if name not in names})


def merged(actual: RecordT, newer: Model) -> RecordT:
    """Return a copy with the fields of a newer object of its class, or of inputs."""
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
    """Return a copy with only the properties that differ from those of the other value, or that it lacks."""
    values = to_wire(other)
    return only(model, [name for name, value in to_wire(model).items() if name not in values or values[name] != value])


def among(names: Iterable[str], group: Collection[str]) -> tuple[str, ...]:
    """Return the names that are in a group, in order."""
    return tuple(name for name in names if name in group)
