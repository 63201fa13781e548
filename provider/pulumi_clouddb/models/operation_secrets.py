"""Secrets of the operation under way, which no message of it may show.

A front end opens a scope for each call and names the values that are secret in it; whatever it shows or stores as a
message passes through `redaction.redact`. So a message may quote a name or a server's words without knowing which of
them are secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from .values import whole_numbers

MASK: Final = "[secret]"
"""What is shown in place of a secret."""
SHORTEST: Final = 3
"""Characters from which a value is hidden: a shorter one would be found by chance in every message."""
UNMISTAKABLE: Final = 8
"""Characters from which a value is hidden within words, too."""

_hidden: ContextVar[set[str] | None] = ContextVar("hidden", default=None)


@contextmanager
def scope() -> Iterator[None]:
    """Begin with no hidden values, and forget those of the block when it ends."""
    token = _hidden.set(set())
    try:
        yield
    finally:
        _hidden.reset(token)


def hide(value: object) -> None:
    """Hide a value, or all values that an object or a list holds, for the rest of the scope."""
    hidden = _hidden.get()
    if hidden is not None:
        hidden.update(_texts(value))


def without_hidden(text: str) -> str:
    """Return a message with a placeholder for each hidden value, as it is or as it is quoted."""
    for each in sorted(_hidden.get() or (), key=len, reverse=True):
        found = re.escape(each)
        text = re.sub(found if len(each) >= UNMISTAKABLE else rf"(?<!\w){found}(?!\w)", MASK, text)
    return text


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        text = str(whole_numbers(value))
        spellings = {text, repr(text)[1:-1], json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        yield from (each for each in spellings if len(each) >= SHORTEST)
