"""The spellings in which a message may quote a secret: unchanged, escaped, encoded, or as a number."""

from __future__ import annotations

import base64
import functools
import html
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import quote, quote_plus, unquote

from pulumi_clouddb.schema.values import whole_number

MASK: Final = "[secret]"
"""The replacement of a secret."""

SHORTEST: Final = 3
"""Shorter texts are not masked: ordinary words contain them."""

UNMISTAKABLE: Final = 8
"""Texts of only letters, or only digits, are masked within longer words from this length on."""


_AS_GO: Final = {ord(each): f"\\u{ord(each):04x}" for each in "<>&"}
"""Go writes these characters so in JSON."""


_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_QUOTES: Final = ("'", '"', "`")
_CUTS: Final = ("…", "*", "•")
"""What stands in place of the rest of a secret, beside three points."""

_QUOTE: Final = re.compile(r"""\\*['"`]""")
"""The end of a quotation, also within a quotation."""

_TOKEN: Final = re.compile(r"[A-Za-z]\d|\d[A-Za-z]|\d{8}")

_WORD: Final = re.compile(r"[\w+=.~-]+")

_LONG: Final = 24
"""From this length on, no text is a usual word."""

_CREDENTIAL: Final = re.compile("pass|secret|token|credential|auth|hash|.key", re.IGNORECASE)
"""A name of a property, a header or a parameter whose value is a secret, whatever it is."""

_ADDRESS: Final = re.compile(r"[\w.+-]+://(?:[^/?#]*:([^/?#]*)@)?[^/?#]*([^?#]*)")
"""The password and the path of an address: servers quote them without the host, and the path of a webhook is secret."""

_QUOTED_KEY: Final = re.compile(r"(PRIVATE KEY-----|LS0tLS1CRUdJTi).*", re.DOTALL)
"""A private key, and the base64 of what may be one."""

_QUOTED_ADDRESS: Final = re.compile(r"""(\w://)([^/\s'"]*@)?([^/?#\s'"]*)([^\s'"]*)""")


def is_token(text: str) -> bool:
    """Return whether a part of a secret is a secret by itself, and no usual word, name or path of words.

    It has at least `UNMISTAKABLE` characters, and a letter beside a digit or eight digits; or it is long.
    """
    return len(text) >= _LONG or (len(text) >= UNMISTAKABLE and bool(_TOKEN.search(text)))


def without_credentials(text: str) -> str:
    """Return a text without private keys, users and passwords of the addresses in it, and tokens in their paths.

    Whoever writes the address of a webhook where another value belongs has not declared it as a secret.
    """
    return _QUOTED_ADDRESS.sub(_address_without_credentials, _QUOTED_KEY.sub(r"\1…", text))


def _address_without_credentials(address: re.Match[str]) -> str:
    scheme, user, host, path = address.groups("")
    shown = re.sub(r"[^/?#&;=]+", lambda part: "…" if is_token(part[0]) else part[0], path)
    return f"{scheme}{'…@' if user else ''}{host}{shown}"


def texts_of(value: object, name: str = "password") -> Iterator[str]:
    """Yield the texts and numbers in a secret value that are secrets by themselves.

    These are a text as a whole, and in an object or a list tokens, and the values of names such as `password`. Of
    `{"environment": "production"}`, no message would be readable in which `production` is masked.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from filter(is_token, [str(key)])
            yield from texts_of(item, str(key))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_of(item, "")
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield from _if_secret(name, str(whole_number(value)))


def _if_secret(name: str, text: str) -> Iterator[str]:
    if is_token(text) or _CREDENTIAL.search(name):
        yield text


@functools.lru_cache(maxsize=64)
def spellings_of(value: str) -> frozenset[str]:
    """Return the spellings of a value and of its parts that are secrets by themselves."""
    texts = {value, value.strip(), " ".join(value.split()), *_parts(value.strip())}
    spellings = {spelling for text in texts if len(text) >= SHORTEST for spelling in _spellings(text)}
    return frozenset(each for each in spellings if len(each) >= SHORTEST)


def _parts(value: str) -> Iterator[str]:
    """Yield the secrets in a text: lines, what follows `Bearer `, the path of an address, the values of parameters."""
    yield from filter(is_token, value.splitlines())
    _, _, credential = value.partition(" ")
    if credential and not credential.isspace():
        yield from filter(is_token, [credential])
    if re.search(r"\s", value):
        return
    if address := _ADDRESS.match(value):
        password, path = address.groups("")
        yield from (password, unquote(password))
        places = {path, path.removeprefix("/"), *path.split("/")}
        yield from filter(is_token, {*places, *map(unquote, places)})
    for pair in re.split("[?#&;]", value)[1 if address else 0 :]:
        name, _, text = pair.partition("=")
        for each in {text or name, unquote(text or name)}:
            yield from _if_secret(name if text else "", each)


@functools.lru_cache(maxsize=64)
def keys_of(value: str) -> frozenset[str]:
    """Return texts in lower case of which one is in each text with a spelling of a value, or with an end of one."""
    spelled = map(lowered, spellings_of(value))
    return frozenset(key for each in spelled for key in (each[:UNMISTAKABLE], each[-UNMISTAKABLE:]))


def secrets_in(text: str, keys: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the secrets of which a text has a spelling in any case, or an end of one; `keys` are those of each."""
    low = lowered(text)
    near = [secret for secret, each in keys.items() if any(key in low for key in each)]
    return frozenset(secret for secret in near if any(spellings_in(text, spellings_of(secret))))


def lowered(text: str) -> str:
    """Return a text with the letters of ASCII in lower case: these keep their places."""
    return text.translate(_LOWER)


def spellings_in(text: str, spellings: Iterable[str]) -> Iterator[str]:
    """Yield the spellings that a text has in any case, and the beginnings and ends of spellings that it quotes."""
    low = lowered(text)
    for spelling in spellings:
        folded = lowered(spelling)
        if folded in low:
            yield spelling
        if len(folded) > UNMISTAKABLE:
            yield from _ends_in(low, folded)


def _ends_in(text: str, spelling: str) -> Iterator[str]:
    """Yield the beginnings and ends of a spelling, of `UNMISTAKABLE` characters or more, that a text quotes."""
    for start in _places(text, spelling[:UNMISTAKABLE]):
        length = _common(text[start:], spelling)
        if _is_quoted(text, start, start + length):
            yield spelling[:length]
    for start in _places(text, spelling[-UNMISTAKABLE:]):
        end = start + UNMISTAKABLE
        length = _common(text[:end][::-1], spelling[::-1])
        if _is_quoted(text, end - length, end):
            yield spelling[-length:]


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _common(text: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is cut off, in quotes, or a token that is a word by itself."""
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if (
        before in _CUTS
        or after in _CUTS
        or "..." in text[max(start - 3, 0) : start + 2] + " " + text[end - 2 : end + 3]
    ):
        return True
    if before in _QUOTES and _QUOTE.match(text, end):
        return True
    part = text[start:end]
    return not (before.isalnum() or after.isalnum()) and bool(_WORD.fullmatch(part) and _TOKEN.search(part))


def is_mistakable(text: str) -> bool:
    """Return whether ordinary words or numbers may contain the text by chance."""
    return len(text) < UNMISTAKABLE and (text.isalpha() or text.isdigit())


def _spellings(text: str) -> Iterator[str]:
    raw = text.encode("utf-8", "surrogatepass")
    yield from (repr(text)[1:-1], ascii(text)[1:-1], repr(raw)[2:-1], html.escape(text))
    quotations = {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    for url in (*quotations, *(quote(each, safe="") for each in quotations)):  # also a URL within a URL
        yield url
        yield re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), url)
    for sent in {text, *_in_json(text), *quotations}:  # what a body contains, which may be encoded as a whole
        yield sent
        yield from _encoded(sent.encode("utf-8", "surrogatepass"))
    if re.fullmatch(r"-?\d{1,300}(\.\d{1,300})?", text, re.ASCII):
        yield from _as_number(float(text))


def _in_json(text: str) -> Iterator[str]:
    for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield from (escaped, escaped.translate(_AS_GO))
        yield json.dumps(escaped)[1:-1]  # JSON within JSON


def _encoded(raw: bytes) -> Iterator[str]:
    """Yield base64 and hexadecimal digits."""
    for encoded in (base64.b64encode(raw).decode(), *_within_base64(raw)):
        for alphabet in ("+/", "-_"):
            translated = encoded.translate(str.maketrans("+/", alphabet))
            yield from (translated, translated.rstrip("="))
    if len(raw) >= UNMISTAKABLE:
        yield from (raw.hex(), raw.hex().upper())


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
