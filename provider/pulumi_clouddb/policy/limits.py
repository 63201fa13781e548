"""Limits of the interface, for the settings of rules: they are read from the models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

KINDS = ("ge", "le", "multiple_of")
LEAST = ("ge",)
"""What a sum over several has in common with each of them."""


def limits_of(model: type[BaseModel], attribute: str, kinds: tuple[str, ...] = KINDS) -> dict[str, Any]:
    """Return the limits of a number in a model, all or some kinds of them, as pydantic's `Field` takes them."""
    metadata = model.model_fields[attribute].metadata
    return {kind: getattr(each, kind) for each in metadata for kind in kinds if getattr(each, kind, None) is not None}
