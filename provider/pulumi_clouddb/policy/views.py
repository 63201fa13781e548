"""Typed views of the properties that a policy checks.

`service(args).num_replicas` is a number, or None if it is not set. Reading an unknown value raises the
`UnknownValueError` of pulumi-policy; `with if_known:` skips the rest of the block instead.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pulumi_policy import PolicyResource, ResourceValidationArgs

from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXTS
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import UNKNOWN, Path, UnknownValueError, whole_numbers
from pulumi_clouddb.schema.view import view_of

from . import upstream

Args = ResourceValidationArgs | PolicyResource

if_known = suppress(upstream.UnknownValueError)
"""`with if_known:` ends the block at the first unknown value."""


class UnknownPropertyError(UnknownValueError, upstream.UnknownValueError):
    """An unknown property was read; policy servers handle the error as that of pulumi-policy."""

    def __init__(self, path: Path) -> None:
        upstream.UnknownValueError.__init__(self, upstream.UNKNOWN_STRING_VALUE, [str(part) for part in path])


class Properties(Mapping[str, Any]):
    """The properties from pulumi-policy as plain values; each is converted once."""

    def __init__(self, props: Mapping[str, Any]) -> None:
        self._props = props
        self._plain: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._plain:
            self._plain[name] = plain(_read(self._props, name))
        return self._plain[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._props)

    def __len__(self) -> int:
        return len(self._props)


def _read(container: Any, key: Any) -> Any:
    try:
        return container[key]
    except upstream.UnknownValueError:
        return UNKNOWN


def plain(value: Any) -> Any:
    """Return properties as dicts and lists, with `UNKNOWN` for unknown values and whole numbers as ints."""
    if isinstance(value, str):
        return UNKNOWN if value in UNKNOWN_TEXTS else value
    if value is UNKNOWN or value is None or isinstance(value, (int, float)):
        return whole_numbers(value)
    if isinstance(value, Mapping):
        return {key: plain(_read(value, key)) for key in value}
    if isinstance(value, Sequence):
        return [plain(_read(value, index)) for index in range(len(value))]
    return UNKNOWN  # an asset


def is_of(type_: ResourceType, args: Args) -> bool:
    """Return whether the resource has this type, in either front end."""
    return args.resource_type in (type_.token, type_.dynamic_token)


def resource_view(type_: ResourceType, args: Args) -> Any:
    """Return the view of a resource: of its inputs, or in a stack policy of its outputs.

    In a preview, the outputs of a new dynamic resource are missing, not unknown. In a stack policy, every missing
    property is therefore unknown, except the options of this provider, which no server returns.
    """
    values = Properties(args.props)
    if isinstance(args, ResourceValidationArgs):
        return view_of(type_.inputs, values, error=UnknownPropertyError)
    return view_of(type_.state, values, error=UnknownPropertyError, late=_from_server(type_))


@functools.cache
def _from_server(type_: ResourceType) -> frozenset[str]:
    return frozenset(wire_names(type_.state)).difference(type_.provider_only)
