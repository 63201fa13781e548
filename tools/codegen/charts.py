"""The charts of docs/measurements.md: a bar for each measurement, and a line across it for its floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from clouddb_tools.render.canvas import SVG, Canvas
from clouddb_tools.render.files import with_comment
from clouddb_tools.render.style import INK, svg_css

WIDTH, LABELS, VALUES, MARGIN = 760.0, 250.0, 150.0, 16.0
ROW, BAR, GROUP = 22.0, 12.0, 30.0
STYLE = (
    f".halo{{stroke-width:6}}.floor{{stroke-width:2.5;stroke:{INK[0]}}}"
    f"@media (prefers-color-scheme:dark){{.floor{{stroke:{INK[1]}}}}}"
)
"""A rim in the background color separates a line from the bar that it crosses."""


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its value and floor, and the text beside it."""

    label: str
    value: float
    floor: float
    words: str


@dataclass(frozen=True)
class Chart:
    """A chart: its title, the meaning of its lines, and groups of bars by heading."""

    title: str
    floor_is: str
    groups: Sequence[tuple[str, Sequence[Bar]]]

    def text(self, notice: str) -> str:
        """Return the chart as SVG."""
        height = 66.0 + sum((GROUP if name else 8.0) + ROW * len(bars) for name, bars in self.groups) + MARGIN
        size = {"viewBox": f"0 0 {WIDTH:g} {height:g}", "width": f"{WIDTH:g}", "height": f"{height:g}"}
        root = ET.Element("svg", {"xmlns": SVG, "role": "img", **size})
        ET.SubElement(root, "title").text = self.title
        ET.SubElement(root, "style").text = svg_css() + STYLE
        canvas = Canvas(root)
        canvas.rect("card", 0, 0, WIDTH, height)
        canvas.text("ink bold", MARGIN, 26, WIDTH - 2 * MARGIN, 15, self.title)
        self._legend(canvas)
        most = max((max(bar.value, bar.floor) for _, bars in self.groups for bar in bars), default=1.0)
        y = 58.0
        for name, bars in self.groups:
            y += GROUP if name else 8.0
            canvas.text("ink bold", MARGIN, y - 8, WIDTH - 2 * MARGIN, 12, name)
            for bar in bars:
                _draw(canvas, bar, y, (WIDTH - LABELS - VALUES - 2 * MARGIN) / most)
                y += ROW
        ET.indent(root, " ")
        svg = ET.tostring(root, encoding="unicode")
        return with_comment(f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n', notice)

    def _legend(self, canvas: Canvas) -> None:
        canvas.rect("accent", MARGIN, 38, 22, BAR)
        canvas.text("soft", MARGIN + 28, 48, 120, 11.5, "measured")
        canvas.line("floor", MARGIN + 110, 36, MARGIN + 110, 52)
        canvas.text("soft", MARGIN + 118, 48, WIDTH - MARGIN - 134, 11.5, self.floor_is)


def _draw(canvas: Canvas, bar: Bar, y: float, scale: float) -> None:
    group = canvas.group("bar", f"{bar.label}: {bar.words}")
    left = MARGIN + LABELS
    group.text("ink", MARGIN, y + BAR - 1, LABELS - 10, 12, bar.label)
    group.rect("accent", left, y, max(bar.value * scale, 1), BAR)
    for names in ("edge-card halo", "floor"):
        group.line(names, left + bar.floor * scale, y - 3, left + bar.floor * scale, y + BAR + 3)
    group.text("soft", left + max(bar.value, bar.floor) * scale + 8, y + BAR - 1, VALUES - 8, 11.5, bar.words)
