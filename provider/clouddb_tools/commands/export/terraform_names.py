"""Names of resources from addresses in Terraform, without repeated words and the words of the resource's type."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pulumi_clouddb.registry import RESOURCES

from .names import Wish, plural, slug, usual_name

_STEP = re.compile(
    r"""(?:module|[a-z0-9_]+)\.(?P<label>[\w-]+)(?:\[(?:(?P<number>\d+)|"(?P<key>(?:[^"\\]|\\.)*)")\])?\.?"""
)
_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|.)")
_EMPTY = frozenset({"this", "self", "default"})
"""Labels that say nothing,"""
_GENERIC = _EMPTY | {"main"}
"""and those that add nothing to another one."""


class _Step(NamedTuple):
    """A module or the resource itself.

    Attributes:
        label: Its label, as a part of a name.
        key: Its key, as a part of a name; empty without one.
        is_named: Whether its key is a text, as of `for_each`.
    """

    label: str
    key: str
    is_named: bool


def wishes(addresses: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], Wish]:
    """Return the preferred names of objects: short ones, and whole ones where several of a kind are equal.

    Args:
        addresses: The address of each object by its kind and id.
    """
    steps = {each: _steps(address) for each, address in addresses.items()}
    short = {each: _short(each[0], steps[each]) for each in addresses}
    count = Counter((kind, short[kind, object_id]) for kind, object_id in addresses)
    found = {}
    for kind, object_id in addresses:
        name = short[kind, object_id]
        if count[kind, name] > 1 or not name:
            name = _whole(steps[kind, object_id]) or slug(kind)
        group, key = _loop(kind, steps[kind, object_id])
        found[kind, object_id] = Wish(name, group, key)
    return found


def _steps(address: str) -> list[_Step]:
    found = []
    for each in _STEP.finditer(address):
        key = _ESCAPE.sub(" ", each["key"] or each["number"] or "")
        found.append(_Step(slug(each["label"]), slug(key), bool(each["key"])))
    return found


def _whole(steps: Sequence[_Step]) -> str:
    return slug("-".join(word for each in steps for word in (each.label, each.key) if word))


def _short(kind: str, steps: Sequence[_Step]) -> str:
    """Return the labels and keys that add information; the last label if none does."""
    words: list[str] = []
    for each in steps:
        has_others = len(steps) > 1 or each.key
        if not has_others or each.label not in _said_by_kind(kind) | _GENERIC:
            _add(words, each.label)
        if each.key:
            _add(words, each.key)
    name = "-".join(words) or (steps[-1].label if steps else "")
    return slug("" if name in _EMPTY else name) or usual_name(kind)


def _add(words: list[str], word: str) -> None:
    """Add a word, unless it is there already, in singular or plural; one that begins with the last replaces that."""
    if any(each in (word, plural(word)) or each.endswith(f"-{word}") for each in words):
        return
    if words and word.startswith(f"{words[-1]}-"):
        words.pop()
    words.append(word)


def _said_by_kind(kind: str) -> frozenset[str]:
    """Return the labels that only repeat the type of a resource."""
    name = usual_name(kind)
    words = {name, name.rpartition("-")[2]}
    return frozenset({*words, *map(plural, words)})


def _loop(kind: str, steps: Sequence[_Step]) -> tuple[str, str]:
    """Return the name of all objects of the last `for_each` in an address, and the key; both empty without one."""
    index = next((index for index, each in reversed([*enumerate(steps)]) if each.key), None)
    if index is None or not steps[index].is_named:
        return "", ""
    without = [each._replace(key="") if at == index else each for at, each in enumerate(steps)]
    name, label = _short(kind, without), steps[-1].label
    if name.endswith(label):
        return plural(name), steps[index].key
    return f"{name}-{plural(RESOURCES[kind].type.snake_name.rpartition('_')[2])}", steps[index].key
