"""Boxes, lines and texts as elements of an SVG; a text is cut to its available width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

from .measure import clean, fitted

SVG = "http://www.w3.org/2000/svg"


def number(value: float) -> str:
    """Return a coordinate with at most one decimal place."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """An element to draw into. `names` are CSS classes, separated by spaces."""

    def __init__(self, element: ET.Element) -> None:
        self.element = element

    def group(self, names: str, title: str = "", data: Mapping[str, str] | None = None, opacity: float = 1.0) -> Canvas:
        """Add a group.

        Args:
            names: Its classes.
            title: Its tooltip.
            data: Its `data-` attributes.
            opacity: The opacity of each fill in it.
        """
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
        rect = self._add("rect", names, {"x": x, "y": y, "width": max(w, 0), "height": max(h, 0)})
        if radius:
            rect.set("rx", number(radius))

    def line(self, names: str, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line."""
        self._add("line", names, {"x1": x1, "y1": y1, "x2": x2, "y2": y2})

    def path(self, names: str, steps: Iterable[str | float]) -> None:
        """Draw a path."""
        data = " ".join(each if isinstance(each, str) else number(each) for each in steps)
        ET.SubElement(self.element, "path", {"class": names, "d": data})

    def text(
        self,
        names: str,
        x: float,
        y: float,
        width: float,
        size: float,
        text: str,
        *,
        anchor: str = "",
        title: str = "",
    ) -> None:
        """Draw a text on one line with its baseline at `y`, cut to `width`; nothing if not one character fits.

        The tooltip is `title`, by default the whole text; there is none if it equals the drawn text.
        """
        drawn = fitted(clean(text), width, size, bold="bold" in names.split(), mono="mono" in names.split())
        if not drawn:
            return
        element = self._text(names, x, y, width, size)
        if anchor:
            element.set("text-anchor", anchor)
        element.text = drawn
        tooltip = clean(title or text)
        if tooltip != drawn:
            ET.SubElement(element, "title").text = tooltip

    def runs(self, x: float, y: float, width: float, size: float, runs: Iterable[tuple[str, str]]) -> None:
        """Draw a line of texts with their own classes; the caller ensures that they fit."""
        element = self._text("ink", x, y, width, size)
        for names, text in runs:
            ET.SubElement(element, "tspan", {"class": names}).text = text

    def _text(self, names: str, x: float, y: float, width: float, size: float) -> ET.Element:
        return self._add("text", names, {"x": x, "y": y, "font-size": size, "data-room": width})

    def _add(self, tag: str, names: str, numbers: Mapping[str, float]) -> ET.Element:
        attributes = {name: number(value) for name, value in numbers.items()}
        return ET.SubElement(self.element, tag, {"class": names, **attributes})
