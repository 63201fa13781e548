"""Markdown as lines that a picture draws: headings, bold words, lists, code and links; all else as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .measure import clean, fitted, width_of

LONGEST = 10_000
"""No tile has room for more of a text."""

SIZE, CODE = 11.5, 10.5
HEADINGS = {"h1": 15.0, "h2": 13.5, "h3": 12.5}
INDENT = 14.0

Run = tuple[str, str]
"""Classes of a piece of a line, and its words."""


@dataclass(frozen=True)
class Line:
    """One line: where it begins, how large it is, and its pieces."""

    indent: float
    size: float
    runs: tuple[Run, ...]

    @property
    def height(self) -> float:
        """The room that it takes, from one line to the next."""
        return self.size + 4.5


@dataclass(frozen=True)
class _Block:
    indent: float
    size: float
    lead: str
    runs: tuple[Run, ...]


def lines_of(text: str, room: float) -> Iterator[Line]:
    """Yield a text in Markdown line by line, each within its room."""
    for block in _blocks(MarkdownIt("commonmark").parse(text[:LONGEST])):
        lead = width_of(block.lead, block.size)
        for index, runs in enumerate(_wrapped(block.runs, room - block.indent - lead, block.size)):
            first = (("soft", block.lead),) if block.lead and index == 0 else ()
            yield Line(block.indent + (0 if first else lead), block.size, (*first, *runs))


def _blocks(tokens: Sequence[Token]) -> Iterator[_Block]:
    size, lists, lead, bold = SIZE, list[int | None](), "", False
    for token in tokens:
        indent = INDENT * max(0, len(lists) - 1)
        if token.type == "heading_open":
            size, bold = HEADINGS.get(token.tag, SIZE), True
        elif token.type == "heading_close":
            size, bold = SIZE, False
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            number = lists[-1]
            lead = "•  " if number is None else f"{number}.  "
            lists[-1] = None if number is None else number + 1
        elif token.type == "inline":
            for runs in _rows(token.children or (), bold):
                yield _Block(indent, size, lead, tuple(runs))
                indent, lead = indent + (width_of(lead, size) if lead else 0), ""
        elif token.type in ("fence", "code_block"):
            for row in token.content.splitlines():
                left = len(row) - len(row.lstrip())
                yield _Block(indent + left * CODE * 0.6, CODE, "", (("soft mono", row),))
        elif token.type == "html_block":
            yield _Block(indent, size, "", (("ink", token.content),))


def _rows(children: Sequence[Token], bold: bool) -> Iterator[list[Run]]:
    """Yield the pieces of each line that the text itself begins."""
    row: list[Run] = []
    strong, link = int(bold), 0
    for token in children:
        if token.type == "hardbreak":
            yield row
            row = []
        elif token.type in ("strong_open", "strong_close"):
            strong += token.nesting
        elif token.type in ("link_open", "link_close"):
            link += token.nesting
        elif token.type == "softbreak":
            row.append(("ink", " "))
        elif token.content:
            names = "soft mono" if token.type == "code_inline" else "accent" if link else "ink"
            row.append((f"{names} bold" if strong else names, token.content))
    yield row


def _wrapped(runs: Sequence[Run], room: float, size: float) -> Iterator[list[Run]]:
    """Yield the lines of some pieces, broken between words; a word that is longer than a line is cut."""
    line: list[Run] = []
    left = room
    for names, words in runs:
        style = {"bold": "bold" in names.split(), "mono": "mono" in names.split()}
        for word in re.findall(r"\s*\S+|\s+$", words):
            shown = (" " if word[0].isspace() else "") + clean(word)
            if line and width_of(shown, size, **style) > left:
                yield line
                line, left = [], room
            shown = fitted(shown if line else shown.lstrip(), room, size, **style)
            line.append((names, shown))
            left -= width_of(shown, size, **style)
    if line:
        yield line
