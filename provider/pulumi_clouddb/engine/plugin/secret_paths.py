"""Which values are secret on the wire.

This provider accepts secrets, so the engine sends them marked and leaves marking to the provider (Handshake,
Configure). Without these marks it could not mark the copies of secrets that state has under other names.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf import struct_pb2

from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.registration import PROVIDER_KEY, REGISTRATION_KEY
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.secrets.redaction import hide
from pulumi_clouddb.schema.values import UNKNOWN, Path, WireValues

if TYPE_CHECKING:
    from pulumi_clouddb.schema.base import Record
    from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType

Secrets = frozenset[Path]
"""The paths of secret values."""


def decode(struct: struct_pb2.Struct) -> tuple[Properties, Secrets]:
    """Read properties from the wire: the plain values, and the paths of the secrets.

    Hides the secrets from messages and drops null entries of objects.
    """
    secrets: set[Path] = set()
    values: Properties = _unmarked(from_struct(struct), (), secrets)
    for name in (PROVIDER_KEY, REGISTRATION_KEY):  # in state of the dynamic front end
        values.pop(name, None)
    return values, frozenset(secrets)


def encode(values: WireValues, secrets: Secrets = frozenset()) -> struct_pb2.Struct:
    """Write properties to the wire and mark the secrets."""
    return to_struct(_marked(values, (), secrets), secrets=True)


def checked(type_: ResourceType, values: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write the inputs of a program to the wire, with the marks of the program."""
    return encode(values, secrets | known(type_.secrets, values))


def inputs(type_: ResourceType, values: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write inputs from the server to the wire, marked like those of the program."""
    return encode(values, _outside_lists(values, secrets) | known(type_.secrets, values))


def outputs(type_: ResourceType, state: WireValues, secrets: Secrets) -> struct_pb2.Struct:
    """Write state to the wire; mark the secret inputs and their copies."""
    return encode(state, _needed(type_, state, secrets))


def leaks(type_: ResourceType, state: WireValues, marked: Secrets, secrets: Secrets) -> bool:
    """Return whether state, with its secrets at `marked`, has one of the inputs' `secrets` in plain text.

    Properties that are secret in the model were never stored in plain text.
    """
    needed = (path for path in _needed(type_, state, secrets) if path[0] not in type_.secrets)
    return any(not any(path[:length] in marked for length in range(1, len(path) + 1)) for path in needed)


def known(names: Iterable[str], values: WireValues) -> Secrets:
    """Return the paths of the properties whose value is known."""
    return frozenset((name,) for name in names if values.get(name, UNKNOWN) is not UNKNOWN)


def names(secrets: Secrets) -> frozenset[str]:
    """Return the names of the properties that are, or contain, a secret."""
    return frozenset(str(path[0]) for path in secrets)


def secrets_of_result(function: FunctionType[Any], result: WireValues) -> Secrets:
    """Return the paths of the secrets in the result of a function, at any depth."""
    secret = _secret_names(function.result)
    return frozenset(path for path, value in _walk(result, ()) if path[-1] in secret and value is not None)


@functools.cache
def _secret_names(model: type[Record]) -> frozenset[str]:
    """Return the names of the secret fields of a model and of all models within it."""
    document = model.model_json_schema(mode="serialization")
    return frozenset(
        name
        for each in (document, *document.get("$defs", {}).values())
        for name, spec in each.get("properties", {}).items()
        if spec.get("clouddb", {}).get("secret")
    )


def _walk(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    entries: Any = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield (*path, key), item
        yield from _walk(item, (*path, key))


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
    return _outside_lists(state, secrets) | known(copies, state)


def _outside_lists(values: WireValues, secrets: Secrets) -> Secrets:
    """Return the paths at which to mark secrets: a list as a whole, since its elements may move."""
    return frozenset(_up_to_list(values, path) for path in secrets if path[0] in values)


def _up_to_list(values: WireValues, path: Path) -> Path:
    inner: Any = values
    for depth, part in enumerate(path):
        if not isinstance(inner, Mapping):
            return path[:depth]
        inner = inner.get(str(part))
    return path
