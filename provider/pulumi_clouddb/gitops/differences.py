"""Which properties differ between two states of a resource, as paths with both values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pulumi_clouddb.pulumi_wire.secret import has_secret
from pulumi_clouddb.pulumi_wire.shown import shown

from .report import Kind, PropertyChange

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def differences(before: Any, after: Any, path: str = "") -> list[PropertyChange]:
    """Return what differs between two decoded property values, the smallest parts that do, in order of their paths.

    What begins with two underscores is Pulumi's and the provider's own and left out. Two secrets whose values are
    masked look the same here.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = sorted(key for key in before.keys() | after.keys() if not key.startswith("__"))
        return [
            change for key in keys for change in _entry(before.get(key), after.get(key), path + _step(path, str(key)))
        ]
    if isinstance(before, list) and isinstance(after, list):
        longer = max(len(before), len(after))
        padded = [[*values, *[None] * (longer - len(values))] for values in (before, after)]
        return [
            change
            for index, (old, new) in enumerate(zip(*padded, strict=True))
            for change in _entry(old, new, f"{path}[{index}]")
        ]
    return [] if _same(before, after) else [_change(path, "update", before, after)]


def _entry(old: Any, new: Any, path: str) -> list[PropertyChange]:
    if old is None or new is None:
        if old is None and new is None:
            return []
        return [_change(path, "add" if old is None else "delete", old, new)]
    return differences(old, new, path)


def _step(path: str, key: str) -> str:
    if PLAIN_KEY.fullmatch(key):
        return f".{key}" if path else key
    return f"[{json.dumps(key)}]"


def _same(left: Any, right: Any) -> bool:
    # True equals 1 in Python, and not in a property.
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _change(path: str, kind: Kind, old: Any, new: Any) -> PropertyChange:
    secret = has_secret(old) or has_secret(new)
    return PropertyChange(path=path, kind=kind, old=shown(old), new=shown(new), secret=secret)
