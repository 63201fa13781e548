"""Property values with `Secret` and `UNKNOWN` among them: how the engine marks and compares them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.engine.wire.codec import Properties, write
from pulumi_clouddb.engine.wire.secret import Secret, has_secret


def remark(outs: Properties, ins: Mapping[str, Any]) -> None:
    """Mark as secret in `outs` what was secret in `ins` (plugin/provider_plugin.go, annotateSecrets).

    Values of the same key are compared; two objects are gone through key by key, so that one secret in them does not
    hide the rest; a list with a secret anywhere in it becomes secret as a whole.
    """
    for key in outs.keys() & ins.keys():
        if isinstance(outs[key], dict) and isinstance(ins[key], dict):
            remark(outs[key], ins[key])
        elif not isinstance(outs[key], Secret) and has_secret(ins[key]):
            outs[key] = Secret(outs[key])


def mark_keys(outs: Properties, keys: Iterable[str]) -> None:
    """Mark these top-level outputs as secret."""
    for key in keys:
        if key in outs and not isinstance(outs[key], Secret):
            outs[key] = Secret(outs[key])


def same(left: Any, right: Any) -> bool:
    """Compare two values: True is not 1 here, and a secret is not its content."""
    return _canonical(left) == _canonical(right)


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the top-level properties that differ, without the hidden ones."""
    names = sorted(key for key in old.keys() | new.keys() if not key.startswith("__"))
    return tuple(key for key in names if not same(old.get(key), new.get(key)))


def _canonical(value: Any) -> str:
    return json.dumps(write(value), sort_keys=True)
