"""Normalize values for comparison, and store a JSON value as its difference from another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import timezone
from typing import Any, Final

from .base import identity, parse_network, parse_timestamp
from .values import WireDict


def as_set(value: object) -> object:
    """Return a list as a set: order and repetition do not matter."""
    return frozenset(map(_hashable, value)) if isinstance(value, list) else value


def as_ids(value: object) -> object:
    """Return a list of UUIDs as a set: case does not matter."""
    return (
        as_set([each.lower() if isinstance(each, str) else each for each in value])
        if isinstance(value, list)
        else value
    )


def as_access_list(value: object) -> Any:
    """Return an access list as a set: `10.0.0.1` equals `10.0.0.1/32`, and a missing description an empty one."""
    if not isinstance(value, list):
        return value
    return frozenset(map(_access, value))


def as_utc(value: object) -> object:
    """Return a time in UTC; None for an empty text."""
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        time = parse_timestamp(value)
    except ValueError:
        return value
    return time.replace(tzinfo=time.tzinfo or timezone.utc).astimezone(timezone.utc)


def _access(entry: object) -> object:
    if not isinstance(entry, dict):
        return _hashable(entry)
    return _network(entry.get("source")), _hashable(entry.get("description") or "")


def _network(source: object) -> object:
    if not isinstance(source, str):
        return _hashable(source)
    try:
        return parse_network(source)
    except ValueError:
        return source


def _hashable(value: object) -> object:
    """Return a hashable value: a response may have an object where a text is expected."""
    return json.dumps(identity(value), sort_keys=True) if isinstance(value, (dict, list)) else value


def as_address(value: object) -> object:
    """Return a mail address in lower case, as servers store it."""
    return value.lower() if isinstance(value, str) else value


NOTHING: Final = object()
"""The value of an entry that does not exist."""


EACH: Final = "*"
"""The place, in the difference of a list, of the change that most elements have in common."""


def difference(base: object, value: object) -> object:
    """Return the difference of `value` from `base`; an empty object if they are equal."""
    if isinstance(base, dict) and isinstance(value, dict):
        names = {**base, **value}
        return _without_equal({name: difference(base.get(name, NOTHING), value.get(name, NOTHING)) for name in names})
    if isinstance(base, list) and isinstance(value, list) and len(base) == len(value):
        return _shared({str(place): difference(*pair) for place, pair in enumerate(zip(base, value, strict=True))})
    if value is NOTHING:
        return []
    # True equals 1 in Python, but not in JSON.
    return {} if base == value and isinstance(base, bool) == isinstance(value, bool) else [value]


def _without_equal(changes: Mapping[str, object]) -> WireDict:
    return {place: change for place, change in changes.items() if change != {}}


def _shared(changes: Mapping[str, object]) -> WireDict:
    """Return the changes of the elements of a list; a common one, such as a server's defaults, is stored once."""
    changed = _without_equal(changes)
    if len(changed) < 2:
        return changed
    texts = {place: json.dumps(change, sort_keys=True) for place, change in changes.items()}
    ((text, count),) = Counter(texts.values()).most_common(1)
    if count < 2 or text == "{}":
        return changed
    return {EACH: json.loads(text), **{place: change for place, change in changes.items() if texts[place] != text}}


def applied(base: object, change: object) -> object:
    """Return `base` with a difference applied.

    Raises:
        ValueError: The difference does not fit the value.
    """
    if isinstance(change, list):
        if len(change) > 1:
            raise ValueError(f"a list of {len(change)} values")
        return change[0] if change else NOTHING
    if not isinstance(change, dict):
        raise ValueError(f"{type(change).__name__}, not an object or a list")
    if not change:
        return base
    if isinstance(base, dict):
        places = {name: applied(base.get(name, NOTHING), change.get(name, {})) for name in {**base, **change}}
        return {name: value for name, value in places.items() if value is not NOTHING}
    if not isinstance(base, list) or not {*change} <= {EACH, *map(str, range(len(base)))}:
        raise ValueError(f"no {', '.join(change)} in what it differs from")
    return [applied(each, change.get(str(place), change.get(EACH, {}))) for place, each in enumerate(base)]
