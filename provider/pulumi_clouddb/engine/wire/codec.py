"""Convert property values between Pulumi's forms and this package's.

Pulumi uses protobuf Structs on the wire, and JSON in state and events, with signatures for secrets and unknown values
(sdk/go/common/resource/plugin/rpc.go). This package uses plain values with `Secret` and `UNKNOWN`.

Pulumi's own Python code is not sufficient (3.272): `pulumi.runtime.rpc` marks a whole top-level property as secret if a
part of it is, and knows one of the seven texts for unknown values; `pulumi.provider.experimental.PropertyValue` neither
reads nor writes unknown values. Both convert all numbers to floats.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from google.protobuf import struct_pb2

from pulumi_clouddb.schema.values import UNKNOWN

from .secret import Secret, strip

Properties: TypeAlias = dict[str, Any]

SIGNATURE_KEY: Final = "4dabf18193072939515e22adb298388d"
"""The key of an object that is not an ordinary one."""
SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 (a type mark of the wire format)
UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
UNKNOWN_TEXTS: Final = frozenset(
    {
        UNKNOWN_TEXT,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # of a bool
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # of a number
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # of a list
        "030794c1-ac77-496b-92df-f27374a8bd58",  # of an asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # of an archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # of an object
    }
)


def from_struct(struct: struct_pb2.Struct) -> Properties:
    """Read properties from the wire."""
    return {key: read(value) for key, value in json_of(struct).items()}


def json_of(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Return properties on the wire as JSON; unlike `json_format`, with infinity and NaN."""
    return {key: _json_of(value) for key, value in struct.fields.items()}


def _json_of(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return json_of(value.struct_value)
    if kind == "list_value":
        return [_json_of(item) for item in value.list_value.values]
    return None if kind in (None, "null_value") else getattr(value, kind)


def to_struct(properties: Mapping[str, Any], *, secrets: bool, unknowns: bool = True) -> struct_pb2.Struct:
    """Write properties to the wire; secrets lose their marks, or unknowns are left out, if the arguments are false."""
    struct = struct_pb2.Struct()
    sent = properties if unknowns else {key: value for key, value in properties.items() if strip(value) is not UNKNOWN}
    struct.update(write(dict(sent), secrets=secrets))
    return struct


def read(value: Any) -> Any:
    """Read a property value from the JSON of the wire, of state or of an event, which may mask secrets."""
    if isinstance(value, dict):
        if value.get(SIGNATURE_KEY) == SECRET_SIGNATURE:
            return _secret(value)
        return {key: read(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [read(inner) for inner in value]
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWN_TEXTS else value
    return value


def write(value: Any, *, secrets: bool = True) -> Any:
    """Return a property value as JSON of the wire, with or without the marks of secrets."""
    if isinstance(value, Secret):
        inner = write(value.value, secrets=secrets)
        return {SIGNATURE_KEY: SECRET_SIGNATURE, "value": inner} if secrets else inner
    if isinstance(value, dict):
        return {key: write(inner, secrets=secrets) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [write(inner, secrets=secrets) for inner in value]
    return UNKNOWN_TEXT if value is UNKNOWN else value


def _secret(envelope: Mapping[str, Any]) -> Secret:
    shown = envelope.get("plaintext")  # JSON in state, with or without a ciphertext
    inner = read(envelope.get("value", envelope.get("ciphertext")) if shown is None else json.loads(shown))
    return inner if isinstance(inner, Secret) else Secret(inner)
