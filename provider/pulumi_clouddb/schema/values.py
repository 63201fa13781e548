"""Plain JSON values, the sentinel for unknown values, and the limits of values that can be sent and stored."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias, final


@final
class Unknown:
    """The type of `UNKNOWN`, a singleton also when it is copied."""

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __reduce__(self) -> str:
        return "UNKNOWN"  # the name of the one instance in this module, which copies and pickles refer to


Path = tuple[str | int, ...]
"""The place of a value: names of properties, and indexes in lists."""

WireValues: TypeAlias = Mapping[str, Any]
"""JSON values by wire name, read-only. In a preview they may contain `UNKNOWN`."""

WireDict: TypeAlias = dict[str, Any]
"""The same, mutable."""

UNKNOWN: Final = Unknown()
"""A value that a preview cannot know. It is never validated, compared or sent."""


class UnknownValueError(Exception):
    """An unknown value was read; the argument is its path."""


def contains_unknown(value: object) -> bool:
    """Return whether `value` is or contains `UNKNOWN`."""
    return any(leaf is UNKNOWN for leaf in leaves(value))


def leaves(value: object) -> Iterator[object]:
    """Yield each value in `value` that is neither an object nor a list."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
        else:
            yield item


def show_path(path: Iterable[str | int]) -> str:
    """Write a path as Pulumi does: `ipAccessList[2].source`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text.encode("utf-8", "backslashreplace").decode()


def mapped(leaf: Callable[[object], object], value: object) -> Any:
    """Return `value` with `leaf` applied to each value in it that is neither an object nor a list."""
    if isinstance(value, dict):
        return {key: mapped(leaf, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(leaf, item) for item in value]
    return leaf(value)


def objects(values: object) -> list[WireValues]:
    """Return the objects of a list; none if it is not a list."""
    return [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


def is_number(value: object) -> bool:
    """Return whether a value is a finite number; a flag is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def whole_number(value: Any) -> Any:
    """Return a float without a fraction as an int, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole_numbers(value: object) -> Any:
    """Return `value` with every float without a fraction as an int.

    Pulumi's numbers are floats; servers get `3`, not `3.0`.
    """
    return mapped(whole_number, value)


def text_of(value: object) -> Any:
    """Return a number as text, and an object with texts for the numbers in it; any other value unchanged."""
    if isinstance(value, Mapping):
        return {name: text_of(each) for name, each in value.items()}
    return str(whole_number(value)) if is_number(value) else value


def number_of(value: object) -> Any:
    """Return the number in a text that is one in JSON, and any other value unchanged."""
    return json.loads(value) if isinstance(value, str) and _JSON_NUMBER.fullmatch(value) else value


def from_text(value: object) -> object:
    """Parse a text as JSON, if it is JSON: numbers and flags in configuration and environment are texts."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


MAX_DEPTH: Final = 20
"""Levels of objects and lists in a value of the user's own.

gRPC in Python reads 33 levels of objects in all (protobuf's limit of 100 nested messages), and state holds such a value
some levels down, within envelopes.
"""

PLAIN_TEXT: Final = "must be text without NUL characters and lone surrogates"
_JSON_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,300})(\.[0-9]{1,300})?")
_NOT_PLAIN: Final = re.compile("[\0\ud800-\udfff]")
LARGEST: Final = int(sys.float_info.max)
"""Pulumi carries all numbers as floats."""


class UnsendableError(ValueError):
    """A value cannot be sent or stored: the value at `path` breaks `rule`."""

    def __init__(self, rule: str, path: Path) -> None:
        super().__init__(f"{rule} (at {show_path(path)})" if path else rule)
        self.rule = rule


def is_plain(text: str) -> bool:
    """Return whether a text can be sent and stored: it has no NUL characters and no lone surrogates."""
    return _NOT_PLAIN.search(text) is None


def plain_text(text: str) -> str:
    """Return a text unchanged.

    Raises:
        ValueError: It cannot be sent or stored.
    """
    if not is_plain(text):
        raise ValueError(PLAIN_TEXT)
    return text


def fault_of(value: object) -> tuple[Path, str] | None:
    """Return the path of a value that cannot be sent or stored, and the rule that it breaks; None if there is none."""
    waiting: list[tuple[object, Path]] = [(value, ())]
    while waiting:
        item, path = waiting.pop()
        if len(path) > MAX_DEPTH:
            return path[:1], f"must be nested at most {MAX_DEPTH} levels deep"
        if isinstance(item, dict):
            if not all(isinstance(key, str) and is_plain(key) for key in item):
                return path, f"{PLAIN_TEXT} in every name"
            waiting += [(inner, (*path, key)) for key, inner in item.items()]
        elif isinstance(item, list):
            waiting += [(inner, (*path, index)) for index, inner in enumerate(item)]
        elif fault := _fault_of_leaf(item):
            return path, fault
    return None


def storable(value: object) -> Any:
    """Return a response without values that state cannot store: lone surrogates, infinity, NaN and larger numbers."""
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return None if isinstance(value, (int, float)) and _fault_of_leaf(value) else value


def _fault_of_leaf(value: object) -> str | None:
    if isinstance(value, str):
        return None if is_plain(value) else PLAIN_TEXT
    if isinstance(value, (int, float)):
        return None if abs(value) <= LARGEST else "must be a finite number"
    return None if value is None or value is UNKNOWN else "must be a value of JSON"


def digest_of(value: object) -> str:
    """Return a digest of a JSON value, or of one that is normalized to compare it."""
    if isinstance(value, Mapping):
        return digest("map", *sorted(f"{digest_of(name)}{digest_of(each)}" for name, each in value.items()))
    if isinstance(value, (set, frozenset)):
        return digest("set", *sorted(map(digest_of, value)))
    if isinstance(value, (list, tuple)):
        return digest("list", *map(digest_of, value))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return digest(repr(float(value)) if number else repr(value))  # type: ignore[arg-type]


def digest(*texts: str) -> str:
    """Return a digest of texts, 24 letters and digits."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]
