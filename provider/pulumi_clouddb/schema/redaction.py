"""Keeps secrets out of messages, logs and tracebacks, in each form in which they could be quoted.

Nothing here should ever find anything: no message is built from a header or from a body that was sent. A server may
quote what it was sent, though, and so may the exception of a library.
"""

from __future__ import annotations

import base64
import functools
import re
import threading
from collections.abc import Iterable, Iterator

from .base import Model, marks_of, names_marked, wire_name, wire_names
from .config import ProviderConfig, environment_name
from .operation_secrets import MASK, hidden, texts_of
from .public_names import models, public_names
from .spellings import is_mistakable, spellings_of
from .values import WireValues


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
        if not any(each in text for each in _spellings(self.secrets)):
            return text
        there = [each for each in _spellings(self.secrets - public_names()) if each in text]
        longest_first = sorted(there, key=lambda each: (-len(each), each))
        return re.sub("|".join(map(_found_as, longest_first)), _masked, text) if there else text

    def also(self, secrets: Iterable[str]) -> Redactor:
        """Return one that knows more secrets."""
        more = self.secrets.union(secrets)
        return self if more == self.secrets else Redactor(more)


@functools.lru_cache(maxsize=16)
def _spellings(secrets: frozenset[str]) -> frozenset[str]:
    return frozenset(each for secret in secrets for each in spellings_of(secret))


def _found_as(spelling: str) -> str:
    found = re.escape(spelling)
    return rf"(?<!\w){found}(?!\w)" if is_mistakable(spelling) else found


def _masked(found: re.Match[str]) -> str:
    word = _word_around(found)
    return found[0] if word in _environment_names() or word in public_names() else MASK


@functools.cache
def _environment_names() -> frozenset[str]:
    return frozenset(map(environment_name, wire_names(ProviderConfig)))


def _word_around(found: re.Match[str]) -> str:
    text, start, end = found.string, found.start(), found.end()
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    return text[start:end]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def secrets_of_settings(values: WireValues) -> frozenset[str]:
    """Return the secrets in a configuration by wire name, and the credentials of HTTP Basic as they are sent."""
    secrets = {str(values[name]) for name in names_marked(ProviderConfig, "secret") if values.get(name)}
    if values.get("keyId") and values.get("keySecret"):
        basic = f"{values['keyId']}:{values['keySecret']}".encode("utf-8", "surrogatepass")
        secrets.add(base64.b64encode(basic).decode())
    return frozenset(secrets)


def secrets_of_body(body: object) -> Iterator[str]:
    """Return the texts in the body of a request that the models call secret, and those that secrets are hashed to."""
    return _secrets_within(body, _secret_names(frozenset(models())))


def _secrets_within(body: object, names: frozenset[str]) -> Iterator[str]:
    if isinstance(body, dict):
        for name, value in body.items():
            yield from texts_of(value) if name in names else _secrets_within(value, names)
    elif isinstance(body, list):
        for value in body:
            yield from _secrets_within(value, names)


_HASHES = frozenset({"hashData", "newPasswordHash", "newDoubleSha1Hash"})
"""What the vendor's API takes in place of a secret."""


@functools.lru_cache(maxsize=1)
def _secret_names(loaded: frozenset[type[Model]]) -> frozenset[str]:
    return _HASHES.union(
        wire_name(model, attribute)
        for model in loaded
        for attribute in model.model_fields
        if marks_of(model, attribute).get("secret")
    )


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
