"""What servers add to the lists and objects that a program sets.

A write records what its response has beyond the program's value. A read leaves out what was recorded, so that
everything else that is new is drift. Additions have the form of the value: an object has those within its entries, and
the entries that the program lacks; a list has those within the program's elements, in their order, followed by further
elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from .base import identity
from .convert import fields_of
from .defaults import is_default
from .values import WireValues

ADDED: Final = "__added"
"""The entry of state with the additions, by input."""

KEPT: Final = "__kept"
"""The entry of state with digests of the values that the server has kept instead of those of a write, by input."""

UNRECORDED: Final = None
"""The additions in state of versions that recorded none: any further entry of an object counts as one."""

NONE: Final[WireValues] = {}
"""No additions."""


@dataclass(frozen=True)
class Shape:
    """What the values of a property may contain.

    Attributes:
        model: The model of the objects in it; None if their entries have any names.
        whole: Whether fields that the program leaves out are its own, too. If not, they are the server's; entries of
            lists and of objects with any names are the program's all the same.
        meaning: Returns an equal value for all spellings of an element of the list.
    """

    model: type[BaseModel] | None
    whole: bool = True
    meaning: Callable[[object], object] = identity

    def of(self, name: str) -> Shape:
        """Return the shape of a field."""
        fields = {wire: nested for wire, _, nested in fields_of(self.model)} if self.model else {}
        return Shape(fields.get(name), self.whole)

    @property
    def of_elements(self) -> Shape:
        """The shape of the elements of a list, which an update sends whole."""
        return Shape(self.model)

    def can_gain(self, name: str, value: object) -> bool:
        """Return whether an entry that the program lacks says something, and is not the server's business."""
        if self.model is None:
            return value is not None
        known = any(name == wire for wire, _, _ in fields_of(self.model))  # others are of newer servers
        return self.whole and known and value is not None and not is_default(self.model, name, value)


def additions(wanted: object, served: object, shape: Shape) -> Any:
    """Return what a server has beyond the value of a program; `NONE` if it has nothing more."""
    if isinstance(wanted, Mapping) and isinstance(served, Mapping):
        within = {name: _addition(wanted, name, value, shape) for name, value in served.items()}
        return {name: each for name, each in within.items() if each != NONE}
    if isinstance(wanted, list) and isinstance(served, list):
        pairs = matches(wanted, served, shape.meaning)
        inner = [
            additions(each, served[pairs[index]], shape.of_elements) if index in pairs else NONE
            for index, each in enumerate(wanted)
        ]
        more = [each for place, each in enumerate(served) if place not in pairs.values()]
        return [*inner, *more] if more or any(each != NONE for each in inner) else NONE
    return NONE


def _addition(wanted: WireValues, name: str, value: object, shape: Shape) -> Any:
    """Return what a server has beyond the entry of a program, or the whole entry if the program lacks it."""
    if wanted.get(name) is not None:
        return additions(wanted[name], value, shape.of(name))
    return value if shape.can_gain(name, value) else NONE


def can_gain(wanted: object, shape: Shape) -> bool:
    """Return whether a read without recorded additions would accept further entries of a value."""
    if isinstance(wanted, Mapping):
        within = (can_gain(each, shape.of(name)) for name, each in wanted.items())
        names = [wire for wire, _, _ in fields_of(shape.model)] if shape.model and shape.whole else []
        return shape.model is None or any(wanted.get(name) is None for name in names) or any(within)
    return isinstance(wanted, list) and any(can_gain(each, shape.of_elements) for each in wanted)


def without_additions(wanted: object, served: object, added: Any, shape: Shape) -> Any:
    """Return a server's value without the recorded additions, and without fields that are the server's."""
    if isinstance(wanted, Mapping) and isinstance(served, Mapping):
        return {
            name: value
            if wanted.get(name) is None
            else without_additions(wanted[name], value, _within(added, name), shape.of(name))
            for name, value in served.items()
            if wanted.get(name) is not None or (shape.can_gain(name, value) and not _was_added(added, name, value))
        }
    if isinstance(wanted, list) and isinstance(served, list):
        return _elements_without_additions(wanted, served, added, shape)
    return served


def _elements_without_additions(wanted: list[Any], served: list[Any], added: Any, shape: Shape) -> list[Any]:
    pairs = {place: index for index, place in matches(wanted, served, shape.meaning).items()}
    further = list(added[len(wanted) :]) if isinstance(added, list) else []
    rest: list[object] = []
    for place, value in enumerate(served):
        if place in pairs:
            ours, inner = wanted[pairs[place]], _within(added, pairs[place])
            same = shape.meaning(ours) == shape.meaning(value)
            rest.append(ours if same else without_additions(ours, value, inner, shape.of_elements))
        elif value in further:
            further.remove(value)
        else:
            rest.append(value)
    return rest


def matches(wanted: list[Any], served: list[Any], meaning: Callable[[object], object]) -> dict[int, int]:
    """Return the places of the program's elements in a server's list: of equal ones, then of the most similar ones."""
    pairs: dict[int, int] = {}
    free = {place: meaning(each) for place, each in enumerate(served)}
    for index, each in enumerate(map(meaning, wanted)):
        place = next((place for place, value in free.items() if value == each), None)
        if place is not None:
            pairs[index] = place
            del free[place]
    left = [index for index in range(len(wanted)) if index not in pairs]
    similar = [(_likeness(wanted[index], served[place]), -index, -place) for index in left for place in free]
    for likeness, index, place in sorted(similar, reverse=True):
        if likeness and -index not in pairs and -place in free:
            pairs[-index] = -place
            del free[-place]
    return pairs


def _likeness(one: object, other: object) -> int:
    """Return how many values two objects have in common; other values are equal or not."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return sum(_common(value, other.get(name)) for name, value in one.items())
    return 0


def _common(one: object, other: object) -> int:
    if isinstance(one, list) and isinstance(other, list):
        return sum(each in other for each in one)
    return _likeness(one, other) if isinstance(one, Mapping) else int(one == other)


def _within(added: Any, place: str | int) -> Any:
    """Return the additions within an entry or element of the program."""
    if added is UNRECORDED:
        return UNRECORDED
    if isinstance(place, int):
        return added[place] if isinstance(added, list) and place < len(added) else NONE
    return added.get(place, NONE) if isinstance(added, Mapping) else NONE


def _was_added(added: Any, name: str, value: object) -> bool:
    return added is UNRECORDED or (isinstance(added, Mapping) and added.get(name) == value)
