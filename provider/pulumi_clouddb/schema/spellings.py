"""The texts in which a value may be quoted: as it is, escaped, encoded, and as programs write numbers."""

from __future__ import annotations

import base64
import functools
import html
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final
from urllib.parse import quote, quote_plus

SHORTEST: Final = 3
"""Shorter texts are not looked for: masking them would mask ordinary words."""

UNMISTAKABLE: Final = 8
"""Characters from which letters or digits alone are looked for within words, too."""


def spellings_of(value: str) -> frozenset[str]:
    """Return the texts that show a value: itself, its lines, and both as they are escaped, quoted or encoded."""
    texts = {value, value.strip(), " ".join(value.split()), *value.splitlines()}
    found = {spelling for text in texts if len(text) >= SHORTEST for spelling in _spellings(text)}
    return frozenset(each for each in found if len(each) >= SHORTEST)


@functools.lru_cache(maxsize=16)
def all_spellings_of(values: frozenset[str]) -> frozenset[str]:
    """Return the texts that show one of several values."""
    return frozenset(each for value in values for each in spellings_of(value))


def is_mistakable(text: str) -> bool:
    """Return whether a text would be found by chance within words or numbers."""
    return len(text) < UNMISTAKABLE and (text.isalpha() or text.isdigit())


def _spellings(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogatepass")
    yield text
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(raw)[2:-1], html.escape(text))
    for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield escaped
        yield json.dumps(escaped)[1:-1]  # JSON within JSON
        yield re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", escaped)  # as Go writes JSON
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quoted)
    for encoded in (base64.b64encode(raw).decode(), *_within_base64(raw)):
        for alphabet in ("+/", "-_"):
            yield (written := encoded.translate(str.maketrans("+/", alphabet)))
            yield written.rstrip("=")
    if len(raw) >= UNMISTAKABLE:
        yield raw.hex()
    if re.fullmatch(r"-?\d{1,300}(\.\d{1,300})?", text, re.ASCII):
        yield from _as_number(float(text))


def _within_base64(raw: bytes) -> Iterator[str]:
    """Yield what base64 shows of bytes that follow others, such as a password behind a name."""
    for before in (1, 2):
        encoded = base64.b64encode(bytes(before) + raw).decode()
        whole = encoded[before + 1 : (before + len(raw)) * 8 // 6]
        if len(whole) >= UNMISTAKABLE:
            yield whole


def _as_number(number: float) -> Iterator[str]:
    """Yield the spellings of a number: Pulumi reads it as a float, and Go writes a large one with an exponent."""
    yield from (repr(number), f"{number:,}")
    if number.is_integer():
        yield from (f"{number:.0f}", f"{number:,.0f}")
    digits = "".join(map(str, Decimal(repr(number)).as_tuple().digits)).strip("0")
    yield f"{number:.{max(len(digits), 1) - 1}e}"
