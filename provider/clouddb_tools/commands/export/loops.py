"""Resources of one shape, from one `for_each` of Terraform: a loop over what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from .statements import Joined, Json, Member, Ref, Step

LEAST = 3
"""Resources from which a program has a loop,"""
MOST = 8
"""if no more values differ."""


@dataclass(frozen=True)
class Item:
    """A value that differs between the resources of a loop.

    Attributes:
        name: Its name in the values of the loop.
    """

    name: str


@dataclass(frozen=True)
class Keyed:
    """A text with the key of the loop in it.

    Attributes:
        before: The text before the key.
        after: The text after it.
    """

    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Loop:
    """Resources of one shape.

    Attributes:
        steps: Their statements.
        properties: Their inputs, with what differs as `Item`, `Keyed` and references with the key of the loop.
        items: The values that differ, by name; each has one for each resource.
    """

    steps: Sequence[Step]
    properties: Json
    items: Mapping[str, Sequence[Any]]

    @property
    def group(self) -> str:
        """The variable of all of them."""
        return next(each.member.group for each in self.steps if each.member)

    @property
    def keys(self) -> list[str]:
        """Their keys."""
        return [each.member.key or "" for each in self.steps if each.member]

    @property
    def name(self) -> Keyed:
        """Their resource names."""
        return keyed([each.name for each in self.steps], self.keys) or Keyed()


def units(steps: Sequence[Step]) -> Iterator[Step | Loop]:
    """Yield the statements of a program, those of a loop together.

    Raises:
        ValueError: Statements with a common member are not of one shape; none of them may be left out.
    """
    for group, several in groupby(steps, lambda step: step.member.group if step.member else None):
        found = list(several)
        if group is None:
            yield from found
        elif loop := loop_of(found):
            yield loop
        else:
            raise ValueError(f"{group}: its resources are not of one shape")


def loop_of(steps: Sequence[Step]) -> Loop | None:
    """Return the loop that declares the same resources; None if they are not of one shape."""
    keys = [each.member.key or "" for each in steps if each.member]
    first = steps[0]
    is_alike = all(
        (each.kind, [*each.properties], each.protect) == (first.kind, [*first.properties], first.protect)
        and not each.notes
        for each in steps
    )
    names = [each.name for each in steps]
    if len(steps) < LEAST or not is_alike or len({*keys}) < len(steps) or not keyed(names, keys):
        return None
    merger = _Merger(keys)
    properties = {name: merger.merged(name, [each.properties[name] for each in steps]) for name in first.properties}
    return Loop(steps, properties, merger.items) if len(merger.items) <= MOST else None


def keyed(texts: Sequence[str], keys: Sequence[str]) -> Keyed | None:
    """Return what is before and after the key in each text; None if that differs, or if a text lacks its key."""
    before, _, after = texts[0].partition(keys[0])
    is_same = all(text == f"{before}{key}{after}" for text, key in zip(texts, keys, strict=True))
    return Keyed(before, after) if is_same and all(keys) else None


class _Merger:
    """Merges values of several resources.

    Attributes:
        items: The values that differ.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.items: dict[str, Sequence[Any]] = {}
        self._keys = keys

    def merged(self, name: str, values: Sequence[Any]) -> Any:
        """Return a value with what differs."""
        first = values[0]
        if len({repr(each) for each in values}) == 1:
            return first
        if all(isinstance(each, str) for each in values) and (text := keyed(values, self._keys)):
            return text
        if all(isinstance(each, Ref) for each in values) and (ref := self._of_key(values)):
            return ref
        inner = self._within(name, values)
        return self._item(name, values) if inner is None else inner

    def _within(self, name: str, values: Sequence[Any]) -> Any:
        """Return an object, a list or a joined text with what differs within it; None if its parts are others."""
        first = values[0]
        if all(isinstance(each, Mapping) and [*each] == [*first] for each in values):
            return {key: self.merged(key, [each[key] for each in values]) for key in first}
        if all(isinstance(each, list) and len(each) == len(first) for each in values):
            return [self.merged(name, several) for several in zip(*values, strict=True)]
        if all(isinstance(each, Joined) and len(each.parts) == len(first.parts) for each in values):
            parts = zip(*(each.parts for each in values), strict=True)
            return Joined(tuple(self.merged(name, several) for several in parts))
        return None

    def _of_key(self, refs: Sequence[Ref]) -> Ref | None:
        """Return a reference to the resource of another loop with the same key."""
        outputs = {(each.path.partition(".")[2], each.key, each.member and each.member.group) for each in refs}
        keys = [each.member.key if each.member else None for each in refs]
        if len(outputs) > 1 or keys != [*self._keys] or refs[0].member is None:
            return None
        return replace(refs[0], member=Member(refs[0].member.group, None))

    def _item(self, name: str, values: Sequence[Any]) -> Item:
        same = next((each for each, known in self.items.items() if repr(known) == repr(values)), None)
        if same is not None:
            return Item(same)
        free = name
        number = 2
        while free in self.items:
            free, number = f"{name}{number}", number + 1
        self.items[free] = values
        return Item(free)
