"""What functions answer: where secrets are in it, and what it looks like while arguments are unknown."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.schema.base import Record, wire_names
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.values import UNKNOWN, Path, WireDict, WireValues

from .marks import Secrets


def secret_places(function: FunctionType[Any], answer: WireValues) -> Secrets:
    """Return the paths of the secret values in an answer, at any depth."""
    names = _secret_names(function.result)
    return frozenset(path for path, value in _walk(answer, ()) if path[-1] in names and value is not None)


def unknown_answer(function: FunctionType[Any]) -> WireDict:
    """Return an answer of which nothing is known."""
    return dict.fromkeys(wire_names(function.result), UNKNOWN)


@functools.cache
def _secret_names(model: type[Record]) -> frozenset[str]:
    """Return the names of the secret fields of a model and of all models within it."""
    document = model.model_json_schema(mode="serialization")
    objects = [document, *document.get("$defs", {}).values()]
    return frozenset(
        name
        for each in objects
        for name, spec in each.get("properties", {}).items()
        if spec.get("clouddb", {}).get("secret")
    )


def _walk(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    entries: Any = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield (*path, key), item
        yield from _walk(item, (*path, key))
