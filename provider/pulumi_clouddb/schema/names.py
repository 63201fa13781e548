"""Wire names of properties, and suggestions for misspelt names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from .base import wire_name
from .check.rules import Names

LIKE = 0.7
"""The similarity of a misspelt name, from 0 to 1."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar name, ignoring case, or None if none is similar enough."""
    return next(iter(similar(name, names, 1, LIKE)), None)


def did_you_mean(name: str, names: Iterable[str], most: int = 1, cutoff: float = LIKE) -> str:
    """Return `; did you mean …?` with the most similar names, or an empty text."""
    near = similar(name, names, most, cutoff)
    return f"; did you mean {' or '.join(near)}?" if near else ""


_SHORT: Final = {"width": "w", "height": "h"}


def similar(name: str, names: Iterable[str], most: int, cutoff: float) -> list[str]:
    """Return the most similar names, ignoring case, or else those that contain this one, or are short for it.

    So `sql` finds `sqlTemplate`, `id` finds `webhookId`, and `width` finds `w`.
    """
    known = {each.lower(): each for each in names}
    near = difflib.get_close_matches(name.lower(), known, most, cutoff)
    if near or not name:
        return [known[each] for each in near]
    part = rf"{re.escape(name)}(?:[A-Z]|_)|\w+(?:_{re.escape(name)}|{re.escape(name[:1].upper() + name[1:])})\Z"
    longer = [own for own in known.values() if re.match(part, own) or own == _SHORT.get(name)]
    return longer[:most]


ModelT = TypeVar("ModelT", bound=BaseModel)

ID: Final = "id"
NAME: Final = "name"
"""The fields with the id and the name of every object."""

LAST_ERROR: Final = "lastError"
"""The output with the error of an object that is not ready, among those that are waited for."""

FOR_LIFE: Final = frozenset({ID, "teamId", "tenantId", "ownerId", "createdAt"})
"""The fields that never change during the life of an object."""


def property_name(model: type[ModelT], read: Callable[[ModelT], object]) -> str:
    """Return the wire name of the property that `lambda tile: tile.config` reads; mypy rejects a misspelt attribute."""
    return cast(str, read(cast(ModelT, Names(partial(wire_name, model)))))


def property_names(model: type[ModelT], read: Callable[[ModelT], tuple[object, ...]]) -> tuple[str, ...]:
    """Return the wire names of several properties, in the order of `lambda tile: (tile.config, tile.series)`.

    A name of its own is read with `property_name`: in `A, B = property_names(…)`, two names could be exchanged
    (tests/test_layering.py).
    """
    return cast("tuple[str, ...]", read(cast(ModelT, Names(partial(wire_name, model)))))


def each_of(read: Callable[[ModelT], tuple[object, ...]]) -> list[Callable[[ModelT], object]]:
    """Return a function for each property that one reads in a tuple, where a misspelt one is a type error."""
    return [attrgetter(name) for name in cast("tuple[str, ...]", read(cast(ModelT, Names(str))))]
