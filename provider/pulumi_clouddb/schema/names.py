"""Names of properties on the wire, by the attributes of their model, and the nearest name to a misspelt one.

A misspelt attribute is a type error for mypy.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from .base import wire_name
from .rules import Names

LIKE = 0.7
"""How alike two names must be, from 0 to 1, for one to be a misspelling of the other."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like `name`, whatever its case, or None where none is alike enough."""
    return next(iter(_alike(name, names, 1, LIKE)), None)


def did_you_mean(name: str, names: Iterable[str], most: int = 1, cutoff: float = LIKE) -> str:
    """Return `; did you mean …?` for the names that were probably meant, else nothing."""
    near = _alike(name, names, most, cutoff)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _alike(name: str, names: Iterable[str], most: int, cutoff: float) -> list[str]:
    known = {each.lower(): each for each in names}
    return [known[each] for each in difflib.get_close_matches(name.lower(), known, most, cutoff)]


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
