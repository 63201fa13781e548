"""Secrets of the operation under way, which no message of it may show.

A front end opens a scope for each call and names the values that are secret in it; whatever it shows or stores as a
message passes through `redaction.redact`. So a message may quote a name or a server's words without knowing which of
them are secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from .values import whole_number

MASK: Final = "[secret]"
"""What is shown in place of a secret."""

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
    texts = _hidden.get()
    if texts is not None:
        texts.update(texts_of(value))


def hidden() -> frozenset[str]:
    """Return the texts that are hidden in this scope."""
    return frozenset(_hidden.get() or ())


def texts_of(value: object) -> Iterator[str]:
    """Yield the texts that a value consists of: texts and numbers in it, and the names in its objects."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from texts_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(whole_number(value))
