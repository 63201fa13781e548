"""Keep secrets out of messages, logs and tracebacks.

This is the second safeguard: no message is built from a header or from a request's body. But a server may quote what it
was sent, and so may the exception of a library. A front end opens a scope for each call and hides the secrets of the
call in it; all messages that it shows or stores pass through `redact`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .spellings import keys_of, secrets_in, texts_of


class Redactor:
    """Replaces secrets in texts.

    Names of properties and settings stay, also where a secret is a part of one: they are public, and a message without
    them is useless. So do the `names` of a project, its stack and its resources, and all URNs.
    """

    def __init__(self, secrets: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self._keys = {secret: keys_of(secret) for secret in secrets}
        self._names = frozenset(names)

    def __call__(self, text: str, own_words: bool = False) -> str:
        """Return `text` with `[secret]` for each secret in it; see `masking.masked`."""
        found = secrets_in(text, self._keys)
        if not found:
            return text
        # A plugin starts without pydantic, which declares the settings.
        from .masking import masked

        return masked(text, found, own_words, self._names)

    def also(self, secrets: Iterable[str]) -> Redactor:
        """Return a redactor for these secrets and more."""
        both = Redactor((each for each in secrets if each not in self._keys), self._names)
        both._keys |= self._keys
        return both


_lock = threading.Lock()
_configured = Redactor()
_hidden: ContextVar[set[str] | None] = ContextVar("hidden", default=None)


def remember(secrets: Iterable[str]) -> None:
    """Let `redact` replace these secrets until the process ends."""
    global _configured  # noqa: PLW0603 (errors leave the front ends without the configuration under which they happened)
    with _lock:
        _configured = _configured.also(secrets)


@contextmanager
def secret_scope() -> Iterator[None]:
    """Begin without hidden values, and forget those of the block when it ends."""
    token = _hidden.set(set())
    try:
        yield
    finally:
        _hidden.reset(token)


def hide(value: object) -> None:
    """Let `redact` replace a value, or all values in an object or a list, until the scope ends."""
    texts = _hidden.get()
    if texts is not None:
        texts.update(texts_of(value))


def hidden() -> frozenset[str]:
    """Return the texts that are hidden in this scope."""
    return frozenset(_hidden.get() or ())


def redact(text: str, own_words: bool = False) -> str:
    """Return `text` with `[secret]` for each secret of the scope, and of the configurations of this process.

    With `own_words`, all words outside quotes are this package's own; see `masking.masked`.
    """
    return _with_hidden(_configured, hidden())(text, own_words)


@functools.lru_cache(maxsize=2)
def _with_hidden(configured: Redactor, texts: frozenset[str]) -> Redactor:
    """Return a redactor for a scope, made once for its messages: a check of many properties has many failures."""
    return configured.also(texts)
