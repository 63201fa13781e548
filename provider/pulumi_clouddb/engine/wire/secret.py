"""Marks of secret values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Secret:
    """A secret configuration value or property; printing it does not show the value."""

    value: Any = field(repr=False)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


def has_secret(value: Any) -> bool:
    """Return whether the value is or contains a secret."""
    if isinstance(value, Mapping):
        return any(has_secret(inner) for inner in value.values())
    if isinstance(value, list):
        return any(has_secret(inner) for inner in value)
    return isinstance(value, Secret)


def strip(value: Any) -> Any:
    """Return the value without the marks of secrets."""
    if isinstance(value, Secret):
        return strip(value.value)
    if isinstance(value, dict):
        return {key: strip(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [strip(inner) for inner in value]
    return value
