"""Escape control characters in text from servers and files."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Parts of words in some scripts and of emoji."""

_MAYBE = re.compile(r"[^\n\t -~]")


def printable(text: str) -> str:
    r"""Return a text with control characters in the escape of JSON and Python, such as `\u001b`.

    A terminal would execute them, or show the text in another direction. Line breaks and tabs stay. A string of JSON in
    the text keeps its value.
    """
    return _MAYBE.sub(lambda match: _escaped(match[0]), text)


def _escaped(character: str) -> str:
    kept = unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _JOINERS
    if kept:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
