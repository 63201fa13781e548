"""Pictures as files; the suffix of the file selects the format."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diff import Comparison
from .html import comparisons_page, dashboards_page
from .picture import Picture
from .svg import dashboard_svg, svg_file
from .svg_diff import comparison_svg

SUFFIXES = (".svg", ".html")
MAX_FIRST_LINE = 1000
"""The number of characters to read of a first line; one with a comment is shorter."""


@dataclass(frozen=True)
class Drawing:
    """Pictures of dashboards.

    Attributes:
        pictures: The dashboards.
        origin: Their source, such as `state of stack dev`.
    """

    pictures: Sequence[Picture]
    origin: str

    def text(self, suffix: str) -> str:
        """Return the content of a file."""
        if suffix == ".html":
            return dashboards_page(self.pictures, self.origin)
        return svg_file(dashboard_svg(self.pictures, self.origin))


@dataclass(frozen=True)
class DiffDrawing:
    """Comparisons of dashboards.

    Attributes:
        comparisons: The dashboards.
        origins: The sources before and after.
    """

    comparisons: Sequence[Comparison]
    origins: tuple[str, str]

    def text(self, suffix: str) -> str:
        """Return the content of a file."""
        if suffix == ".html":
            return comparisons_page(self.comparisons, self.origins)
        return svg_file(comparison_svg(self.comparisons, self.origins))


def write(path: Path, drawing: Drawing | DiffDrawing, comment: str = "") -> None:
    """Write a picture to a file, with a comment if there is one; create missing folders.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = drawing.text(path.suffix)
    path.write_text(with_comment(text, comment) if comment else text, encoding="utf-8", newline="\n")


def with_comment(text: str, comment: str) -> str:
    """Return the content of a file with a comment at the end of the first line, where XML and HTML permit one."""
    first, end, rest = text.partition("\n")
    return f"{first}{_comment(comment)}{end}{rest}"


def has_comment(path: Path, comment: str) -> bool:
    """Return whether a file has this comment in its first line.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(MAX_FIRST_LINE).rstrip("\n").endswith(_comment(comment))


def _comment(text: str) -> str:
    return f"<!-- {re.sub('-(?=-)', '- ', text)} -->"  # XML comments must not contain two hyphens in a row
