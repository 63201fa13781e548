"""How one JSON value differs from another, so that state keeps what is equal once.

A difference is an object of differences by place (the name of a property, or the place in a list of the same length), a
list with the one value that stands there instead, or an empty list where there is nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .values import WireDict

NOTHING: Final = object()
"""What stands at a place that a value does not have."""


def difference(base: object, value: object) -> object:
    """Return how a value differs from another; an empty object where it does not."""
    if isinstance(base, Mapping) and isinstance(value, Mapping):
        return _differences({name: (base.get(name, NOTHING), value.get(name, NOTHING)) for name in {**base, **value}})
    if isinstance(base, list) and isinstance(value, list) and len(base) == len(value):
        return _differences({str(place): pair for place, pair in enumerate(zip(base, value, strict=True))})
    if value is NOTHING:
        return []
    # Python's True is 1; JSON's true is no number.
    return {} if base == value and isinstance(base, bool) == isinstance(value, bool) else [value]


def _differences(pairs: Mapping[str, tuple[object, object]]) -> WireDict:
    found = {place: difference(*pair) for place, pair in pairs.items()}
    return {place: each for place, each in found.items() if each != {}}


def applied(base: object, change: object) -> object:
    """Return the value that differs from another in this way.

    Raises:
        ValueError: The difference is not one from that value.
    """
    if isinstance(change, list):
        if len(change) > 1:
            raise ValueError(f"a list of {len(change)} values")
        return change[0] if change else NOTHING
    if not isinstance(change, Mapping):
        raise ValueError(f"{type(change).__name__}, not an object or a list")
    if isinstance(base, Mapping):
        places = {name: applied(base.get(name, NOTHING), change.get(name, {})) for name in {**base, **change}}
        return {name: value for name, value in places.items() if value is not NOTHING}
    if not change:
        return base
    if not isinstance(base, list) or not {*change} <= {str(place) for place in range(len(base))}:
        raise ValueError(f"no {', '.join(change)} in what it differs from")
    return [applied(each, change.get(str(place), {})) for place, each in enumerate(base)]
