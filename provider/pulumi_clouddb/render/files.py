"""Writing pictures to files, in the form that the name of the file asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diff import Comparison
from .html import comparisons_page, dashboards_page
from .picture import Picture
from .svg import dashboard_svg, written
from .svg_diff import comparison_svg

SUFFIXES = (".svg", ".html")


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


def write(path: Path, drawing: Drawing | DiffDrawing) -> None:
    """Write a picture; folders that are not there are made.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(drawing.text(path.suffix), encoding="utf-8")
