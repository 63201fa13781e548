"""What this package has of an operation of a description: the thing whose folder it is in, and the operation here."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from os.path import commonpath

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

PACKAGE = "provider/"


@dataclass(frozen=True)
class Owner:
    """The thing that an operation belongs to.

    Attributes:
        name: The names of its resources, such as `Pipe, PipeScaling`.
        file: The file with its class, where fields are declared.
        api: The file with its operations.
    """

    name: str
    file: str
    api: str


def plain(operation: str) -> str:
    """Return an operation without the names of its placeholders, which each side chooses."""
    return re.sub(r"{\w+}", "{}", operation)


@cache
def used() -> dict[str, list[Operation]]:
    """Return the operations here by method and path in the vendor's words, without names of placeholders."""
    found: dict[str, list[Operation]] = defaultdict(list)
    for each in OPERATIONS.values():
        if each.only in (None, CLICKHOUSE):
            managed = each.server_kind is ServerKind.MANAGEMENT
            found[plain(f"{each.method} {DIALECTS[CLICKHOUSE].path(each.path) if managed else each.path}")].append(each)
    return dict(found)


@cache
def _owners() -> dict[str, Owner]:
    handlers = [each for each in RESOURCES.values() if each.type.only in (None, CLICKHOUSE)]
    return {
        operation.name: Owner(
            ", ".join(each.type.name for each in handlers if each.collection is handler.collection),
            _file(handler.type.thing),
            _file(handler.collection),
        )
        for handler in reversed(handlers)  # of several resources of a collection, the first has the object itself
        for operation in handler.collection.operations()
    }


def _file(of: type) -> str:
    return PACKAGE + of.__module__.replace(".", "/") + ".py"


def owner_of(operation: str) -> Owner:
    """Return the thing that has an operation, or if none has it, the one whose paths are most like it."""
    known = used()
    name = plain(operation)
    path = name.partition(" ")[2]
    nearest = max(known, key=lambda each: (each == name, len(commonpath([path, each.partition(" ")[2]])), -len(each)))
    return _owners()[known[nearest][0].name]


def owner_of_all(operations: Iterable[str]) -> Owner:
    """Return the thing that has the first of some operations that anything has."""
    names = sorted(operations, key=lambda each: (plain(each) not in used(), each))
    return owner_of(names[0])
