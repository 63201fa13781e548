"""Formats nested brackets: on one line if it fits, otherwise one item per line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 88
"""Maximum line length: ruff's default."""

INDENT = 4


@dataclass(frozen=True)
class Labelled:
    """A part behind a label, such as `name=` or `"key": `."""

    label: str
    part: Part


@dataclass(frozen=True)
class Group:
    """Items between brackets.

    Attributes:
        opening: The text up to the opening bracket, such as `clouddb.Alert(`.
        items: The items between the brackets.
        closing: The closing bracket and the text after it.
        padding: The text inside of the brackets if they are on one line.
        trailing: Whether the last of several lines ends in a comma.
    """

    opening: str
    items: tuple[Part, ...]
    closing: str
    padding: str = ""
    trailing: bool = True


@dataclass(frozen=True)
class Commented:
    """A part below comments, which needs lines of its own.

    Attributes:
        comments: The lines, with their marks.
        part: The part.
    """

    comments: tuple[str, ...]
    part: Part


Part: TypeAlias = "str | Labelled | Group | Commented"


def group(opening: str, items: Iterable[Part], closing: str, padding: str = "") -> Group:
    """Return a group of items."""
    return Group(opening, tuple(items), closing, padding)


def width_of(text: str) -> int:
    """Return the maximum width of a text: formatters count some non-ASCII characters twice."""
    return len(text) if text.isascii() else sum(1 if char.isascii() else 2 for char in text)


def laid_out(part: Part, *, column: int = 0, before: int = 0, after: int = 0) -> str:
    """Return a part as text.

    Args:
        part: The part to format.
        column: The indentation of its line.
        before: Width of the text before it on its first line.
        after: Width of the text after it on its last line.
    """
    if isinstance(part, Labelled):
        taken = before + width_of(part.label)
        return part.label + laid_out(part.part, column=column, before=taken, after=after)
    if isinstance(part, Commented):
        lines = [*part.comments, laid_out(part.part, column=column, before=before, after=after)]
        return ("\n" + " " * column).join(lines)
    if isinstance(part, str):
        return part
    line = on_one_line(part)
    if not part.items or ("\n" not in line and column + before + width_of(line) + after <= WIDTH):
        return line
    inner = column + INDENT
    lines = [part.opening]
    for index, item in enumerate(part.items):
        comma = "," if part.trailing or index + 1 < len(part.items) else ""
        lines.append(" " * inner + laid_out(item, column=inner, after=len(comma)) + comma)
    return "\n".join([*lines, " " * column + part.closing])


def on_one_line(part: Part) -> str:
    """Return a part as one line."""
    if isinstance(part, Labelled):
        return part.label + on_one_line(part.part)
    if isinstance(part, Commented):
        return "\n".join([*part.comments, on_one_line(part.part)])
    if isinstance(part, str):
        return part
    padding = part.padding if part.items else ""
    return part.opening + padding + ", ".join(map(on_one_line, part.items)) + padding + part.closing
