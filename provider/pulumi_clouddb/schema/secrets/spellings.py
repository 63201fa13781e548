"""The spellings in which a message may quote a secret: unchanged, escaped, encoded, or as a number."""

from __future__ import annotations

import base64
import functools
import html
import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import quote, quote_plus

from pulumi_clouddb.schema.values import whole_number

MASK: Final = "[secret]"
"""The replacement of a secret."""

SHORTEST: Final = 3
"""Shorter texts are not masked: ordinary words contain them."""

UNMISTAKABLE: Final = 8
"""Texts of only letters, or only digits, are masked within longer words from this length on."""


_AS_GO: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&"}
"""Go writes these characters so in JSON."""


_ADDRESS: Final = re.compile(r"https?://[^/\s]+(/\S+)")
"""An address with a path: the path of a webhook is what must not be known, and servers quote it without the host."""

_CUT: Final = re.compile(r"""(?:(?<=['"`])([^'"`]{8,}?)|([^\s'"`]{8,}?))(?:\.\.\.|…)|(?<=['"`])([^'"`]{8,})(?=['"`])""")
"""A quotation, or the beginning of one that was cut off."""


def texts_of(value: object) -> Iterator[str]:
    """Yield the texts and numbers in a value, and the names in its objects."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from texts_of(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(whole_number(value))


@functools.lru_cache(maxsize=64)
def spellings_of(value: str) -> frozenset[str]:
    """Return the spellings of a value and of its lines."""
    texts = {value, value.strip(), " ".join(value.split()), *value.splitlines()}
    spellings = {spelling for text in texts if len(text) >= SHORTEST for spelling in _spellings(text)}
    return frozenset(each for each in spellings if len(each) >= SHORTEST)


def beginnings_in(text: str, secret: str) -> frozenset[str]:
    """Return the beginnings of a secret that a text quotes or cuts off, from `UNMISTAKABLE` characters on."""
    if secret[:UNMISTAKABLE] not in text or len(secret) < UNMISTAKABLE:
        return frozenset()
    quoted = (next(filter(None, match.groups())) for match in _CUT.finditer(text))
    return frozenset(each for each in quoted if secret.startswith(each))


def is_mistakable(text: str) -> bool:
    """Return whether ordinary words or numbers may contain the text by chance."""
    return len(text) < UNMISTAKABLE and (text.isalpha() or text.isdigit())


def _spellings(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogatepass")
    yield text
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(raw)[2:-1], html.escape(text))
    for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield escaped
        yield json.dumps(escaped)[1:-1]  # JSON within JSON
        yield escaped.translate(_AS_GO)
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        for url in (quoted, quote(quoted, safe="")):  # a URL within a URL
            yield url
            yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), url)
    for encoded in (base64.b64encode(raw).decode(), *_within_base64(raw)):
        for alphabet in ("+/", "-_"):
            translated = encoded.translate(str.maketrans("+/", alphabet))
            yield from (translated, translated.rstrip("="))
    if len(raw) >= UNMISTAKABLE:
        yield from (raw.hex(), raw.hex().upper())
    if (path := _ADDRESS.fullmatch(text)) and len(path[1]) >= UNMISTAKABLE:
        yield from (path[1], path[1].removeprefix("/"))
    if re.fullmatch(r"-?\d{1,300}(\.\d{1,300})?", text, re.ASCII):
        yield from _as_number(float(text))


def _within_base64(raw: bytes) -> Iterator[str]:
    """Yield base64 of bytes that follow other bytes, such as a password after a user name."""
    for before in (1, 2):
        encoded = base64.b64encode(bytes(before) + raw).decode()
        whole = encoded[before + 1 : (before + len(raw)) * 8 // 6]
        if len(whole) >= UNMISTAKABLE:
            yield whole


def _as_number(number: float) -> Iterator[str]:
    """Yield the spellings of a number: Pulumi reads it as a float, and Go writes large ones with an exponent."""
    yield from (repr(number), f"{number:,}")
    if number.is_integer():
        yield from (f"{number:.0f}", f"{number:,.0f}")
    digits = "".join(map(str, Decimal(repr(number)).as_tuple().digits)).strip("0")
    yield f"{number:.{max(len(digits), 1) - 1}e}"
