"""Keeps secrets out of messages, logs and tracebacks, in each form in which they could be quoted.

Nothing here should ever find anything: no message is built from a header or from a body that was sent. A server may
quote what it was sent, though, and so may the exception of a library.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from .operation_secrets import hidden
from .spellings import all_spellings_of


class Redactor:
    """Replaces secrets in texts.

    Names of properties and settings stay, also where a secret is a part of one: they are public, and a message without
    them says nothing.

    Args:
        secrets: What must not be shown, as it is.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.secrets = frozenset(secrets)

    def __call__(self, text: str) -> str:
        """Return `text` with `[secret]` for each secret in it."""
        if not any(each in text for each in all_spellings_of(self.secrets)):
            return text
        # It loads the classes of the properties, whose names stay; a plugin starts without them.
        from .masking import masked

        return masked(text, self.secrets)

    def also(self, secrets: Iterable[str]) -> Redactor:
        """Return one that knows more secrets."""
        more = self.secrets.union(secrets)
        return self if more == self.secrets else Redactor(more)


_lock = threading.Lock()
_known = Redactor()


def remember(secrets: Iterable[str]) -> None:
    """Let `redact` know secrets that this process was configured with."""
    global _known  # noqa: PLW0603 (errors leave the front ends without the configuration under which they happened)
    with _lock:
        _known = _known.also(secrets)


def redact(text: str) -> str:
    """Return `text` with `[secret]` for each secret of the operation under way, or that this process was given."""
    return _known.also(hidden())(text)
