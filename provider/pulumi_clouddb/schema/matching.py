"""Matching elements of two lists, so that a removed or a new element does not look like an edit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from pulumi_clouddb.schema.base import identity
from pulumi_clouddb.schema.values import WireValues, contains_unknown

KEY: Final = "key"
"""The property with the key of a tile; servers return none."""

Pairs = list[tuple[int | None, int | None]]
"""Places in the old and in the new list; None for a new or a removed element."""


def tile_key(tile: WireValues) -> object:
    """Return the key of a tile by wire name, or its name if it has none."""
    return tile[KEY] if tile.get(KEY) is not None else tile.get("name")


def element_names(*lists: Sequence[object]) -> list[list[str]] | None:
    """Return the key, id or name of each element; None if one has no unique one."""
    names = [[_name(each) for each in items] for items in lists]
    unique = all(len(set(each)) == len(each) and None not in each for each in names)
    return [[str(name) for name in each] for each in names] if unique else None


def matched(old: Sequence[object], new: Sequence[object]) -> Pairs:
    """Return pairs of elements: those of the new list in order, then removed ones.

    Elements match by key, id or name, and a tile that gets its first key by its name. Without these, equal elements
    match in order, and others at the same place.
    """
    names = element_names(old, new)
    found = _equal(old, new) if names is None else _of_name(*names)
    rest = [index for index in range(len(old)) if index not in found.values()]
    found.update(_at_its_place(rest, new, found) if names is None else _of_first_key(old, new, rest, found))
    gone = [(index, None) for index in rest if index not in found.values()]
    return [*((found.get(place), place) for place in range(len(new))), *gone]


def _at_its_place(rest: Sequence[int], new: Sequence[object], found: Mapping[int, int]) -> dict[int, int]:
    return {place: place for place in rest if place < len(new) and place not in found}


def _of_first_key(
    old: Sequence[object], new: Sequence[object], rest: Sequence[int], found: Mapping[int, int]
) -> dict[int, int]:
    """Return the places of tiles that get their first key: their names identify them."""
    before = _unique([_text(old[index], "name") for index in rest], rest)
    places = [place for place in range(len(new)) if place not in found]
    after = _unique([_text(new[place], "name") for place in places], places)
    return {place: before[name] for name, place in after.items() if name in before}


def _name(element: object) -> str | None:
    if not isinstance(element, Mapping):
        return None
    name = element.get("id") if element.get(KEY) is None and element.get("id") is not None else tile_key(element)
    return name if isinstance(name, str) else None


def _text(element: object, name: str) -> str | None:
    value = element.get(name) if isinstance(element, Mapping) else None
    return value if isinstance(value, str) else None


def _of_name(old: list[str], new: list[str]) -> dict[int, int]:
    places = {name: index for index, name in enumerate(old)}
    return {place: places[name] for place, name in enumerate(new) if name in places}


def _equal(old: Sequence[object], new: Sequence[object]) -> dict[int, int]:
    """Return the places of equal elements that keep their order; an unknown value equals nothing."""
    before, after = (
        [f"{side} {place}" if contains_unknown(each) else _written(each) for place, each in enumerate(items)]
        for side, items in (("old", old), ("new", new))
    )
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {block.b + step: block.a + step for block in blocks for step in range(block.size)}


def _written(element: object) -> str:
    return json.dumps(identity(element), sort_keys=True, default=repr)


def _unique(names: Sequence[str | None], places: Sequence[int]) -> dict[str, int]:
    return {name: place for name, place in zip(names, places, strict=True) if name and names.count(name) == 1}
