"""Lays out nested brackets: on one line where that fits, else an item on each line, as formatters do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 88
"""Columns of a line: what ruff has where nobody says otherwise."""

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
        opening: The bracket with what stands before it, such as `clouddb.Alert(`.
        items: What stands between the brackets.
        closing: The other bracket, with what stands behind it.
        padding: What stands inside of the brackets on one line.
        trailing: Whether the last of several lines ends in a comma.
    """

    opening: str
    items: tuple[Part, ...]
    closing: str
    padding: str = ""
    trailing: bool = True


Part: TypeAlias = "str | Labelled | Group"


def group(opening: str, items: Iterable[Part], closing: str, padding: str = "") -> Group:
    """Return a group of items."""
    return Group(opening, tuple(items), closing, padding)


def width_of(text: str) -> int:
    """Return how many columns a text may take: formatters count some characters beyond ASCII twice."""
    return len(text) if text.isascii() else sum(1 if char.isascii() else 2 for char in text)


def laid_out(part: Part, *, column: int = 0, before: int = 0, after: int = 0) -> str:
    """Return a part as text.

    Args:
        part: What to lay out.
        column: Column at which its line begins.
        before: Columns that are taken on its first line already, beside those.
        after: Columns that follow on its last line.
    """
    if isinstance(part, Labelled):
        taken = before + width_of(part.label)
        return part.label + laid_out(part.part, column=column, before=taken, after=after)
    if isinstance(part, str):
        return part
    line = on_one_line(part)
    if not part.items or column + before + width_of(line) + after <= WIDTH:
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
    if isinstance(part, str):
        return part
    padding = part.padding if part.items else ""
    return part.opening + padding + ", ".join(map(on_one_line, part.items)) + padding + part.closing
