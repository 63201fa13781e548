"""Normalize values for comparison."""

from __future__ import annotations

import json
from typing import Any

from .assumptions import ALL, MEASURED, Assumption
from .base import identity, parse_network
from .javascript import trim


class AtLeast(list[Any]):
    """Items that a server shows, perhaps among others that it has added."""


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


def in_lower_case(value: object) -> object:
    """Return a mail address or a UUID in lower case, as servers store it."""
    return value.lower() if isinstance(value, str) else value


NAMES_ARE_TRIMMED = Assumption(
    "Names of webhooks and of saved searches are stored without white space around them.", MEASURED, ALL
)


def trimmed(value: object) -> object:
    """Return a name without white space around it."""
    return trim(value) if isinstance(value, str) else value
