"""Secret values among plain ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Secret:
    """Wraps a secret configuration value or property; printing it never shows what is inside."""

    value: Any = field(repr=False)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


def has_secret(value: Any) -> bool:
    """Return whether there is a secret anywhere in the value."""
    if isinstance(value, Mapping):
        return any(has_secret(inner) for inner in value.values())
    if isinstance(value, list):
        return any(has_secret(inner) for inner in value)
    return isinstance(value, Secret)


def strip(value: Any) -> Any:
    """Return the value with every secret in it replaced by what it holds."""
    if isinstance(value, Secret):
        return strip(value.value)
    if isinstance(value, dict):
        return {key: strip(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [strip(inner) for inner in value]
    return value
