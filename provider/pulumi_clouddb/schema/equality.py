"""Normalize values for comparison."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, get_origin

from pydantic import BaseModel

from .annotations import parts_of
from .base import identity, parse_network
from .convert import fields_of
from .javascript import trim


class AtLeast(list[Any]):
    """Items that a server shows, perhaps among others that it has added."""


def as_set(value: object) -> object:
    """Return a list as a set: order and repetition do not matter."""
    return frozenset(map(_hashable, value)) if isinstance(value, list) else value


_ID = re.compile(r"[0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""The ids that servers assign, and return in lower case: numbers of 24 hexadecimal digits, and UUIDs."""


OF_IDS = ("Id", "Ids")
"""How the names of properties with ids end."""


def usual_id(object_id: str) -> str:
    """Return an id, which may have several parts, as servers return it."""
    return "/".join(part.lower() if _ID.fullmatch(part) else part for part in object_id.split("/"))


def with_usual_ids(name: str, value: object) -> Any:
    """Return a property whose ids, at any depth, are as servers return them."""
    if isinstance(value, str):
        return usual_id(value) if name.endswith(OF_IDS) else value
    if isinstance(value, dict):
        return {key: with_usual_ids(key, each) for key, each in value.items()}
    return [with_usual_ids(name, each) for each in value] if isinstance(value, list) else value


@functools.lru_cache(maxsize=256)
def ids_of(model: type[BaseModel]) -> frozenset[str]:
    """Return the wire names of the fields that have ids at any depth, or may have: an object with any entries."""
    return frozenset(
        wire
        for wire, attribute, nested in fields_of(model)
        if wire.endswith(OF_IDS)
        or any(get_origin(each) is dict for each in parts_of(model.model_fields[attribute].annotation))
        or (nested is not None and nested is not model and ids_of(nested))
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
    """Return a mail address, a region or a UUID in lower case, as servers store it."""
    return value.lower() if isinstance(value, str) else value


def trimmed(value: object) -> object:
    """Return a name without white space around it."""
    return trim(value) if isinstance(value, str) else value
