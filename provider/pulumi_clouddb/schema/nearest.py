"""The name that was probably meant, where somebody has written one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

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
