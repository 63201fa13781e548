"""Keeps secrets out of messages, logs and tracebacks, in each form in which they could be quoted.

Nothing here should ever find anything: no message is built from a header or from a body that was sent. A server may
quote what it was sent, though, and so may the exception of a library.
"""

from __future__ import annotations

import base64
import functools
import html
import json
import re
import threading
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

from .base import Model, marks_of, names_marked, wire_name
from .config import ProviderConfig
from .operation_secrets import MASK, without_hidden
from .values import WireValues

SHORTEST = 4
"""Shorter texts are not looked for: masking them would mask ordinary words."""


def forms_of(secret: str) -> frozenset[str]:
    """Return the texts that show `secret`: itself, its lines, and both as they are escaped, quoted or encoded."""
    texts = {secret, secret.strip(), " ".join(secret.split()), *secret.splitlines()}
    found: set[str] = set()
    for text in texts:
        if len(text) >= SHORTEST:
            found.update(_written(text))
    return frozenset(form for form in found if len(form) >= SHORTEST)


def _written(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogatepass")
    yield text
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(raw)[2:-1])
    yield from (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], html.escape(text))
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), quoted)
    for encoded in (base64.b64encode(raw), base64.urlsafe_b64encode(raw)):
        yield encoded.decode()
        yield encoded.decode().rstrip("=")


class Redactor:
    """Replaces secrets in texts.

    Args:
        secrets: What must not be shown, as it is.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.secrets = frozenset(secrets)

    def __call__(self, text: str) -> str:
        """Return `text` with `[secret]` for each secret in it."""
        pattern = _pattern_of(self.secrets)
        return pattern.sub(MASK, text) if pattern else text

    def also(self, secrets: Iterable[str]) -> Redactor:
        """Return one that knows more secrets."""
        more = self.secrets.union(secrets)
        return self if more == self.secrets else Redactor(more)


@functools.lru_cache(maxsize=16)
def _pattern_of(secrets: frozenset[str]) -> re.Pattern[str] | None:
    forms = {form for secret in secrets for form in forms_of(secret)}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile("|".join(map(re.escape, longest_first))) if forms else None


def secrets_of_settings(values: WireValues) -> frozenset[str]:
    """Return the secrets in a configuration by wire name, and the credentials of HTTP Basic as they are sent."""
    secrets = {str(values[name]) for name in names_marked(ProviderConfig, "secret") if values.get(name)}
    if values.get("keyId") and values.get("keySecret"):
        basic = f"{values['keyId']}:{values['keySecret']}".encode("utf-8", "surrogatepass")
        secrets.add(base64.b64encode(basic).decode())
    return frozenset(secrets)


def secrets_of_body(body: object) -> Iterator[str]:
    """Yield the texts in the body of a request that the models call secret, and those that secrets are hashed to."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from _texts(value) if name in _secret_names() else secrets_of_body(value)
    elif isinstance(body, list):
        for value in body:
            yield from secrets_of_body(value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


_HASHES = frozenset({"hashData", "newPasswordHash", "newDoubleSha1Hash"})
"""What the vendor's API takes in place of a secret."""


@functools.cache
def _secret_names() -> frozenset[str]:
    return _HASHES.union(
        wire_name(model, attribute)
        for model in _subclasses(Model)
        for attribute in model.model_fields
        if marks_of(model, attribute).get("secret")
    )


def _subclasses(model: type[Model]) -> Iterator[type[Model]]:
    for each in model.__subclasses__():
        yield each
        yield from _subclasses(each)


_lock = threading.Lock()
_known = Redactor()


def remember(secrets: Iterable[str]) -> None:
    """Let `redact` know secrets that this process was configured with."""
    global _known  # noqa: PLW0603 (errors leave the front ends without the configuration under which they happened)
    with _lock:
        _known = _known.also(secrets)


def redact(text: str) -> str:
    """Return `text` with `[secret]` for each secret of the operation under way, or that this process was given."""
    return _known(without_hidden(text))
