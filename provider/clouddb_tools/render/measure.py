"""Upper bounds for the width of a text, without access to its font.

The widths are those of DejaVu Sans, rounded up: Arial, Helvetica, Segoe UI, Roboto and San Francisco are narrower.
tests/tools/render/test_render_browser.py measures the drawn texts in a real browser.
"""

from __future__ import annotations

import unicodedata

_CHARACTERS_BY_WIDTH = {
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
_WIDTHS = {character: width for width, characters in _CHARACTERS_BY_WIDTH.items() for character in characters}
_OTHER, _WIDE, _MONO = 1.0, 1.1, 0.63
_BOLD = 1.15
_INVISIBLE = "\u200c\u200d\ufe0f"
"""Characters without a width that change the form of their neighbors."""

ELLIPSIS = "…"


def clean(text: str) -> str:
    """Return a text on one line, without characters that cannot be drawn or that change the direction of the text."""
    return "".join(each if _is_drawable(each) else "\ufffd" for each in " ".join(text.split()))


def _is_drawable(character: str) -> bool:
    return character in _INVISIBLE or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Cn", "Co")


def width_of(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """Return the maximum width of a text."""
    return size * (_BOLD if bold else 1.0) * sum(_width(each, mono) for each in text)


def _width(character: str, mono: bool) -> float:
    """Return the maximum width of a character, in em."""
    if unicodedata.combining(character) or character in _INVISIBLE:
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE * (1.1 if mono else 1.0)
    if mono:
        return _MONO if character.isascii() else _OTHER
    return _WIDTHS.get(character, _OTHER)


def fitted(text: str, width: float, size: float, *, bold: bool = False, mono: bool = False) -> str:
    """Return a text, cut with an ellipsis if it is wider than `width`; empty if not one character fits."""
    if _fitting(text, width, size, bold=bold, mono=mono) == len(text):
        return text
    rest = width - width_of(ELLIPSIS, size, bold=bold)
    kept = text[: _fitting(text, rest, size, bold=bold, mono=mono)].rstrip()
    return f"{kept}{ELLIPSIS}" if kept else ""


def _fitting(text: str, width: float, size: float, *, bold: bool = False, mono: bool = False) -> int:
    """Return the number of characters that fit."""
    left = width / (size * (_BOLD if bold else 1.0))
    for index, character in enumerate(text):
        left -= _width(character, mono)
        if left < -1e-6:  # a text fits in its own measured width, despite rounding
            return index
    return len(text)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Return the lines of a text, broken between words, and within a word that is longer than a line."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        rest = word
        if line and width_of(line, size) + width_of(" ", size) + width_of(rest, size) <= width:
            line = f"{line} {rest}"
            continue
        lines += [line] if line else []
        while (end := max(1, _fitting(rest, width, size))) < len(rest):
            lines.append(rest[:end])
            rest = rest[end:]
        line = rest
    return [*lines, line] if line else lines
