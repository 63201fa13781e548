"""Objects that users add without validation, one by one over the control routes or many from a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_clouddb.schema.annotations import shape_of
from pulumi_clouddb.schema.base import Record, wire_name
from pulumi_clouddb.schema.check.findings import Failure, failures_of
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.thing import answer_of
from pulumi_clouddb.schema.values import whole_numbers

from . import services
from .handlers import BY_KIND
from .responses import InvalidBodyError, bad_request
from .state import SandboxState
from .store import Document

KINDS = (*BY_KIND, services.BACKUPS)
"""The kinds of objects that the control routes read and change."""

NAME = "as"
"""The field that names an object in a file, for references; it is not a property."""

_TEXTS = ("id", "serviceId", "keyId", "keySecret")
"""Additional fields of an object that is added by hand."""

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_-]+)((?:\.[A-Za-z0-9_-]+)*)\}")


def check_kind(kind: str) -> None:
    """Check the name of a kind of objects.

    Raises:
        HTTPError: It is unknown; the error names the most similar kind.
    """
    if kind not in KINDS:
        raise bad_request(f"kind must be one of {', '.join(KINDS)}, not {kind!r}{did_you_mean(kind, KINDS)}")


def check_types(kind: str, fields: Document) -> None:
    """Check the types of fields, so that later requests for the object do not fail.

    Raises:
        HTTPError: A field has the wrong type; the error lists all of them.
    """
    model = answer_of(BY_KIND[kind].collection.model) if kind in BY_KIND else Record
    failures = failures_of(model, fields)
    failures += [Failure(name, "must be text") for name in _TEXTS if not isinstance(fields.get(name, ""), str)]
    fields_of_model = model.model_fields.items()
    lists = [wire_name(model, name) for name, info in fields_of_model if shape_of(info.annotation).kind is list]
    failures += [Failure(name, "must be a list") for name in lists if fields.get(name, ()) is None]
    failures = failures or [*_of_other_types(fields, to_wire(model.model_validate(fields)))]
    if failures:
        raise InvalidBodyError(failures)


def _of_other_types(given: object, read: object, path: str = "") -> Iterator[Failure]:
    """Yield the numbers in place of texts, and the reverse: clients accept both, requests and the sandbox do not."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        for name in (each for each in given if each in read):
            yield from _of_other_types(given[name], read[name], f"{path}.{name}" if path else str(name))
    elif isinstance(given, list) and isinstance(read, list):
        for index, (one, other) in enumerate(zip(given, read, strict=False)):
            yield from _of_other_types(one, other, f"{path}[{index}]")
    elif isinstance(given, (int, float)) and isinstance(read, str):
        yield Failure(path, f"must be text, not {given}")
    elif isinstance(given, str) and isinstance(read, (int, float)):
        yield Failure(path, f"must be a number, not {given!r}")


def add_object(state: SandboxState, kind: str, fields: Document) -> Document:
    """Add an object without validation; `serviceId` is the service it belongs to."""
    if kind == services.BACKUPS:
        check_types(kind, fields)
        return services.add_backup(state, fields["serviceId"])
    served = BY_KIND[kind]
    fields = whole_numbers(state.dialect.from_server(served.record, fields))
    check_types(kind, fields)
    return served.add_by_hand(state, fields)


def add_objects(state: SandboxState, objects: Mapping[str, Any]) -> dict[str, int]:
    """Add lists of objects by kind, in order, and return the number of objects of each kind.

    Later objects can refer to one that has a name (`as: orders`): `${orders}` is its id, and `${board.tiles.0.id}` a
    value within it.

    Raises:
        HTTPError: The objects are malformed.
    """
    named: dict[str, Document] = {}
    counts: dict[str, int] = {}
    for kind, entries in objects.items():
        check_kind(kind)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise bad_request(f"{kind} must be a list of objects")
        for number, entry in enumerate(entries):
            fields = {key: value for key, value in entry.items() if key != NAME}
            document = add_object(state, kind, _resolved(fields, named, f"{kind}[{number}]"))
            named[str(entry.get(NAME, ""))] = document
        counts[kind] = len(entries)
    return counts


def _resolved(value: Any, named: Mapping[str, Document], where: str) -> Any:
    """Return a value with its references replaced."""
    if isinstance(value, dict):
        return {key: _resolved(item, named, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item, named, f"{where}[{index}]") for index, item in enumerate(value)]
    reference = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    return value if reference is None else _referenced(named, reference[1], reference[2].split(".")[1:], where)


def _referenced(named: Mapping[str, Document], name: str, path: list[str], where: str) -> Any:
    if name not in named:
        known = ", ".join(each for each in named if each) or "none"
        raise bad_request(f"{where} refers to {name!r}, but no earlier object has this name (as); named are {known}")
    value: Any = named[name]
    # The record of a key is nested beside its credentials.
    value = value["key"] if isinstance(value.get("key"), dict) else value
    try:
        for step in path or ["id"]:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except (KeyError, IndexError, ValueError, TypeError):
        raise bad_request(f"{where} refers to {'.'.join([name, *path])}, which {name} does not have") from None
    return value
