"""A schematic shape for each display type; it contains no data and is the same on every dashboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from pulumi_clouddb.things.dashboards.tile_config_fields import DisplayType

from .canvas import Canvas
from .markdown import lines_of
from .measure import clean, width_of
from .picture import TilePicture

SMALL = 10.5
"""The font size of texts in shapes."""

_WAVES = ((0.62, 0.5, 0.68, 0.4, 0.55, 0.34, 0.58, 0.46), (0.85, 0.8, 0.88, 0.72, 0.8, 0.66, 0.78, 0.74))
_STACKS = (0.5, 0.66, 0.42, 0.74, 0.58, 0.86, 0.62, 0.7, 0.48, 0.8, 0.56, 0.64)
_BARS = (0.92, 0.7, 0.52, 0.38, 0.22)
_SLICES = (0.42, 0.27, 0.19, 0.12)
_LENGTHS = (0.8, 0.55, 0.7, 0.45, 0.62)


@dataclass(frozen=True)
class Area:
    """A part of a tile."""

    x: float
    y: float
    w: float
    h: float


Shape = Callable[[Canvas, Area, TilePicture], None]


def _axes(canvas: Canvas, area: Area) -> None:
    canvas.line("frame", area.x, area.y + area.h, area.x + area.w, area.y + area.h)
    canvas.line("frame", area.x, area.y, area.x, area.y + area.h)


def _lines(canvas: Canvas, area: Area, _: TilePicture) -> None:
    _axes(canvas, area)
    for wave in _WAVES:
        step = area.w / (len(wave) - 1)
        points = [(area.x + index * step, area.y + area.h * at) for index, at in enumerate(wave)]
        steps: list[str | float] = ["M", *points[0]]
        for (x1, y1), (x2, y2) in pairwise(points):
            steps += ["C", x1 + step / 2, y1, x2 - step / 2, y2, x2, y2]
        canvas.path("curve", steps)


def _stacked_bars(canvas: Canvas, area: Area, _: TilePicture) -> None:
    _axes(canvas, area)
    count = max(3, min(len(_STACKS), int(area.w / 12)))
    pitch = area.w / count
    for index, height in enumerate(_STACKS[:count]):
        x, full = area.x + index * pitch + pitch * 0.15, area.h * height
        canvas.rect("shape", x, area.y + area.h - full * 0.6, pitch * 0.7, full * 0.6)
        canvas.rect("shade", x, area.y + area.h - full, pitch * 0.7, full * 0.4)


def _bars(canvas: Canvas, area: Area, _: TilePicture) -> None:
    """Draw standing bars, as the server's page does (DBBarChart.tsx of 2.36.0)."""
    _axes(canvas, area)
    pitch = area.w / len(_BARS)
    for index, share in enumerate(_BARS):
        height = area.h * share
        canvas.rect("shape", area.x + (index + 0.18) * pitch, area.y + area.h - height, pitch * 0.64, height)


def _pie(canvas: Canvas, area: Area, _: TilePicture) -> None:
    radius = min(area.w, area.h) / 2
    cx, cy, begin = area.x + area.w / 2, area.y + area.h / 2, -math.pi / 2
    for index, share in enumerate(_SLICES):
        end = begin + share * 2 * math.pi
        start = (cx + radius * math.cos(begin), cy + radius * math.sin(begin))
        stop = (cx + radius * math.cos(end), cy + radius * math.sin(end))
        names = "shade edge-card" if index % 2 else "shape edge-card"
        canvas.path(names, ["M", cx, cy, "L", *start, "A", radius, radius, 0, 0, 1, *stop, "Z"])
        begin = end


def _heatmap(canvas: Canvas, area: Area, _: TilePicture) -> None:
    _axes(canvas, area)
    columns, rows = max(4, min(20, int(area.w / 16))), max(2, min(6, int(area.h / 14)))
    w, h = area.w / columns, area.h / rows
    for column in range(columns):
        for row in range(rows):
            # A band in two tones, like a typical distribution of latency.
            distance = abs(row - rows / 2 - math.sin(column * 0.7))
            if distance < rows / 2:
                tone = "shape" if distance < rows / 5 else "shade"
                canvas.rect(tone, area.x + column * w + 1, area.y + row * h + 1, w - 2, h - 2)


def _number(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    size = min(34.0, area.h * 0.6, area.w / width_of(clean(tile.number), 1.01, bold=True))
    if size >= 9:
        middle = area.y + area.h / 2 + size * 0.35
        canvas.text("soft bold", area.x + area.w / 2, middle, area.w, size, tile.number, anchor="middle")


def _table(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    columns = tile.columns[: max(1, int(area.w / 70))] or ("",)
    pitch, row = area.w / len(columns), 18
    for index, name in enumerate(columns):
        canvas.text("soft bold", area.x + index * pitch, area.y + 11, pitch - 8, SMALL, name)
    canvas.line("frame", area.x, area.y + 16, area.x + area.w, area.y + 16)
    for line in range(int((area.h - 18) / row)):
        for index in range(len(columns)):
            length = _LENGTHS[(line + index) % len(_LENGTHS)]
            canvas.rect("shade", area.x + index * pitch, area.y + 23 + line * row, (pitch - 10) * length, 7, 3)


def _rows(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    top = 0.0
    if tile.columns:
        canvas.text("soft bold", area.x, area.y + 11, area.w, SMALL, " · ".join(tile.columns))
        top = 18.0
    for line in range(int((area.h - top) / 15)):
        y = area.y + top + 4 + line * 15
        canvas.rect("shape", area.x, y, min(46, area.w * 0.2), 6, 3)
        canvas.rect("shade", area.x + min(54, area.w * 0.25), y, area.w * 0.7 * _LENGTHS[line % len(_LENGTHS)], 6, 3)


def _patterns(canvas: Canvas, area: Area, _: TilePicture) -> None:
    for line in range(int(area.h / 20)):
        y = area.y + 4 + line * 20
        canvas.rect("shape", area.x, y, area.w * 0.22 * _LENGTHS[line % len(_LENGTHS)], 9, 2)
        for part in range(3):
            x = area.x + area.w * (0.28 + part * 0.24)
            canvas.rect("shade", x, y + 1, area.w * 0.2 * _LENGTHS[(line + part) % len(_LENGTHS)], 7, 3)


def _markdown(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    lines, y, bottom = list(lines_of(tile.markdown, area.w)), area.y, area.y + area.h
    for line, following in zip_longest(lines, lines[1:]):
        y += line.height
        if y > bottom:
            break
        ellipsis = (("soft", " …"),) if following and y + following.height > bottom else ()
        canvas.runs(area.x + line.indent, y - 4, area.w - line.indent, line.size, (*line.runs, *ellipsis))


SHAPES: Mapping[DisplayType, Shape] = {
    DisplayType.LINE: _lines,
    DisplayType.STACKED_BAR: _stacked_bars,
    DisplayType.TABLE: _table,
    DisplayType.NUMBER: _number,
    DisplayType.PIE: _pie,
    DisplayType.BAR: _bars,
    DisplayType.HEATMAP: _heatmap,
    DisplayType.SEARCH: _rows,
    DisplayType.EVENT_PATTERNS: _patterns,
    DisplayType.MARKDOWN: _markdown,
}
"""The shape of each display type."""


def _unknown_shape(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    """Draw the name of a display type that a preview or this package does not know."""
    canvas.rect("bare frame", area.x, area.y, area.w, area.h, 4)
    x, y = area.x + area.w / 2, area.y + area.h / 2 + 4
    canvas.text("soft", x, y, area.w - 8, SMALL, f"display type {tile.display}", anchor="middle")


def draw_shape(canvas: Canvas, area: Area, tile: TilePicture) -> None:
    """Draw the shape of a tile, if the area is large enough."""
    if area.w < 16 or area.h < 12:
        return
    shape = tile.shape
    draw = SHAPES[shape] if shape else _unknown_shape
    draw(canvas.group(f"picture {shape.value if shape else 'unknown'}"), area, tile)
