"""Plain values as both front ends hand them down: JSON types, plus one sentinel for what is not known yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, final


@final
class Unknown:
    """The type of `UNKNOWN`; there is one instance, and copies of it are itself."""

    _instance: Unknown | None = None

    def __new__(cls) -> Unknown:
        """Return the one instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __copy__(self) -> Unknown:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Unknown:
        return self


Path = tuple[str | int, ...]
"""Where a value is: names of properties, and places in lists."""

WireValues: TypeAlias = Mapping[str, Any]
"""Values by wire name, as JSON has them; only read. In a preview `UNKNOWN` may be among them."""

WireDict: TypeAlias = dict[str, Any]
"""The same, for whoever makes them."""

UNKNOWN: Final = Unknown()
"""Stands for a value that a preview cannot know. It is never validated, never compared and never sent."""


class UnknownValueError(Exception):
    """A value was touched that a preview cannot know; its argument is the path."""


def contains_unknown(value: object) -> bool:
    """Return whether `value` is `UNKNOWN` or holds it at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item is UNKNOWN:
            return True
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple)):
            waiting += item
    return False


def show_path(path: Iterable[str | int]) -> str:
    """Write a path as Pulumi does: `ipAccessList[2].source`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text.encode("utf-8", "backslashreplace").decode()


def mapped(leaf: Callable[[object], object], value: object) -> Any:
    """Return `value` with `leaf` of everything in it, at any depth, that is neither an object nor a list."""
    if isinstance(value, dict):
        return {key: mapped(leaf, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(leaf, item) for item in value]
    return leaf(value)


def whole_number(value: Any) -> Any:
    """Return a float that is a whole number as an int, and anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def whole_numbers(value: object) -> Any:
    """Return `value` with every float that is a whole number as an int, at any depth.

    Pulumi carries all numbers as floats; the servers are sent `3`, never `3.0`.
    """
    return mapped(whole_number, value)


def from_text(value: object) -> object:
    """Stack configuration and the environment carry only text; take the JSON reading of it for numbers and flags."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
