"""A thin layer over ElementTree: boxes, lines and texts that stay within their room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from .measure import clean, fitted

SVG = "http://www.w3.org/2000/svg"


def number(value: float) -> str:
    """Return a coordinate with at most one decimal place."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """An element that is drawn into."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    def group(self, names: str, title: str = "", data: Mapping[str, str] | None = None, opacity: float = 1.0) -> Canvas:
        """Open a group; `title` is what a pointer over it shows, `opacity` that of each of its areas."""
        group = ET.SubElement(self.element, "g", {"class": names})
        if opacity < 1:
            group.set("fill-opacity", f"{opacity:.2f}")
        for name, value in (data or {}).items():
            group.set(f"data-{name}", clean(value))
        if title:
            ET.SubElement(group, "title").text = clean(title)
        return Canvas(group)

    def rect(self, names: str, x: float, y: float, w: float, h: float, radius: float = 0) -> None:
        """Draw a box."""
        sides = {"x": x, "y": y, "width": max(w, 0), "height": max(h, 0)}
        found = ET.SubElement(self.element, "rect", {"class": names, **{k: number(v) for k, v in sides.items()}})
        if radius:
            found.set("rx", number(radius))

    def line(self, names: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line."""
        ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        ET.SubElement(self.element, "line", {"class": names, **{k: number(v) for k, v in ends.items()}})

    def path(self, names: str, steps: Iterable[str | float]) -> None:
        """Draw a path."""
        words = " ".join(each if isinstance(each, str) else number(each) for each in steps)
        ET.SubElement(self.element, "path", {"class": names, "d": words})

    def text(
        self,
        names: str,
        x: float,
        y: float,
        room: float,
        size: float,
        words: str,
        *,
        anchor: str = "",
        title: str = "",
    ) -> None:
        """Write a line whose baseline is at `y`, cut to its room; nothing where not even one character fits.

        What is written otherwise than `title`, by default the whole text, has it for its title.
        """
        kept = fitted(clean(words), room, size, bold="bold" in names.split(), mono="mono" in names.split())
        if not kept:
            return
        at = {"x": number(x), "y": number(y), "font-size": number(size), "data-room": number(room)}
        found = ET.SubElement(self.element, "text", {"class": names, **at})
        if anchor:
            found.set("text-anchor", anchor)
        found.text = kept
        if kept != (whole := clean(title or words)):
            ET.SubElement(found, "title").text = whole

    def runs(self, x: float, y: float, room: float, size: float, runs: Iterable[tuple[str, str]]) -> None:
        """Write a line of pieces, each with classes of its own; whoever calls it has measured them."""
        at = {"x": number(x), "y": number(y), "font-size": number(size), "data-room": number(room)}
        found = ET.SubElement(self.element, "text", {"class": "ink", **at})
        for names, words in runs:
            ET.SubElement(found, "tspan", {"class": names}).text = words
