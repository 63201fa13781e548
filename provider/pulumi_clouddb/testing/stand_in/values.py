"""Property values between the wire and the stand-in.

On the wire they are protobuf Structs in which secrets and unknowns hide behind signatures. Here they are plain Python
values with `Secret` and `UNKNOWN` among them (plugin/rpc.go, MarshalProperties and UnmarshalProperties).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from google.protobuf import json_format, struct_pb2
from pulumi.runtime import rpc

from pulumi_clouddb.testing.secret import SECRET_SIGNATURE, SIGNATURE_KEY, Secret, has_secret
from pulumi_clouddb.testing.unknown import UNKNOWN

Properties: TypeAlias = dict[str, Any]

EXACT_INTEGERS: Final = 2**53


def from_struct(struct: struct_pb2.Struct) -> Properties:
    """Read properties from the wire."""
    return {key: _from_wire(value) for key, value in json_format.MessageToDict(struct).items()}


def _from_wire(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE_KEY) == SECRET_SIGNATURE:
            inner = _from_wire(value.get("value"))
            return inner if isinstance(inner, Secret) else Secret(inner)
        return {key: _from_wire(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_from_wire(inner) for inner in value]
    if value == rpc.UNKNOWN:
        return UNKNOWN
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGERS:
        return int(value)
    return value


def to_struct(properties: Mapping[str, Any], *, secrets: bool, unknowns: bool = True) -> struct_pb2.Struct:
    """Write properties to the wire, with secrets marked or stripped, with unknowns marked or left out."""
    struct = struct_pb2.Struct()
    kept = {key: value for key, value in properties.items() if unknowns or strip(value) is not UNKNOWN}
    json_format.ParseDict({key: _to_wire(value, secrets) for key, value in kept.items()}, struct)
    return struct


def _to_wire(value: Any, secrets: bool) -> Any:
    if isinstance(value, Secret):
        inner = _to_wire(value.value, secrets)
        return {SIGNATURE_KEY: SECRET_SIGNATURE, "value": inner} if secrets else inner
    if value is UNKNOWN:
        return rpc.UNKNOWN
    if isinstance(value, dict):
        return {key: _to_wire(inner, secrets) for key, inner in value.items()}
    if isinstance(value, list):
        return [_to_wire(inner, secrets) for inner in value]
    return value


def strip(value: Any) -> Any:
    """Return the value with every secret in it replaced by what it holds."""
    if isinstance(value, Secret):
        return strip(value.value)
    if isinstance(value, dict):
        return {key: strip(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [strip(inner) for inner in value]
    return value


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
    return json.dumps(_to_wire(value, True), sort_keys=True)
