"""The conditions that the sidebar of a search shows as a filter of one column.

They are `column IN ('a', ...)`, `column NOT IN (...)` and `column BETWEEN 1 AND 2`. The column may be an expression, so
only text outside of quotes and parentheses counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from pulumi_clouddb.schema.javascript import SPACE, number, trim

_BETWEEN = re.compile(
    rf"([^\n\r\u2028\u2029]+?)[{SPACE}]+BETWEEN[{SPACE}]+([^\n\r\u2028\u2029]+?)[{SPACE}]+AND[{SPACE}]+"
    r"([^\n\r\u2028\u2029]+)",
    re.IGNORECASE,
)
_JOINING = re.compile(r"\b(?:NOT|AND|OR)\b", re.IGNORECASE | re.ASCII)
_COMPARING = ("=", "<", ">", " OR ")


def is_shown(condition: str) -> bool:
    """Return whether the sidebar shows a whole SQL condition as a filter of one column."""
    range_of = _BETWEEN.fullmatch(condition) if _places(condition, " BETWEEN ") else None
    if range_of:
        column, *bounds = range_of.groups()
        fits = all(math.isfinite(number(each)) for each in bounds) and len(_places(condition, " AND ")) == 1
    else:
        column, fits = _in_list(condition)
        fits = fits and not _places(condition, " AND ")
    return fits and not _JOINING.search(trim(column))


def _in_list(condition: str) -> tuple[str, bool]:
    """Return the column of a condition with IN or NOT IN, and whether it has values."""
    text = trim(condition)
    if any(_places(text, each) for each in _COMPARING):
        return "", False
    for word in (" NOT IN ", " IN "):
        if places := _places(text, word):
            values = trim(text[places[0] + len(word) :])
            if values.startswith("(") and values.endswith(")"):
                values = values[1:-1]
            return text[: places[0]], bool(trim(values.replace(",", "")))
    return "", False


def _places(text: str, word: str) -> list[int]:
    """Return the places of a word outside of quotes and parentheses."""
    upper = text.upper() if text.isascii() else "".join(each.upper() if each.isascii() else each for each in text)
    found: list[int] = []
    for index, depth in _outside(text):
        if depth == 0 and upper.startswith(word, index) and (not found or index >= found[-1] + len(word)):
            found.append(index)
    return found


def _outside(text: str) -> Iterator[tuple[int, int]]:
    """Yield each place outside of quotes, with the depth of its parentheses."""
    in_quotes, depth, index = False, 0, 0
    while index < len(text):
        if text[index] == "'" and not _is_escaped(text, index):
            if in_quotes and text.startswith("'", index + 1):
                index += 1
            else:
                in_quotes = not in_quotes
        elif not in_quotes:
            if text[index] == "(":
                depth += 1
            elif text[index] == ")":
                depth = max(0, depth - 1)
            else:
                yield index, depth
        index += 1


def _is_escaped(text: str, index: int) -> bool:
    before = text[:index]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1
