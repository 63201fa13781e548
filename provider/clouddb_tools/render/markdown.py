"""Markdown as lines to draw: headings, bold text, lists, code and links; everything else is plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .measure import clean, fitted, width_of

MAX_LENGTH = 10_000
"""The number of characters to parse: more do not fit in a tile."""

SIZE, CODE_SIZE = 11.5, 10.5
HEADING_SIZES = {"h1": 15.0, "h2": 13.5, "h3": 12.5}
INDENT = 14.0

Run = tuple[str, str]
"""A part of a line: its classes and its text."""


@dataclass(frozen=True)
class Line:
    """A line: its indentation, its font size and its parts."""

    indent: float
    size: float
    runs: tuple[Run, ...]

    @property
    def height(self) -> float:
        """The distance to the next line."""
        return self.size + 4.5


@dataclass(frozen=True)
class _Block(Line):
    """A line of the source, before it is wrapped, with the bullet or number of its list item."""

    bullet: str = ""


def lines_of(text: str, width: float) -> Iterator[Line]:
    """Yield the lines of a Markdown text, wrapped to a width."""
    for block in _blocks(MarkdownIt("commonmark").parse(text[:MAX_LENGTH])):
        hanging = width_of(block.bullet, block.size)
        for index, runs in enumerate(_wrapped(block.runs, width - block.indent - hanging, block.size)):
            if block.bullet and index == 0:
                yield Line(block.indent, block.size, (("soft", block.bullet), *runs))
            else:
                yield Line(block.indent + hanging, block.size, tuple(runs))


def _blocks(tokens: Sequence[Token]) -> Iterator[_Block]:
    size, bold, bullet = SIZE, False, ""
    next_numbers: list[int | None] = []  # of each open list; None for a bullet list
    for token in tokens:
        indent = INDENT * max(0, len(next_numbers) - 1)
        if token.type == "heading_open":
            size, bold = HEADING_SIZES.get(token.tag, SIZE), True
        elif token.type == "heading_close":
            size, bold = SIZE, False
        elif token.type == "bullet_list_open":
            next_numbers.append(None)
        elif token.type == "ordered_list_open":
            next_numbers.append(int(token.attrs.get("start", 1)))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            next_numbers.pop()
        elif token.type == "list_item_open":
            number = next_numbers[-1]
            bullet = "•  " if number is None else f"{number}.  "
            next_numbers[-1] = None if number is None else number + 1
        elif token.type == "inline":
            for runs in _source_lines(token.children or (), bold):
                yield _Block(indent, size, tuple(runs), bullet)
                indent, bullet = indent + width_of(bullet, size), ""
        elif token.type in ("fence", "code_block"):
            yield from _lines_of_code(token.content, indent)
        elif token.type == "html_block":
            yield _Block(indent, size, (("ink", token.content),))


def _lines_of_code(code: str, indent: float) -> Iterator[_Block]:
    for line in code.splitlines():
        leading = len(line) - len(line.lstrip())
        yield _Block(indent + leading * CODE_SIZE * 0.6, CODE_SIZE, (("soft mono", line),))


def _source_lines(children: Sequence[Token], bold: bool) -> Iterator[list[Run]]:
    """Yield the parts of each line, as separated by hard line breaks."""
    line: list[Run] = []
    strong, link = int(bold), 0
    for token in children:
        if token.type == "hardbreak":
            yield line
            line = []
        elif token.type in ("strong_open", "strong_close"):
            strong += token.nesting
        elif token.type in ("link_open", "link_close"):
            link += token.nesting
        elif token.type == "softbreak":
            line.append(("ink", " "))
        elif token.content:
            names = "soft mono" if token.type == "code_inline" else "accent" if link else "ink"
            line.append((f"{names} bold" if strong else names, token.content))
    yield line


def _wrapped(runs: Sequence[Run], width: float, size: float) -> Iterator[list[Run]]:
    """Yield lines, broken between words; a word that is wider than a line is cut."""
    line: list[Run] = []
    left = width
    for names, text in runs:
        style = {"bold": "bold" in names.split(), "mono": "mono" in names.split()}
        for part in re.findall(r"\s*\S+|\s+$", text):
            word = (" " if part[0].isspace() else "") + clean(part)
            if line and width_of(word, size, **style) > left:
                yield line
                line, left = [], width
            word = fitted(word if line else word.lstrip(), width, size, **style)
            line.append((names, word))
            left -= width_of(word, size, **style)
    if line:
        yield line
