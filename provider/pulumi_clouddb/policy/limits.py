"""Limits of the interface, for the settings of rules: they are read from the models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

KINDS = ("ge", "le", "multiple_of")


def limits_of(model: type[BaseModel], attribute: str) -> dict[str, Any]:
    """Return the limits of a number in a model, as pydantic's `Field` takes them."""
    metadata = model.model_fields[attribute].metadata
    return {kind: getattr(each, kind) for each in metadata for kind in KINDS if getattr(each, kind, None) is not None}
