"""The server of a worker, its objects, and their comparison before and after a case."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.seed import KINDS

Objects = dict[tuple[str, str], dict[str, Any]]
"""Every object of the server by kind and id."""

MOVING = frozenset({"usedAt", "updatedAt"})
"""Properties that change by themselves, or with any write."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{24}|(?<=clouddb-)[0-9a-f]{8}")
"""Ids, the nonce of a mark, and the part of a service's id in the name of its role."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\dZ+:-]*")
_OWN = frozenset(
    {"password", "keySecret", "accessKeyId", "keySuffix", "createdAt", "updatedAt", "usedAt"}
    | {"host", "hostname", "connectionString"}
)
"""Properties that differ between any two objects."""


class RunningSandbox:
    """A sandbox in its own process; use it as a context manager."""

    def __init__(self, dialect: str) -> None:
        # The vendor's next servers compare versions; servers of the interface know none.
        self.sandbox = Sandbox(own_process=True, vocabulary=dialect, versions=dialect == "clickhouse")

    def __enter__(self) -> RunningSandbox:
        """Start it."""
        self.sandbox.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.sandbox.__exit__(None, None, None)

    def objects(self) -> Objects:
        """Return all objects."""
        counts = self.sandbox.state()["counts"]
        return {
            (kind, id_): document
            for kind in KINDS
            if counts[kind]
            for id_, document in self.sandbox.objects(kind).items()
        }

    def clear(self) -> None:
        """Remove all objects, faults and log entries."""
        self.sandbox.reset()


def changed_objects(before: Objects, after: Objects) -> list[str]:
    """Return the changes and deletions of objects that must not change."""
    found = []
    for (kind, id_), document in before.items():
        now = after.get((kind, id_))
        if now is None:
            found.append(f"{kind} {id_} ({document.get('name')}) is gone")
        elif changed := sorted(
            name
            for name in {*document, *now} - MOVING
            if document.get(name) != now.get(name) and not (name == "roles" and _same_set(document[name], now[name]))
            # An endpoint is attached to the service that it is registered with.
            if name != "privateEndpointIds" or any(("private_endpoints", each) not in after for each in now[name])
        ):
            found.append(f"{kind} {id_} ({document.get('name')}) has other {', '.join(changed)}")
    return found


def _same_set(one: Any, other: Any) -> bool:
    return sorted(one or ()) == sorted(other or ())


def normalized(value: Any) -> Any:
    """Return a record or state without values that differ between two lives with the same result."""
    if isinstance(value, Mapping):
        kept = {str(name): normalized(item) for name, item in value.items() if name not in _OWN}
        return {name: item for name, item in kept.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [normalized(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return _unnamed(value) if isinstance(value, str) else value


def without(value: Any, names: Collection[str]) -> Any:
    """Return a record or state without some properties, at any depth."""
    if isinstance(value, Mapping):
        return {name: without(item, names) for name, item in value.items() if name not in names}
    return [without(item, names) for item in value] if isinstance(value, (list, tuple)) else value


def _unnamed(text: str) -> str:
    return _TIME.sub("<time>", _ID.sub("<id>", text)) if text else text


def differences(one: Any, other: Any, path: str = "") -> str:
    """Return the paths at which two values differ, with both values."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        found = [
            differences(one.get(name), other.get(name), f"{path}.{name}".strip("."))
            for name in sorted({*one, *other}, key=str)
            if one.get(name) != other.get(name)
        ]
        return "; ".join(found)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        return "; ".join(
            differences(first, second, f"{path}[{index}]")
            for index, (first, second) in enumerate(zip(one, other, strict=True))
            if first != second
        )
    return f"{path}: {one!r} → {other!r}"
