"""Writing pictures to files, in the form that the name of the file asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diff import Comparison
from .html import comparisons_page, dashboards_page
from .picture import Picture
from .svg import dashboard_svg, written
from .svg_diff import comparison_svg

SUFFIXES = (".svg", ".html")
LONGEST_LINE = 1000
"""So many characters of a first line are read; one with a mark is shorter."""


@dataclass(frozen=True)
class Drawing:
    """Pictures of dashboards.

    Attributes:
        pictures: The dashboards.
        origin: Where they are from, such as `state of stack dev`.
    """

    pictures: Sequence[Picture]
    origin: str

    def text(self, suffix: str) -> str:
        """Return the content of a file."""
        if suffix == ".html":
            return dashboards_page(self.pictures, self.origin)
        return written(dashboard_svg(self.pictures, self.origin))


@dataclass(frozen=True)
class DiffDrawing:
    """Comparisons of dashboards.

    Attributes:
        comparisons: The dashboards.
        origins: Where before and after are from.
    """

    comparisons: Sequence[Comparison]
    origins: tuple[str, str]

    def text(self, suffix: str) -> str:
        """Return the content of a file."""
        if suffix == ".html":
            return comparisons_page(self.comparisons, self.origins)
        return written(comparison_svg(self.comparisons, self.origins))


def write(path: Path, drawing: Drawing | DiffDrawing, mark: str = "") -> None:
    """Write a picture, with a mark of where it is from in its first line; folders that are not there are made.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = drawing.text(path.suffix)
    path.write_text(marked(text, mark) if mark else text, encoding="utf-8")


def marked(text: str, mark: str) -> str:
    """Return a file with a comment in its first line, behind what must come first."""
    first, end, rest = text.partition("\n")
    return f"{first}{_comment(mark)}{end}{rest}"


def is_marked(path: Path, mark: str) -> bool:
    """Return whether a file has this mark.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(LONGEST_LINE).rstrip("\n").endswith(_comment(mark))


def _comment(mark: str) -> str:
    return f"<!-- {re.sub('-(?=-)', '- ', mark)} -->"  # XML takes no two hyphens within a comment
