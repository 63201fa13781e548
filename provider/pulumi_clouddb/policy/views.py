"""Typed looks at the properties that a policy sees: by Python names, with unknown told from missing.

`service(args)` gives what reads like a `Service`: `service(args).num_replicas` is a number, or None where the
program says nothing. Touching a value that a preview cannot know raises `UnknownValueError`, as pulumi-policy does;
inside `with if_known:` the rest of the block is skipped instead.
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
"""`with if_known:` leaves the block where it meets a value that is not known yet."""


class UnknownPropertyError(UnknownValueError, upstream.UnknownValueError):
    """A property was touched that a preview cannot know; hosts of policies know the error as pulumi-policy's."""

    def __init__(self, path: Path) -> None:
        upstream.UnknownValueError.__init__(self, upstream.UNKNOWN_STRING_VALUE, [str(part) for part in path])


class Properties(Mapping[str, Any]):
    """Properties as pulumi-policy gives them, read as plain values, each once."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._plain: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._plain:
            self._plain[name] = plain(_read(self._given, name))
        return self._plain[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _read(container: Any, key: Any) -> Any:
    try:
        return container[key]
    except upstream.UnknownValueError:
        return UNKNOWN


def plain(value: Any) -> Any:
    """Return properties as dicts and lists, with `UNKNOWN` for what is not known and whole numbers as ints."""
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
    """Return whether a policy looks at a resource of this type, of whichever front end."""
    return args.resource_type in (type_.token, type_.dynamic_token)


def resource_view(type_: ResourceType, args: Args) -> Any:
    """Return the view of a resource: of its inputs, or in a stack policy of its outputs.

    In a preview the outputs of a new dynamic resource are missing rather than unknown; for a stack policy every missing
    property counts as unknown, except those that steer this provider and never come from a server.
    """
    values = getattr(args, "values", None) or Properties(args.props)
    if isinstance(args, ResourceValidationArgs):
        return view_of(type_.inputs, values, error=UnknownPropertyError)
    return view_of(type_.state, values, error=UnknownPropertyError, late=_from_server(type_))


@functools.cache
def _from_server(type_: ResourceType) -> frozenset[str]:
    return frozenset(wire_names(type_.state)).difference(type_.provider_only)
