"""Text from servers and files as a terminal may show it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
"""Parts of words in some scripts, and of emoji."""

_MAYBE = re.compile(r"[^\n\t -~]")


def printable(text: str) -> str:
    r"""Return a text with every control character in the escape that JSON and Python share, such as `\u001b`.

    A terminal would obey it, and one that turns the direction of writing would show another text. Line breaks and tabs
    stay. What is escaped may be within a string of JSON, which keeps its meaning.
    """
    return _MAYBE.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    kept = unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in _JOINERS
    if kept:
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
