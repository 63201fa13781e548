"""The name that was probably meant, where somebody has written one that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LIKE = 0.7
"""How alike two names must be, from 0 to 1, for one to be a misspelling of the other."""


def nearest(name: str, names: Iterable[str], cutoff: float = LIKE) -> str | None:
    """Return the name that is most like `name`, whatever its case, or None where none is alike enough."""
    known = {each.lower(): each for each in names}
    found = difflib.get_close_matches(name.lower(), known, 1, cutoff)
    return known[found[0]] if found else None


def did_you_mean(name: str, names: Iterable[str], cutoff: float = LIKE) -> str:
    """Return `; did you mean …?` for the name that was probably meant, else nothing."""
    near = nearest(name, names, cutoff)
    return f"; did you mean {near}?" if near else ""
