"""A value that must not be shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Secret:
    """Wraps a secret configuration value or property; printing it never shows what is inside."""

    value: Any = field(repr=False)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__
