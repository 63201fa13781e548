"""Which values of a resource are secret on the wire.

This provider accepts secrets, so the engine sends them marked and marks nothing by itself (Handshake, Configure). A
provider that does not gets no mark, and could not mark the copies that state holds under other names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf import struct_pb2
from pulumi.dynamic.dynamic import PROVIDER_KEY

from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.operation_secrets import hide
from pulumi_clouddb.schema.values import UNKNOWN, Path, WireValues

if TYPE_CHECKING:
    from pulumi_clouddb.schema.resource_type import ResourceType

Secrets = frozenset[Path]
"""The places of secret values."""


def decode(struct: struct_pb2.Struct) -> tuple[Properties, Secrets]:
    """Read properties from the wire: plain ones, and beside them which were secret, so that an answer can mark them.

    Secrets are hidden from messages. Absent entries of objects and null ones are the same.
    """
    secrets: set[Path] = set()
    values: Properties = _unmarked(from_struct(struct), (), secrets)
    for name in (PROVIDER_KEY, REGISTRATION_KEY):  # state of the dynamic front end carries them along
        values.pop(name, None)
    return values, frozenset(secrets)


def encode(values: WireValues, secrets: Secrets = frozenset()) -> struct_pb2.Struct:
    """Write properties to the wire, those at the places of `secrets` marked."""
    return to_struct(_marked(values, (), secrets), secrets=True)


def checked(type_: ResourceType, values: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write the inputs of a program to the wire, marked exactly where the program marks them."""
    return encode(values, secrets | known(type_.secrets, values))


def inputs(type_: ResourceType, values: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write inputs that were read to the wire, marked as those of the program."""
    return encode(values, _places(values, secrets) | known(type_.secrets, values))


def outputs(type_: ResourceType, state: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write state to the wire, with the inputs marked as they came, and with their copies."""
    return encode(state, _needed(type_, state, secrets))


def leaks(type_: ResourceType, state: WireValues, marked: Secrets, secrets: Secrets) -> bool:
    """Return whether state, of which `marked` are the secrets, holds something of the inputs' `secrets` in plain text.

    What the model calls secret has never been stored in plain text.
    """
    needed = (place for place in _needed(type_, state, secrets) if place[0] not in type_.secrets)
    return any(not marked.intersection(_above(place)) for place in needed)


def known(names: Iterable[str], values: WireValues) -> Secrets:
    """Return the places of those properties that have a value, and one that is known."""
    return frozenset((name,) for name in names if values.get(name, UNKNOWN) is not UNKNOWN)


def names(secrets: Secrets) -> frozenset[str]:
    """Return the names of the properties that are secret or hold a secret."""
    return frozenset(str(path[0]) for path in secrets)


def _unmarked(value: object, path: Path, secrets: set[Path]) -> Any:
    if isinstance(value, Secret):
        secrets.add(path)
        inner = _unmarked(value.value, path, secrets)
        hide(inner)
        return inner
    if isinstance(value, dict):
        items = {key: _unmarked(item, (*path, key), secrets) for key, item in value.items()}
        return {key: item for key, item in items.items() if item is not None}
    if isinstance(value, list):
        return [_unmarked(item, (*path, index), secrets) for index, item in enumerate(value)]
    return value


def _marked(value: object, path: Path, secrets: Secrets) -> Any:
    if isinstance(value, dict):
        value = {key: _marked(item, (*path, key), secrets) for key, item in value.items() if item is not None}
    elif isinstance(value, (list, tuple)):
        value = [_marked(item, (*path, index), secrets) for index, item in enumerate(value)]
    return Secret(value) if path in secrets else value


def _needed(type_: ResourceType, state: WireValues, secrets: Secrets) -> Secrets:
    copies = {*type_.secrets, *type_.copies_of(names(secrets))}
    return _places(state, secrets) | known(copies, state)


def _places(values: WireValues, secrets: Secrets) -> Secrets:
    """Return where values are secret: a list is secret as a whole, since its elements may move."""
    return frozenset(_place(values, path) for path in secrets if path[0] in values)


def _place(values: WireValues, path: Path) -> Path:
    inner: Any = values
    for depth, part in enumerate(path):
        if not isinstance(inner, Mapping):
            return path[:depth]
        inner = inner.get(str(part))
    return path


def _above(place: Path) -> list[Path]:
    return [place[:length] for length in range(1, len(place) + 1)]
