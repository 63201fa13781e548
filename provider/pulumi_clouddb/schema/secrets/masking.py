"""Find the secrets of configurations and request bodies, and mask secrets in texts.

The names of all properties are public. They are in a generated module, so that masking a text loads no resource.
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Iterable, Iterator
from typing import Final

from pulumi_clouddb.schema._public_names import SECRET
from pulumi_clouddb.schema.base import names_with, wire_names
from pulumi_clouddb.schema.config import ProviderConfig, environment_name
from pulumi_clouddb.schema.public_names import public_names
from pulumi_clouddb.schema.values import WireValues

from .spellings import MASK, is_mistakable, is_token, spellings_in, spellings_of, texts_of

SECRET_NAMES: Final = SECRET | {"hashData", "newPasswordHash", "newDoubleSha1Hash"}
"""The wire names of the properties that are secret in some model, and of those with hashes of secrets."""


def secrets_of_settings(values: WireValues) -> frozenset[str]:
    """Return the secrets in a configuration by wire name, and the credentials of HTTP Basic as they are sent."""
    secrets = {str(values[name]) for name in names_with(ProviderConfig, "secret") if values.get(name)}
    if values.get("keyId") and values.get("keySecret"):
        basic = f"{values['keyId']}:{values['keySecret']}".encode("utf-8", "surrogatepass")
        secrets.add(base64.b64encode(basic).decode())
    return frozenset(secrets)


def secrets_of_body(body: object) -> Iterator[str]:
    """Yield the texts in the body of a request that are secret in the models, and hashes of secrets."""
    return _secrets_within(body, SECRET_NAMES) if body else iter(())


def _secrets_within(body: object, names: frozenset[str]) -> Iterator[str]:
    if isinstance(body, dict):
        for name, value in body.items():
            yield from texts_of(value) if name in names else _secrets_within(value, names)
    elif isinstance(body, list):
        for value in body:
            yield from _secrets_within(value, names)


def masked(text: str, secrets: frozenset[str], own_words: bool = False, names: frozenset[str] = frozenset()) -> str:
    """Return a text with `[secret]` for each of the secrets in it, in any spelling; public names and URNs stay.

    Args:
        text: The text.
        secrets: The secrets.
        own_words: Whether all words of the text outside quotes are our own, as in a failure of check: a secret such as
            `text` may be one of them. Masked, the message would be useless, and would show the secret.
        names: The names of a project, its stack and its resources. A secret within one stays, unless the name as a
            whole is a token.
    """
    hidden = secrets - public_names()
    shown = public_names() | (names - hidden)
    every = {each for secret in hidden for each in spellings_of(secret)} - shown
    spellings = {*spellings_in(text, every)} - shown
    if not spellings:
        return text
    longest_first = sorted(spellings, key=lambda each: (-len(each), each))
    words = [re.escape(name) for name in names if not is_token(name)]
    public = [match.span() for pattern in (_URN, *words) for match in re.finditer(pattern, text)]
    quotations = [match.span() for match in _QUOTATION.finditer(text)] if own_words else []

    def replacement(match: re.Match[str]) -> str:
        is_own_word = own_words and match[0].isalpha() and not _is_within(match, quotations)
        return match[0] if is_own_word or _is_within(match, public) else _replacement(match)

    return re.sub("|".join(map(_pattern_of, longest_first)), replacement, text, flags=re.IGNORECASE)


_QUOTATION = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""")
_URN: Final = r"urn:pulumi:[\w.-]+::[\w.-]+::[\w.$:/-]+::[\w.-]+"


def _is_within(match: re.Match[str], spans: Iterable[tuple[int, int]]) -> bool:
    return any(first <= match.start() and match.end() <= last for first, last in spans)


def _pattern_of(spelling: str) -> str:
    """Return a pattern of a spelling: of a usual word as it is written, of a word also as a whole in another case."""
    escaped = re.escape(spelling)
    if is_mistakable(spelling):
        return rf"(?-i:(?<!\w){escaped}(?!\w))"
    words = sorted({spelling, spelling.upper(), spelling.lower()})
    return f"(?-i:{'|'.join(map(re.escape, words))})" if spelling.isalpha() else escaped


def _replacement(match: re.Match[str]) -> str:
    word = _word_around(match)
    return match[0] if word in _environment_names() or word in public_names() else MASK


@functools.cache
def _environment_names() -> frozenset[str]:
    return frozenset(map(environment_name, wire_names(ProviderConfig)))


def _word_around(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    return text[start:end]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
