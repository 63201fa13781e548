"""Places of values, as messages name them: `Service.ipAccessList[0].source`."""

from __future__ import annotations

import re
from collections.abc import Collection

from pydantic.alias_generators import to_snake


def usual_place(place: str) -> str:
    """Return a place without the numbers of elements; names are as in Python, which the other spelling becomes."""
    return ".".join(map(to_snake, re.sub(r"\[[^\]]*\]", "", place).split(".")))


def is_within(place: str, outer: Collection[str]) -> bool:
    """Return whether a place is one of several, or within one; these are as `usual_place` returns them."""
    parts = usual_place(place).split(".")
    return any(".".join(parts[:length]) in outer for length in range(1, len(parts) + 1))
