"""A dashboard as SVG: header, filters, tiles and a legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from pulumi_clouddb.things.dashboards.tile_config_fields import DisplayType

from .canvas import SVG, Canvas, number
from .layout import Section, Spot, sections
from .measure import clean, width_of, wrapped
from .picture import Picture, TilePicture
from .shapes import SMALL, Area, draw_shape
from .style import svg_css
from .thresholds import draw_thresholds

LEGEND = "Shapes are schematic and show no measurements."
ALERT_LEGEND = (
    "A dashed line is the threshold of an alert, in order and not to scale; the alert is raised on the shaded side."
)


@dataclass(frozen=True)
class Form:
    """The dimensions of a picture.

    Attributes:
        column: Width of a grid column, with the gap beside it.
        row: Height of a grid row, with the gap below it.
        gap: Gap between two tiles.
        width: Width of the grid.
        stacked: Whether tiles are drawn one below the other, in full width.
    """

    column: float
    row: float
    gap: float
    width: float
    stacked: bool = False


OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)
"""The display types with an axis of values: a threshold is a line across the plot."""

WIDE = Form(46, 40, 10, 24 * 46 - 10)
HALF = Form(30, 36, 8, 24 * 30 - 8)
NARROW = Form(0, 30, 10, 334, stacked=True)
MARGIN = 16.0
MIN_NAME = 40.0
"""The minimum width of a tile's name beside the number of alerts."""

MIN_PLOT = 30.0
"""The minimum height of the plot below the texts of a tile with an alert."""


@dataclass(frozen=True)
class Badge:
    """The result of comparing a tile: one of `style.CHANGES`, and its text."""

    kind: str
    words: str


Badges = Mapping[str, Badge]
"""The badges of tiles by key."""


def draw_picture(
    canvas: Canvas, picture: Picture, form: Form, x: float, y: float, origin: str, badges: Badges
) -> float:
    """Draw a dashboard; return the y below it."""
    y += 20
    canvas.text("ink bold", x, y, form.width, 17, picture.name)
    y += 18
    tags = f" · {', '.join(picture.tags)}" if picture.tags else ""
    canvas.text("soft", x, y, form.width, 11.5, f"{origin}{tags}")
    y = _draw_filters(canvas.group("filters"), picture, form, x, y + 8)
    for label, words in picture.opens_with:
        y += 17
        canvas.text("soft", x, y, form.width, 11.5, f"{label} {words}")
    for section in sections(picture):
        y = _draw_section(canvas, section, form, x, y + 12, badges)
    notes = picture.notes if picture.tiles or picture.notes else ("No tiles.",)
    for note in notes:
        y += 22
        canvas.text("soft", x, y, form.width, 12, note)
    return _draw_unplaced_alerts(canvas, picture, form, x, y)


def _draw_filters(canvas: Canvas, picture: Picture, form: Form, x: float, y: float) -> float:
    """Draw the filters side by side, as many as fit on a line; return the y below them."""
    if not picture.filters:
        return y
    left, y = x, y + 6
    for index, (name, words) in enumerate(picture.filters):
        filter_text = f"{name}: {words}"
        width = min(width_of(clean(filter_text), 11) + 18, form.width)
        if index and left + width > x + form.width:
            left, y = x, y + 28
        canvas.rect("card frame", left, y, width, 22, 11)
        canvas.text("ink", left + 9, y + 15, width - 16, 11, filter_text)
        left += width + 8
    return y + 22


def _draw_section(canvas: Canvas, section: Section, form: Form, x: float, y: float, badges: Badges) -> float:
    group = canvas.group("section")
    if section.container is not None:
        if section.first:
            notes = f"  ({', '.join(section.notes)})" if section.notes else ""
            group.text("ink bold", x, y + 15, form.width, 13.5, f"{section.container}{notes}")
            group.line("frame", x, y + 22, x + form.width, y + 22)
            y += 30
        if section.tab is not None:
            group.text("accent bold", x, y + 12, form.width, 12, f"Tab: {section.tab}")
            y += 20
        if not section.spots:
            group.text("soft", x, y + 12, form.width, 11.5, "No tiles.")
            y += 18
    if form.stacked:
        return _draw_stacked(group, section.spots, form, x, y, badges)
    bottom = y
    for spot in section.spots:
        left, top = x + spot.x * form.column, y + spot.y * form.row
        area = Area(left, top, spot.w * form.column - form.gap, spot.h * form.row - form.gap)
        _draw_tile(group, spot.tile, area, badges.get(spot.tile.key))
        bottom = max(bottom, area.y + area.h)
    return bottom


def _draw_stacked(canvas: Canvas, spots: Iterable[Spot], form: Form, x: float, y: float, badges: Badges) -> float:
    """Draw tiles one below the other; return the y below them."""
    bottom = y
    for spot in sorted(spots, key=lambda each: (each.y, each.x)):
        top = bottom + form.gap if bottom > y else y
        needed = 110.0 + 36 * sum(len(each.bounds) for each in spot.tile.alerts)
        area = Area(x, top, form.width, min(240.0, max(needed, spot.h * form.row)))
        _draw_tile(canvas, spot.tile, area, badges.get(spot.tile.key))
        bottom = area.y + area.h
    return bottom


def _draw_unplaced_alerts(canvas: Canvas, picture: Picture, form: Form, x: float, y: float) -> float:
    """List the alerts whose tile is unknown: a preview does not know the ids of new tiles."""
    if not picture.unplaced:
        return y
    y += 24
    canvas.text("alert bold", x, y, form.width, 12, "Alerts on tiles that are not known")
    for alert in picture.unplaced:
        y += 17
        canvas.text("ink", x, y, form.width, 11.5, f"{alert.name}: {alert.label}")
    return y


# -- tiles -------------------------------------------------------------------------------------------------------------


def _draw_tile(canvas: Canvas, tile: TilePicture, area: Area, badge: Badge | None) -> None:
    data = {"key": tile.key, "display": tile.display}
    if badge:
        data["mark"] = badge.kind
    group = canvas.group("tile", _tooltip(tile, badge), data)
    group.rect(f"box card {f'edge-{badge.kind}' if badge else 'frame'}", area.x, area.y, area.w, area.h, 6)
    padding = 10.0 if area.w >= 70 else 4.0
    x, width, bottom = area.x + padding, area.w - 2 * padding, area.y + area.h - padding
    y = area.y + min(18.0, area.h / 2 + 4.5)
    _draw_title(group, tile, badge, x, y, width)
    for style, line, min_rest in _text_lines(tile):
        if bottom - (y + 16) < min_rest:
            break
        y += 16
        group.text(style, x, y, width, SMALL, line)
    _draw_plot(group, tile, Area(x, y + 10, width, bottom - y - 10))


def _draw_title(canvas: Canvas, tile: TilePicture, badge: Badge | None, x: float, y: float, width: float) -> None:
    """Draw the name of a tile, and at the right its badge or the number of its alerts."""
    count = len(tile.alerts)
    style, words = "alert", "" if not count else "1 alert" if count == 1 else f"{count} alerts"
    if badge:
        style, words = badge.kind, badge.words
    right = min(width_of(words, SMALL, bold=True), max(width - 24, 0))
    if not badge and right + 8 + MIN_NAME > width:
        right = 0.0  # the number of alerts can be omitted: each has a line in the plot
    canvas.text("ink bold", x, y, width - right - (8 if right else 0), 12.5, tile.name)
    if right:
        canvas.text(f"{style} bold", x + width, y, right, SMALL, words, anchor="end")


def _text_lines(tile: TilePicture) -> Iterable[tuple[str, str, float]]:
    """Yield the lines below a tile's name, the most important first: classes, text, and the height needed below it."""
    yield "soft", tile.summary, 12
    plot_height = 44.0 + 22 * len(tile.alerts)
    # Without an axis of values, the first line of the query is more important than the shape.
    min_rest = MIN_PLOT if tile.alerts and tile.shape not in OVER_TIME else plot_height
    query = [fact for fact in tile.facts if fact[0] in ("value", "formula", "SQL", "columns", "group by", "where")]
    for label, words in query[:4]:
        yield "soft mono", words if label == "value" else f"{label} {words}", min_rest
        min_rest = plot_height


def _draw_plot(canvas: Canvas, tile: TilePicture, area: Area) -> None:
    if area.h < 14:
        return
    lower = area
    if tile.alerts and tile.shape not in OVER_TIME:
        # Without an axis of values, the lines are drawn below the shape: they would cross its texts.
        half = area.h / 2 if area.h >= MIN_PLOT else 0.0
        area, lower = Area(area.x, area.y, area.w, half - 4), Area(area.x, area.y + half, area.w, half)
    draw_shape(canvas, area, tile)
    if tile.alerts:
        draw_thresholds(canvas.group("alerts"), lower, tile.alerts)


def _tooltip(tile: TilePicture, badge: Badge | None) -> str:
    alerts = [f"alert {each.name}: {each.label}" for each in tile.alerts]
    return "; ".join([f"{tile.name} ({tile.display})", *([badge.words] if badge else []), *alerts])


# -- files -------------------------------------------------------------------------------------------------------------


def legend_of(pictures: Iterable[Picture]) -> list[str]:
    """Return the lines of the legend."""
    alerts = any(tile.alerts for each in pictures for tile in each.tiles)
    return [LEGEND, ALERT_LEGEND] if alerts else [LEGEND]


def new_canvas() -> Canvas:
    """Return an empty SVG."""
    return Canvas(ET.Element("svg", {"xmlns": SVG, "class": "clouddb", "role": "img"}))


def finish(canvas: Canvas, width: float, height: float, title: str, legend: Sequence[str]) -> None:
    """Add the size, the title, the background and the legend to an SVG."""
    y, available = height + 26, width - 2 * MARGIN
    for line in legend:
        for part in wrapped(line, available, 11):
            canvas.text("soft", MARGIN, y, available, 11, part)
            y += 16
    root = canvas.element
    root.set("viewBox", f"0 0 {number(width)} {number(y)}")
    root.set("width", number(width))
    root.set("height", number(y))
    name = ET.Element("title")
    name.text = clean(title)
    root.insert(0, name)
    root.insert(1, ET.Element("rect", {"class": "page", "width": number(width), "height": number(y)}))


def dashboard_svg(pictures: Sequence[Picture], origin: str, form: Form = WIDE) -> ET.Element:
    """Return an SVG of dashboards, one below the other."""
    canvas, y = new_canvas(), MARGIN
    for picture in pictures:
        y = draw_picture(canvas.group("dashboard"), picture, form, MARGIN, y, origin, {}) + 22
    names = ", ".join(each.name for each in pictures)
    finish(canvas, form.width + 2 * MARGIN, y - 22, f"{names}: {origin}", legend_of(pictures))
    return canvas.element


def svg_file(root: ET.Element) -> str:
    """Return an SVG as a standalone file: with its CSS, and one element on each line."""
    style = ET.Element("style")
    style.text = svg_css()
    root.insert(1, style)
    ET.indent(root, " ")
    for line in root.iterfind(".//text[tspan]"):  # white space between pieces would be drawn
        line.text = None
        for piece in line:
            piece.tail = None
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
