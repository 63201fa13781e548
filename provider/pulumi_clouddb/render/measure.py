"""How wide a text is, without a font at hand: never less than the widest of the usual fonts makes it.

The widths are those of DejaVu Sans, rounded up: Arial, Helvetica, Segoe UI, Roboto and San Francisco are narrower.
tests/test_render_browser.py measures the drawn texts in a real browser.
"""

from __future__ import annotations

import unicodedata

_WIDTHS = {
    0.34: "'IJijl",
    0.37: " ,./:;\\|",
    0.43: "!()-[]ft",
    0.48: "r",
    0.52: '"*_`',
    0.57: "?csz",
    0.63: "FLkvxy",
    0.68: "0123456789$EPSTYabdeghnopqu{}",
    0.73: "ABCKRVXZ",
    0.78: "NU",
    0.82: "&DGHOQ",
    0.88: "#+<=>^w~",
    0.94: "M",
    1.0: "%",
    1.04: "@Wm",
}
_EM = {character: width for width, characters in _WIDTHS.items() for character in characters}
_OTHER, _WIDE, _MONO = 1.0, 1.1, 0.63
_BOLD = 1.15

ELLIPSIS = "…"


def clean(text: str) -> str:
    """Return a text on one line in which every character can be drawn, and none can turn the order of others."""
    return "".join(each if _drawable(each) else "\ufffd" for each in " ".join(text.split()))


def _drawable(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind not in ("Cc", "Cf", "Cs", "Cn", "Co") or character in "\u200c\u200d\ufe0f"


def width_of(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """Return how many units a text takes at most."""
    return size * (_BOLD if bold else 1.0) * sum(_em(each, mono) for each in text)


def _em(character: str, mono: bool) -> float:
    if unicodedata.combining(character) or character in "\u200c\u200d\ufe0f":
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE * (1.1 if mono else 1.0)
    if mono:
        return _MONO if character.isascii() else _OTHER
    return _EM.get(character, _OTHER)


def fitted(text: str, room: float, size: float, *, bold: bool = False, mono: bool = False) -> str:
    """Return as much of a text as fits, with an ellipsis at its end if that is not all; nothing if nothing fits."""
    if width_of(text, size, bold=bold, mono=mono) <= room:
        return text
    room -= width_of(ELLIPSIS, size, bold=bold)
    factor, end = size * (_BOLD if bold else 1.0), 0
    for character in text:
        room -= factor * _em(character, mono)
        if room < 0:
            break
        end += 1
    kept = text[:end].rstrip()
    return f"{kept}{ELLIPSIS}" if kept else ""


def wrapped(text: str, room: float, size: float, *, mono: bool = False) -> list[str]:
    """Return the lines of a text, broken between words, and within a word that is longer than a line."""
    lines = [""]
    for word in text.split():
        rest = word
        joined = f"{lines[-1]} {rest}".strip()
        if width_of(joined, size, mono=mono) <= room:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        while width_of(rest, size, mono=mono) > room and len(rest) > 1:
            end = max(1, len(fitted(rest, room, size, mono=mono)) - 1)
            lines[-1], rest = rest[:end], rest[end:]
            lines.append("")
        lines[-1] = rest
    return lines
