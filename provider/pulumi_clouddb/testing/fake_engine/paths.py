"""`ignore_changes` and `replace_on_changes`: paths such as `tags.owner`, `rules[0].port`, `tags["a b"]`, `rules[*]`."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from pulumi_clouddb.engine.wire.codec import Properties

Path: TypeAlias = "list[str | int]"

_PART = re.compile(r"""\[(?P<index>\d+)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\[(?P<star>\*)\]|\.?(?P<name>[^.\[\]]+)""")


def parse(text: str) -> Path:
    """Split a path into keys and indexes; `*` stands for all of them."""
    path: Path = []
    for part in _PART.finditer(text):
        if part["index"] is not None:
            path.append(int(part["index"]))
        elif part["quoted"] is not None:
            path.append(part["quoted"].replace('\\"', '"'))
        else:
            path.append(part["star"] or part["name"])
    return path


def ignoring(news: Properties, olds: Properties, paths: Iterable[str]) -> Properties:
    """Return the new inputs with the ignored ones as they were (deploy/step_generator.go, processIgnoreChanges)."""
    result = copy.deepcopy(news)
    for path in paths:
        _reset(result, olds, parse(path))
    return result


def covers(path: str, key: str) -> bool:
    """Return whether a change of this top-level property is one at the path."""
    parts = parse(path)
    return bool(parts) and parts[0] in (key, "*")


def _reset(target: Any, old: Any, path: Path) -> None:
    if not path:
        return
    key, rest = path[0], path[1:]
    if key == "*":
        for each in {*_keys(target), *_keys(old)}:
            _reset(target, old, [each, *rest])
    elif rest:
        if key in _keys(target) and key in _keys(old):
            _reset(target[key], old[key], rest)
    elif key in _keys(old):
        if isinstance(target, dict) or key in _keys(target):
            target[key] = copy.deepcopy(old[key])
    elif isinstance(target, dict):
        target.pop(key, None)


def _keys(value: Any) -> list[str | int]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []
