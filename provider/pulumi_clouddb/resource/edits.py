"""Somebody else's edits of an object since the last run: an update keeps them beside the program's changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pulumi_clouddb.schema.matching import KEY, element_names
from pulumi_clouddb.schema.values import WireDict, WireValues

Same = Callable[[str, object, object], bool]
"""Returns whether two values of a property mean the same."""


@dataclass
class Edits:
    """The inputs of an update of an object that somebody else has edited.

    Attributes:
        inputs: The program's changes and the edits, by wire name.
        kept: The edited parts that the program does not change, such as `tile 'Errors'`.
        lost: The parts that both have changed, each in another way.
    """

    inputs: WireDict = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def choose(
        self, part: str, before: object, program: object, edited: object, same: Callable[[object, object], bool]
    ) -> Any:
        """Return the value that an update sends for one part, and note whether it keeps or loses an edit."""
        if same(edited, before) or same(edited, program):
            return program
        if same(program, before):
            self.kept.append(part)
            return edited
        self.lost.append(part)
        return program


def combined(before: WireValues, program: WireValues, edited: WireValues, same: Same) -> Edits:
    """Return the program's changes and the edits; the elements of a list count one by one if they have names.

    Args:
        before: The inputs of the last update.
        program: The inputs of this update.
        edited: The inputs of the last update with the edits.
        same: Compares two values of a property.
    """
    edits = Edits()
    for name in {**program, **edited}:
        values = before.get(name), program.get(name), edited.get(name)
        lists = [[] if each is None else each for each in values]
        names = element_names(*lists) if all(isinstance(each, list) for each in lists) else None
        if names is None or not any(names):
            chosen = edits.choose(name, *values, partial(same, name))
        else:
            elements = [dict(zip(*each, strict=True)) for each in zip(names, lists, strict=True)]
            chosen = _elements(edits, name, elements, partial(_same_elements, same, name))
        if chosen is not None:
            edits.inputs[name] = chosen
    return edits


def _same_elements(same: Same, name: str, one: object, other: object) -> bool:
    return same(name, [one], [other])


def _elements(
    edits: Edits, name: str, lists: list[dict[str, Any]], same: Callable[[object, object], bool]
) -> list[Any]:
    """Return the elements in the program's order; those that somebody has added follow."""
    before, program, edited = lists
    edited = _with_keys(before, program, edited, same)
    chosen = [
        edits.choose(f"{name.removesuffix('s')} {key!r}", before.get(key), program.get(key), edited.get(key), same)
        for key in {**program, **edited, **before}
    ]
    return [each for each in chosen if each is not None]


def _with_keys(
    before: Mapping[str, Any],
    program: Mapping[str, Any],
    edited: Mapping[str, Any],
    same: Callable[[object, object], bool],
) -> dict[str, Any]:
    """Return the edited elements; new ones that equal new ones of the program are these, with their keys.

    An update whose response was lost has added them. Servers return no keys, and series as a config, so that only what
    both have is compared.
    """
    new = {name: each for name, each in program.items() if name not in before and name not in edited}
    found = {}
    for name, each in edited.items():
        equal = (key for key, mine in new.items() if _alike(mine, each, same))
        key = None if name in before or name in program else next(equal, None)
        found.update({name: each} if key is None else {key: new.pop(key)})
    return found


def _alike(one: Mapping[str, Any], other: Mapping[str, Any], same: Callable[[object, object], bool]) -> bool:
    both = one.keys() & other.keys() - {KEY}
    return bool(both) and same({name: one[name] for name in both}, {name: other[name] for name in both})
