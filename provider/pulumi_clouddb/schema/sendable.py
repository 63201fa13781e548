"""What can be sent as JSON, and be kept in state: no value may come so far and fail there."""

from __future__ import annotations

import math
import re
import sys
from typing import Any, Final

from .values import UNKNOWN, Path, show_path

MAX_DEPTH: Final = 20
"""Levels of objects and lists in a value of the user's own.

gRPC in Python reads 33 levels of objects in all (protobuf's limit of 100 nested messages), and state holds such a value
some levels down, within envelopes.
"""

PLAIN_TEXT: Final = "must be text without NUL characters and lone surrogates"
_NOT_PLAIN: Final = re.compile("[\0\ud800-\udfff]")
LARGEST: Final = int(sys.float_info.max)
"""Pulumi carries all numbers as floats."""


class UnsendableError(ValueError):
    """A value holds something that cannot be sent or stored.

    Args:
        rule: The rule that it breaks.
        path: Its place in the value.
    """

    def __init__(self, rule: str, path: Path) -> None:
        super().__init__(f"{rule} (at {show_path(path)})" if path else rule)
        self.rule = rule


def is_plain(text: str) -> bool:
    """Return whether a text can be sent and stored: neither NUL characters nor lone surrogates are in it."""
    return _NOT_PLAIN.search(text) is None


def plain_text(text: str) -> str:
    """Return a text.

    Raises:
        ValueError: It cannot be sent or stored.
    """
    if not is_plain(text):
        raise ValueError(PLAIN_TEXT)
    return text


def fault_of(value: object) -> tuple[Path, str] | None:
    """Return the first place of a value that cannot be sent or stored, and the rule that it breaks."""
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
    """Return what a server has answered as state can hold it; JSON as Python reads it may hold more than that."""
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _fault_of_leaf(value: object) -> str | None:
    if isinstance(value, str):
        return None if is_plain(value) else PLAIN_TEXT
    if isinstance(value, (int, float)):
        return None if abs(value) <= LARGEST else "must be a finite number"
    return None if value is None or value is UNKNOWN else "must be a value of JSON"
