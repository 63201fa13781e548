"""Differences between two states of a resource, by property path."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pulumi_clouddb.engine.wire.messages import shown
from pulumi_clouddb.engine.wire.secret import has_secret
from pulumi_clouddb.schema.matching import element_names, matched

from .report import Kind

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Difference(NamedTuple):
    """One property that differs.

    Attributes:
        path: Its path in the report, which names elements of lists by key, id or name if they have one.
        kind: The kind of change.
        old: The old value, with secrets masked.
        new: The new value, with secrets masked.
        secret: Whether one of the values is or contains a secret.
        engine_paths: Its paths in the engine, which number the elements of the old and of the new list.
    """

    path: str
    kind: Kind
    old: Any
    new: Any
    secret: bool
    engine_paths: tuple[str, ...]

    def touches(self, engine_path: str) -> bool:
        """Return whether a path of the engine is that of this property, of one of its parts or of a parent."""
        return self.lies_in(engine_path) or any(_within(engine_path, each) for each in self.engine_paths)

    def lies_in(self, engine_path: str) -> bool:
        """Return whether a path of the engine is that of this property or of a parent."""
        return any(_within(each, engine_path) for each in self.engine_paths)


def differences(before: Any, after: Any, path: str = "", engine_paths: tuple[str, str] = ("", "")) -> list[Difference]:
    """Return the smallest parts that differ between two decoded property values, sorted by path.

    Elements of lists are matched by unique keys, ids or names, so that an added or removed element is not a change of
    the elements behind it. Properties of Pulumi and the provider, which begin with two underscores, are left out. Two
    secrets with masked values are equal here.

    Args:
        before: The old value.
        after: The new value.
        path: The path of the values in the report.
        engine_paths: The paths of the old and the new value in the engine.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = sorted(key for key in before.keys() | after.keys() if not key.startswith("__"))
        found = []
        for key in keys:
            inner = (
                engine_paths[0] + _step(engine_paths[0], str(key)),
                engine_paths[1] + _step(engine_paths[1], str(key)),
            )
            found += _compare_entry(before.get(key), after.get(key), path + _step(path, str(key)), inner)
        return found
    if isinstance(before, list) and isinstance(after, list):
        return _compare_lists(before, after, path, engine_paths)
    return [] if _same(before, after) else [_change(path, "update", before, after, engine_paths)]


def _compare_lists(before: list[Any], after: list[Any], path: str, engine_paths: tuple[str, str]) -> list[Difference]:
    names = element_names(before, after)
    pairs = matched(before, after)
    found = []
    for old, new in pairs:
        old_index, new_index = (f"[{new if index is None else index}]" for index in (old, old if new is None else new))
        step = new_index if names is None else f"[{json.dumps(_name_of(names, old, new), ensure_ascii=False)}]"
        values = (None if old is None else before[old], None if new is None else after[new])
        found += _compare_entry(*values, path + step, (engine_paths[0] + old_index, engine_paths[1] + new_index))
    kept = [(old, new) for old, new in pairs if old is not None and new is not None]
    if names is not None and kept != sorted(kept):
        order = [names[0][old] for old, _ in sorted(kept)], [names[1][new] for _, new in kept]
        found.append(_change(path, "update", *order, engine_paths))
    return found


def _name_of(names: Sequence[Sequence[str]], old: int | None, new: int | None) -> str:
    """Return the name that an element has, or had if it is gone."""
    return names[0][old] if new is None else names[1][new]  # type: ignore[index]


def _compare_entry(old: Any, new: Any, path: str, engine_paths: tuple[str, str]) -> list[Difference]:
    if old is None or new is None:
        if old is None and new is None:
            return []
        return [_change(path, "add" if old is None else "delete", old, new, engine_paths)]
    return differences(old, new, path, engine_paths)


def _step(path: str, key: str) -> str:
    if PLAIN_KEY.fullmatch(key):
        return f".{key}" if path else key
    return f"[{json.dumps(key)}]"


def _same(left: Any, right: Any) -> bool:
    # In Python True equals 1, but these are different property values.
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _change(path: str, kind: Kind, old: Any, new: Any, engine_paths: tuple[str, str]) -> Difference:
    return Difference(path, kind, shown(old), shown(new), has_secret(old) or has_secret(new), engine_paths)


def _within(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))
