"""State, typed: what the program said, what the server answered, and what this provider adds.

Pulumi keeps it as one flat map: the server's record, over it the inputs as given, over them what this provider adds,
and under `__managed` the names of the inputs. Only the two functions of this module know that map.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.base import Model, Record
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.convert import construct, parse, to_wire
from pulumi_clouddb.schema.misfits import misfits
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict, WireValues

ArgsT = TypeVar("ArgsT", bound=Model)
RecordT = TypeVar("RecordT", bound=Record)
OwnT = TypeVar("OwnT", bound=Record)

MANAGED: Final = "__managed"
"""Where the flat map names the inputs that were given: which fields are the user's, and what was taken out since."""

Flat = WireDict
"""State as Pulumi keeps it, or inputs, by wire name."""


@dataclass(frozen=True)
class State(Generic[ArgsT, RecordT, OwnT]):
    """What is kept of one object.

    Attributes:
        args: What the program said; `args.model_fields_set` tells what it said at all.
        record: What the server answered last. Of state that was stored, only what the program did not say.
        own: What this provider adds. It is never validated: it may quote a server, and no object is lost for that.
        left_out: Why no program can say what the server has, of an object that was just imported.
    """

    args: ArgsT
    record: RecordT
    own: OwnT
    left_out: tuple[Failure, ...] = ()


def state_from_wire(
    resource: ResourceType, flat: WireValues, make: Callable[[type[object], WireValues], Any] = construct
) -> State[Any, Any, Any]:
    """Return the state that Pulumi has kept as a flat map: models, or views for who looks at a few properties only."""
    managed = flat.get(MANAGED, ())
    return State(
        make(resource.inputs, {name: flat[name] for name in managed if name in flat}),
        make(resource.record, {name: value for name, value in flat.items() if name not in managed}),
        make(resource.own, flat),
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
        found = [
            *misfits(resource.inputs, given),
            *misfits(resource.record, {name: value for name, value in flat.items() if name not in given}),
            *misfits(resource.own, {name: value for name, value in flat.items() if name not in given}),
        ]
        if not found:
            return
        problem = "; ".join(map(str, found))
    raise ResourceError(
        f"state of {resource.name} {object_id} cannot be used: {problem}",
        "Correct it: `pulumi stack export --file state.json`, edit the file, `pulumi stack import --file state.json`.",
    )


def state_to_wire(state: State[ArgsT, RecordT, OwnT]) -> Flat:
    """Return state as the flat map that Pulumi keeps."""
    record = {name: value for name, value in to_wire(state.record).items() if value is not None and name != ID}
    own = {name: value for name, value in to_wire(state.own).items() if value is not None}
    inputs = to_wire(state.args)
    return {**record, **inputs, **own, MANAGED: sorted(inputs)}


def server_values(state: State[ArgsT, RecordT, OwnT]) -> RecordT:
    """Return the record without the properties that the program manages, and without those that are null."""
    managed = to_wire(state.args)
    record = {name: value for name, value in to_wire(state.record).items() if value is not None and name not in managed}
    return construct(type(state.record), record)


def merged(record: RecordT, newer: RecordT) -> RecordT:
    """Return a record with all fields of a newer one over it."""
    return parse(type(record), {**to_wire(record), **to_wire(newer)})


def among(names: Iterable[str], group: Collection[str]) -> tuple[str, ...]:
    """Return those of `names` that are in a group."""
    return tuple(name for name in names if name in group)
