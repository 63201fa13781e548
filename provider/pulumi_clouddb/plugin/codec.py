"""Property values between the wire and this package.

On the wire they are protobuf Structs in which unknown values and secrets hide behind signatures. Here they are plain
values with `UNKNOWN` among them; which of them were secret is told beside them, as paths, so that an answer can mark
the same places again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from google.protobuf import json_format, struct_pb2

from pulumi_clouddb.models.operation_secrets import hide
from pulumi_clouddb.models.values import UNKNOWN, Path
from pulumi_clouddb.pulumi_wire.registration import REGISTRATION_KEY

Secrets = frozenset[Path]
"""The places of secret values."""

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 (a type mark of the wire format)
UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
UNKNOWN_TEXTS: Final = frozenset(
    {
        UNKNOWN_TEXT,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # of a bool
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # of a number
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # of a list
        "030794c1-77ac-496b-91df-f27374a8bd58",  # of an asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # of an archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # of an object
    }
)
EXACT_INTEGERS: Final = 2**53
DYNAMIC_ONLY: Final = ("__provider", REGISTRATION_KEY)
"""What state of the dynamic front end carries along; here it means nothing."""


def decode(struct: struct_pb2.Struct) -> tuple[dict[str, Any], Secrets]:
    """Read properties from the wire, and hide their secrets from messages.

    Absent entries of objects and null ones are the same.
    """
    secrets: set[Path] = set()
    values = _object(json_format.MessageToDict(struct), (), secrets)
    for name in DYNAMIC_ONLY:
        values.pop(name, None)
    return values, frozenset(secrets)


def encode(values: Mapping[str, Any], secrets: Iterable[Path] = ()) -> struct_pb2.Struct:
    """Write properties to the wire, those at the paths of `secrets` in secret envelopes."""
    struct = struct_pb2.Struct()
    json_format.ParseDict(_wire(values, (), frozenset(secrets)), struct)
    return struct


def _object(entries: Mapping[str, Any], path: Path, secrets: set[Path]) -> dict[str, Any]:
    decoded = {key: _value(item, (*path, key), secrets) for key, item in entries.items()}
    return {key: item for key, item in decoded.items() if item is not None}


def _value(value: Any, path: Path, secrets: set[Path]) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            secrets.add(path)
            inner = _value(value.get("value"), path, secrets)
            hide(inner)
            return inner
        return _object(value, path, secrets)
    if isinstance(value, list):
        return [_value(item, (*path, index), secrets) for index, item in enumerate(value)]
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWN_TEXTS else value
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT_INTEGERS:
        return int(value)
    return value


def _wire(value: Any, path: Path, secrets: Secrets) -> Any:
    if isinstance(value, Mapping):
        entries = {key: _wire(item, (*path, key), secrets) for key, item in value.items() if item is not None}
        return _envelope(entries) if path in secrets else entries
    if isinstance(value, (list, tuple)):
        items = [_wire(item, (*path, index), secrets) for index, item in enumerate(value)]
        return _envelope(items) if path in secrets else items
    plain = UNKNOWN_TEXT if value is UNKNOWN else value
    return _envelope(plain) if path in secrets else plain


def _envelope(value: Any) -> dict[str, Any]:
    return {SIGNATURE: SECRET, "value": value}
