"""Objects that are made by hand: one at a time over the control routes, or many from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pulumi_clouddb.schema.base import Record, wire_name
from pulumi_clouddb.schema.check import Failure, failures_of
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.thing import answer_of
from pulumi_clouddb.schema.values import whole_numbers

from . import services
from .handlers import BY_KIND
from .responses import InvalidBodyError, bad_request
from .state import SandboxState
from .store import Document

KINDS = (*BY_KIND, services.BACKUPS)
"""What can be seen and changed."""

NAME = "as"
"""The field of an object in a file by whose value other objects refer to it; it is no property."""

_TEXTS = ("id", "serviceId", "keyId", "keySecret")
"""What an object that is made by hand may have beside the fields of its record."""

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_-]+)((?:\.[A-Za-z0-9_-]+)*)\}")


def check_kind(kind: str) -> None:
    """Refuse what is no kind of objects.

    Raises:
        HTTPError: It is none; the nearest is named.
    """
    if kind not in KINDS:
        raise bad_request(f"kind must be one of {', '.join(KINDS)}, not {kind!r}{did_you_mean(kind, KINDS)}")


def check_types(kind: str, fields: Document) -> None:
    """Refuse values of other types than records have, with which no later request for the object could be answered.

    Raises:
        HTTPError: There are some; all are named.
    """
    model = answer_of(BY_KIND[kind].collection.model) if kind in BY_KIND else Record
    failures = failures_of(model, fields)
    failures += [Failure(name, "must be text") for name in _TEXTS if not isinstance(fields.get(name, ""), str)]
    lists = [wire_name(model, name) for name, info in model.model_fields.items() if _is_list(info.annotation)]
    failures += [Failure(name, "must be a list") for name in lists if fields.get(name, ()) is None]
    if failures:
        raise InvalidBodyError(failures)


def _is_list(annotation: object) -> bool:
    return any(get_origin(part) is list for part in get_args(annotation))


def make_by_hand(state: SandboxState, kind: str, fields: Document) -> Document:
    """Make an object as the API does for these fields, without asking any rule; `serviceId` says where it belongs."""
    if kind == services.BACKUPS:
        check_types(kind, fields)
        return services.add_backup(state, fields["serviceId"])
    served = BY_KIND[kind]
    fields = whole_numbers(state.dialect.from_server(served.record, fields))
    check_types(kind, fields)
    return served.add_by_hand(state, fields)


def plant(state: SandboxState, objects: Mapping[str, Any]) -> dict[str, int]:
    """Make objects by kind, in their order, and return how many of each kind were made; all of them or none.

    An object with a name (`as: orders`) can be referred to by the ones after it: `${orders}` is its id, and
    `${board.tiles.0.id}` a value within it.

    Raises:
        HTTPError: The objects are not written so.
    """
    made: dict[str, Document] = {}
    counts: dict[str, int] = {}
    for kind, entries in objects.items():
        check_kind(kind)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise bad_request(f"{kind} must be a list of objects")
        for number, entry in enumerate(entries):
            fields = {key: value for key, value in entry.items() if key != NAME}
            document = make_by_hand(state, kind, _filled(fields, made, f"{kind}[{number}]"))
            made[str(entry.get(NAME, ""))] = document
        counts[kind] = len(entries)
    return counts


def _filled(value: Any, made: Mapping[str, Document], where: str) -> Any:
    """Return a value with its references replaced."""
    if isinstance(value, dict):
        return {key: _filled(item, made, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, made, f"{where}[{index}]") for index, item in enumerate(value)]
    found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else _referred(made, found[1], found[2].split(".")[1:], where)


def _referred(made: Mapping[str, Document], name: str, path: list[str], where: str) -> Any:
    if name not in made:
        known = ", ".join(each for each in made if each) or "none"
        raise bad_request(f"{where} refers to {name!r}, which no object before it is named (as); named are {known}")
    found: Any = made[name]
    # A key is made with its credentials around it.
    found = found["key"] if isinstance(found.get("key"), dict) else found
    try:
        for step in path or ["id"]:
            found = found[int(step)] if isinstance(found, list) else found[step]
    except (KeyError, IndexError, ValueError, TypeError):
        raise bad_request(f"{where} refers to {'.'.join([name, *path])}, which {name} does not have") from None
    return found
