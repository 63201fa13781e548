"""Warnings, each of which names its resource and comes once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.check.claims import kind_and_name
from pulumi_clouddb.schema.resource_type import in_words

Show = Callable[[str, str], None]
"""Shows a warning to the person at the terminal; its second argument is the URN of a resource, or empty."""


class Warnings:
    """The warnings of one run.

    Args:
        show: Shows a warning.
        ignored: The places of `clouddb:ignoreWarnings`.
    """

    def __init__(self, show: Show, ignored: Iterable[str]) -> None:
        self._show = show
        self._ignored = frozenset(map(usual_place, ignored))
        self._shown: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def warn(self, urn: str, message: str, once: str, at: Collection[str]) -> None:
        """Show a warning on a resource, of equal ones the first; see `Session.warn`."""
        kind, _ = kind_and_name(urn)
        if at and (all(is_within(place, self._ignored) for place in at) or is_within(kind, self._ignored)):
            return
        fact = (urn, once or message)
        with self._lock:
            if fact in self._shown:
                return
            self._shown.add(fact)
        self._show(_with_name(urn, message), urn)


def _with_name(urn: str, message: str) -> str:
    """Return a message that begins with the type and the name of its resource, unless it says them."""
    kind, name = kind_and_name(urn)
    said = message.casefold()
    forms = (f"{kind} {name!r}", f"{in_words(to_snake(kind))} {name!r}")
    is_named = message.startswith(f"{kind}.") or any(each.casefold() in said for each in forms)
    return message if is_named or not kind else f"{forms[0]}: {message}"


def usual_place(place: str) -> str:
    """Return a place without the numbers of elements; names are as in Python, which the other spelling becomes."""
    return ".".join(map(to_snake, re.sub(r"\[[^\]]*\]", "", place).split(".")))


def is_within(place: str, outer: Collection[str]) -> bool:
    """Return whether a place is one of several, or within one; these are as `usual_place` returns them."""
    parts = usual_place(place).split(".")
    return any(".".join(parts[:length]) in outer for length in range(1, len(parts) + 1))
