"""Property values: marking secrets, comparing values with `Secret` and `UNKNOWN`, and paths into them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pulumi_clouddb.engine.wire.codec import Properties, write
from pulumi_clouddb.engine.wire.secret import Secret, has_secret


def remark(outs: Properties, ins: Mapping[str, Any]) -> None:
    """Mark values of `outs` as secret whose values in `ins` are (plugin/provider_plugin.go, annotateSecrets).

    Objects are marked key by key; a list that contains a secret becomes secret as a whole.
    """
    for key in outs.keys() & ins.keys():
        if isinstance(outs[key], dict) and isinstance(ins[key], dict):
            remark(outs[key], ins[key])
        elif not isinstance(outs[key], Secret) and has_secret(ins[key]):
            outs[key] = Secret(outs[key])


def mark_keys(outs: Properties, keys: Iterable[str]) -> None:
    """Mark top-level outputs as secret."""
    for key in keys:
        if key in outs and not isinstance(outs[key], Secret):
            outs[key] = Secret(outs[key])


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal; True differs from 1, and a secret from its plain text."""
    return _canonical(left) == _canonical(right)


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the top-level properties that differ, without internal ones."""
    names = sorted(key for key in old.keys() | new.keys() if not key.startswith("__"))
    return tuple(key for key in names if not same(old.get(key), new.get(key)))


def _canonical(value: Any) -> str:
    return json.dumps(write(value), sort_keys=True)


# -- paths of `ignore_changes` and `replace_on_changes`: `tags.owner`, `rules[0].port`, `tags["a b"]`, `rules[*]` -----

Path: TypeAlias = "list[str | int]"

_PART = re.compile(r"""\[(?P<index>\d+)\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|\[(?P<star>\*)\]|\.?(?P<name>[^.\[\]]+)""")


def parse(text: str) -> Path:
    """Split a path into keys and indexes; `*` matches all of them."""
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
    """Return the new inputs with the old values of ignored ones (deploy/step_generator.go, processIgnoreChanges)."""
    result = copy.deepcopy(news)
    for path in paths:
        _reset(result, olds, parse(path))
    return result


def differing(old: Any, new: Any, path: Path | None = None) -> Iterator[Path]:
    """Yield the deepest paths at which two values differ (plugin/provider.go, NewDetailedDiffFromObjectDiff)."""
    path = path or []
    kinds = [kind for kind in (dict, list) if isinstance(old, kind) and isinstance(new, kind)]
    if kinds:
        for key in dict.fromkeys([*_keys(old), *_keys(new)]):
            if key in _keys(old) and key in _keys(new):
                yield from differing(old[key], new[key], [*path, key])
            else:
                yield [*path, key]
    elif not same(old, new):
        yield path


def covers(path: str, changed: Path) -> bool:
    """Return whether a change is at a path or below it (resource/property_path.go, Contains)."""
    parts = parse(path)
    return len(parts) <= len(changed) and all(
        part in (each, "*") for part, each in zip(parts, changed[: len(parts)], strict=True)
    )


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
