"""When two values mean the same: the order of sets, the writing of times and addresses, ints and floats."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timezone
from typing import Any

from pulumi_clouddb.models.base import parse_network, parse_timestamp

Meaning = Callable[[Any], Any]
"""Turns a value into one that is equal for all spellings of the same."""


def as_is(value: Any) -> Any:
    """A value means itself; absent entries of objects and null ones are the same."""
    if isinstance(value, dict):
        return {key: as_is(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [as_is(item) for item in value]
    return value


def a_set(value: Any) -> Any:
    """Order and repetition mean nothing."""
    return frozenset(map(_hashable, value)) if isinstance(value, list) else value


def access_list(value: Any) -> Any:
    """Order means nothing, `10.0.0.1` is `10.0.0.1/32`, and no description is an empty one."""
    if not isinstance(value, list):
        return value
    return frozenset(map(_access, value))


def moment(value: Any) -> Any:
    """The same moment, however written; empty is none."""
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        time = parse_timestamp(value)
    except ValueError:
        return value
    return time.replace(tzinfo=time.tzinfo or timezone.utc).astimezone(timezone.utc)


def _access(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return _hashable(entry)
    return _network(entry.get("source")), _hashable(entry.get("description") or "")


def _network(source: Any) -> Any:
    if not isinstance(source, str):
        return _hashable(source)
    try:
        return parse_network(source)
    except ValueError:
        return source


def _hashable(value: Any) -> Any:
    """Return a value that can be in a set: a server may answer an object where a text is due."""
    return json.dumps(as_is(value), sort_keys=True) if isinstance(value, (dict, list)) else value
