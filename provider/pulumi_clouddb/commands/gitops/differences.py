"""Which properties differ between two states of a resource, as paths with both values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pulumi_clouddb.dashboards.matching import element_names, matched
from pulumi_clouddb.engine.wire.messages import shown
from pulumi_clouddb.engine.wire.secret import has_secret

from .report import Kind

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Difference(NamedTuple):
    """One property that differs.

    Attributes:
        path: Where it is, in the words of a report: an element of a list is named where it has a name of its own.
        kind: What happens to it.
        old: The value before, as it may be shown.
        new: The value after.
        secret: Whether one of them is or holds a secret.
        places: Where the engine has it: its paths number elements, of the old list or of the new one.
    """

    path: str
    kind: Kind
    old: Any
    new: Any
    secret: bool
    places: tuple[str, ...]

    def touches(self, place: str) -> bool:
        """Return whether a path of the engine leads to this property, into it or to what it is a part of."""
        return self.lies_in(place) or any(_within(place, each) for each in self.places)

    def lies_in(self, place: str) -> bool:
        """Return whether a path of the engine leads to this property, or to what it is a part of."""
        return any(_within(each, place) for each in self.places)


def differences(before: Any, after: Any, path: str = "", places: tuple[str, str] = ("", "")) -> list[Difference]:
    """Return what differs between two decoded property values, the smallest parts that do, in order of their paths.

    An element of a list is named by its key, id or name where each has one of its own, so that one that goes or comes
    is no edit of those behind it. What begins with two underscores is Pulumi's and the provider's own and left out. Two
    secrets whose values are masked look the same here.

    Args:
        before: The old value.
        after: The new value.
        path: Where they are, in the words of a report.
        places: The same as the engine writes it, of the old and of the new value.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = sorted(key for key in before.keys() | after.keys() if not key.startswith("__"))
        found = []
        for key in keys:
            inner = (places[0] + _step(places[0], str(key)), places[1] + _step(places[1], str(key)))
            found += _entry(before.get(key), after.get(key), path + _step(path, str(key)), inner)
        return found
    if isinstance(before, list) and isinstance(after, list):
        return _of_lists(before, after, path, places)
    return [] if _same(before, after) else [_change(path, "update", before, after, places)]


def _of_lists(before: list[Any], after: list[Any], path: str, places: tuple[str, str]) -> list[Difference]:
    names = element_names(before, after)
    pairs = matched(before, after)
    found = []
    for old, new in pairs:
        of_old, of_new = (f"[{new if place is None else place}]" for place in (old, old if new is None else new))
        step = of_new
        if names is not None:
            step = f"[{json.dumps(names[0][old] if new is None else names[1][new], ensure_ascii=False)}]"  # type: ignore[index]
        values = (None if old is None else before[old], None if new is None else after[new])
        found += _entry(*values, path + step, (places[0] + of_old, places[1] + of_new))
    kept = [(old, new) for old, new in pairs if old is not None and new is not None]
    if names is not None and kept != sorted(kept):
        order = [names[0][old] for old, _ in sorted(kept)], [names[1][new] for _, new in kept]
        found.append(_change(path, "update", *order, places))
    return found


def _entry(old: Any, new: Any, path: str, places: tuple[str, str]) -> list[Difference]:
    if old is None or new is None:
        if old is None and new is None:
            return []
        return [_change(path, "add" if old is None else "delete", old, new, places)]
    return differences(old, new, path, places)


def _step(path: str, key: str) -> str:
    if PLAIN_KEY.fullmatch(key):
        return f".{key}" if path else key
    return f"[{json.dumps(key)}]"


def _same(left: Any, right: Any) -> bool:
    # True equals 1 in Python, and not in a property.
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _change(path: str, kind: Kind, old: Any, new: Any, places: tuple[str, str]) -> Difference:
    return Difference(path, kind, shown(old), shown(new), has_secret(old) or has_secret(new), places)


def _within(path: str, outer: str) -> bool:
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))
