"""How wide a text is, without a font at hand: never less than the widest of the usual fonts makes it.

The widths are those of DejaVu Sans, rounded up: Arial, Helvetica, Segoe UI, Roboto and San Francisco are narrower.
tests/render/test_render_browser.py measures the drawn texts in a real browser.
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
    if _fitting(text, room, size, bold=bold, mono=mono) == len(text):
        return text
    left = room - width_of(ELLIPSIS, size, bold=bold)
    kept = text[: _fitting(text, left, size, bold=bold, mono=mono)].rstrip()
    return f"{kept}{ELLIPSIS}" if kept else ""


def _fitting(text: str, room: float, size: float, *, bold: bool = False, mono: bool = False) -> int:
    """Return how many characters of a text fit."""
    left = room / (size * (_BOLD if bold else 1.0))
    for index, character in enumerate(text):
        left -= _em(character, mono)
        if left < -1e-6:  # what was measured as its room fits
            return index
    return len(text)


def wrapped(text: str, room: float, size: float, most: int = 1000) -> list[str]:
    """Return the lines of a text, at most so many, broken between words, and within a word longer than a line."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        if line and width_of(line, size) + width_of(" ", size) + width_of(rest[:200], size) <= room:
            line = f"{line} {rest}"
            continue
        lines += [line] if line else []
        while (end := max(1, _fitting(rest, room, size))) < len(rest) and len(lines) < most:
            lines.append(rest[:end])
            rest = rest[end:]
        line = rest
        if len(lines) >= most:
            return lines[:most]
    return [*lines, line] if line else lines
