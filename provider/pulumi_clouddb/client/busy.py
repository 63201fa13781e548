"""Writes that a server refuses because it works on the object: whoever knows the object decides whether to send again.

Such a refusal changes nothing, so that even a POST is safe to repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import ApiError

Decide = Callable[[ApiError], bool]
"""Returns whether a write that was refused in this way is sent again."""

decide: ContextVar[Decide] = ContextVar("decide", default=lambda _: False)


@contextmanager
def repeating(decision: Decide) -> Iterator[None]:
    """Let `decision` be asked for each write of this block that is refused while the server may be busy."""
    token = decide.set(decision)
    try:
        yield
    finally:
        decide.reset(token)
