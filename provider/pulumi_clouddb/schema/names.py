"""The wire names of properties, by the attributes of their model: for mypy a misspelt one is a type error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from .base import wire_name
from .rules import Names

ModelT = TypeVar("ModelT", bound=BaseModel)

ID: Final = "id"
NAME: Final = "name"
"""What servers call the id, and the name, of every object."""

FOR_LIFE: Final = frozenset({ID, "teamId", "tenantId", "ownerId", "createdAt"})
"""What servers call that which stays of an object as long as it lives."""


def property_name(model: type[ModelT], read: Callable[[ModelT], object]) -> str:
    """Return the wire name of the property of `model` that a function such as `lambda tile: tile.config` reads."""
    return cast(str, read(cast(ModelT, Names(partial(wire_name, model)))))


def property_names(model: type[ModelT], read: Callable[[ModelT], tuple[object, ...]]) -> tuple[str, ...]:
    """Return the wire names of several properties, in the order of `lambda tile: (tile.config, tile.series)`."""
    return cast("tuple[str, ...]", read(cast(ModelT, Names(partial(wire_name, model)))))
