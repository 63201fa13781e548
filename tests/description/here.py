"""What this package has of a description: the thing of an operation, and which properties it sends and reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from os.path import commonpath

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.client.responses import Envelope, StackEnvelope
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from support.trees import OPEN, Tree, tree_of_model

from .declared import NOT_READ, NOT_SENT, PAGES_NOT_READ, PAGINATION, READ, SENT
from .facts import plain
from .limits import MEMBER, at, declared_limits, in_form, modules_of
from .places import Place
from .sentences import ENTRY

PACKAGE = "provider/"
THINGS = PACKAGE + "pulumi_clouddb/things/"


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


NEW_THING = Owner("a new resource", f"{THINGS}NAMES/NAME.py", f"{THINGS}NAMES/api.py")
"""What has operations under paths that nothing here has, in the placeholders of CONTRIBUTING.md."""


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
    return _path(of.__module__)


def _path(module: str) -> str:
    return PACKAGE + module.replace(".", "/") + ".py"


def owner_of(operation: str) -> Owner:
    """Return the thing that has an operation, or if none has it, the one whose paths are most like it."""
    known = used()
    name = plain(operation)
    path = name.partition(" ")[2]
    nearest = max(known, key=lambda each: (each == name, len(commonpath([path, each.partition(" ")[2]])), -len(each)))
    shared = commonpath([path, nearest.partition(" ")[2]])
    if name not in known and shared not in {each.partition(" ")[2] for each in known}:
        return NEW_THING  # only the root of an API is the same
    return _owners()[known[nearest][0].name]


def owner_of_all(operations: Iterable[str]) -> Owner:
    """Return the thing that has the first of some operations that anything has."""
    names = sorted(operations, key=lambda each: (plain(each) not in used(), each))
    return owner_of(names[0])


class Coverage(Enum):
    """Whether programs can set a property of a request, or a property of a response is read."""

    SENT = "programs can set it"
    NOT_SENT = "programs cannot set it yet"
    UNLISTED = "programs can set it, with a warning"
    REFUSED = "check rejects it, because the list is closed"
    READ = "it is read"
    NOT_READ = "it is not read yet"


MISSING = frozenset({Coverage.NOT_SENT, Coverage.UNLISTED, Coverage.REFUSED, Coverage.NOT_READ})


def coverage_of(place: Place, value: str | None = None) -> set[Coverage | str]:
    """Return whether the operations here send or read a property, or a value of an enum; if not, the reason if known.

    Args:
        place: A place in a request or a response.
        value: The value; None for the property itself.
    """
    coverage = _of_request if place.part == "request" else _of_response
    return {coverage(each, names_of(place), value) for each in used().get(plain(place.operation), ())}


def file_of_values(place: Place) -> str | None:
    """Return the file with the enum of a place in a request; None if it has none."""
    lists = [_within(_sent(each), names_of(place)) for each in used().get(plain(place.operation), ())]
    values = {str(each) for found in lists if isinstance(found, frozenset) for each in found}
    enums = [each for each in _enums(Enum) if values and values <= {str(member.value) for member in each}]
    return _file(min(enums, key=len)) if enums else None


def file_of_fields(places: Iterable[Place], owner: Owner) -> str:
    """Return the file with the class of the objects that some places are in, as far as requests have them."""
    modules = {
        module
        for place in places
        if place.part == "request"
        for operation in used().get(plain(place.operation), ())
        for module in modules_of(declared_limits(operation), (*names_of(place), *([""] if place.is_variant else [])))
    }
    files = sorted(_path(each) for each in modules)
    return owner.file if owner.file in files or not files else " or ".join(files)


def _enums(base: type[Enum]) -> Iterator[type[Enum]]:
    """Yield the enums of the package."""
    for each in base.__subclasses__():
        if len(each) and each.__module__.startswith("pulumi_clouddb."):
            yield each
        yield from _enums(each)


def _within(tree: Tree, names: Names) -> Tree:
    for name in names:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def names_of(place: Place) -> Names:
    """Return the names of the properties on the way to a place."""
    return tuple(step[1:] for step in place.steps if step.startswith(".") and step != ENTRY)


def _of_request(operation: Operation, names: Names, value: str | None) -> Coverage | str:
    form = operation.name.removeprefix("self_hosted_")
    tree = _sent(operation)
    if _has(tree, names, value):
        return Coverage.SENT
    return _reason(NOT_SENT.get(form, {}), names, value) or _unlisted(operation, tree, names, value)


def _unlisted(operation: Operation, tree: Tree, names: Names, value: str | None) -> Coverage:
    """Return what a program can do with a property or a value that is not declared: check only warns of open lists."""
    if value is None or not _has(tree, names, None):
        return Coverage.NOT_SENT
    return Coverage.REFUSED if MEMBER in at(declared_limits(operation), names) else Coverage.UNLISTED


def _of_response(operation: Operation, names: Names, value: str | None) -> Coverage | str:
    if operation.bare:
        return Coverage.READ if _has(READ[operation.record], names, value) else Coverage.NOT_READ
    tree: Tree = _ENVELOPES[operation.server_kind]
    reasons: Mapping[str, str] = PAGES_NOT_READ
    if operation.bare or names[:1] in RESULTS:
        names = names if operation.bare else names[1:]
        if operation.lists and names[:1] == ITEMS:
            names = names[1:]
        in_page = operation.lists and names[:1] == tuple(PAGINATION)
        tree = PAGINATION if in_page else _read(operation)
    if _has(tree, names, value):
        return Coverage.READ
    return _reason({**reasons, **NOT_READ.get(operation.record, {})}, names, value) or Coverage.NOT_READ


Names = tuple[str, ...]
"""A path of properties, without the elements of lists."""

RESULTS: tuple[Names, ...] = (("result",), ("data",))
"""The properties of the envelopes that contain the record."""
ITEMS: Names = ("items",)
"""The property of a result that contains the records of a page, if the result is not a list."""


def limits_at(place: Place, keyword: str) -> set[float]:
    """Return the limits that are declared here at a place in a request; empty without one."""
    return {
        limit
        for operation in used().get(plain(place.operation), ())
        for limit in in_form(declared_limits(operation), names_of(place)).get(keyword, ())
    }


_ENVELOPES = {
    ServerKind.MANAGEMENT: tree_of_model(Envelope),
    ServerKind.SELF_HOSTED: tree_of_model(StackEnvelope),
}


@cache
def _sent(operation: Operation) -> Tree:
    return _to_server(operation, SENT.get(operation.name.removeprefix("self_hosted_")))


@cache
def _read(operation: Operation) -> Tree:
    return _to_server(operation, READ.get(operation.record))


def _to_server(operation: Operation, tree: Tree) -> Tree:
    return DIALECTS[CLICKHOUSE].to_server(operation.record, tree)


def _has(tree: Tree, names: Names, value: str | None) -> bool:
    """Return whether a tree has a property, and a value if it is an enum: a free text has every value."""
    for name in names:
        if tree == OPEN:
            return True
        if not isinstance(tree, dict) or name not in tree:
            return False
        tree = tree[name]
    return value is None or not isinstance(tree, frozenset) or value in map(str, tree)


def _reason(reasons: Mapping[str, str], names: Names, value: str | None) -> str | None:
    """Return the reason for a value, a property, or one that it is in."""
    paths = [".".join(names[:length]) for length in range(1, len(names) + 1)]
    return next((reasons[each] for each in (f"{'.'.join(names)}={value}", *paths) if each in reasons), None)
