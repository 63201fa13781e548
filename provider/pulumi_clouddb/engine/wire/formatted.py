"""Outputs that a program has formatted into a text: Pulumi writes a message there, and only warns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.public_names import public_names
from pulumi_clouddb.schema.secrets.spellings import MASK
from pulumi_clouddb.schema.values import Path, show_path

_SIGNS: Final = ("Calling __str__ on an Output[T] is not supported", "Calling [toString] on an [Output<T>]")
"""How the messages begin (`Output.__str__` of pulumi 3.272, `OutputImpl.toString` of @pulumi/pulumi 3)."""

_ADVICE: Final = (
    "contains a message of Pulumi in place of an output, which a text cannot contain: write pulumi.Output.concat(…), "
    "or pulumi.interpolate in TypeScript"
)


def without_formatted(inputs: object, failures: list[Failure]) -> list[Failure]:
    """Return the failures of inputs, of which those of texts with such a message have the advice alone."""
    formatted = {show_path(path): Failure(show_path(path), _ADVICE) for path in _formatted(inputs)}
    return [*formatted.values(), *(each for each in failures if each.path not in formatted)]


def _formatted(value: object, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, str):
        if any(sign in value for sign in _SIGNS):
            yield path
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _formatted(item, (*path, name if name in public_names() else MASK))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _formatted(item, (*path, index))
