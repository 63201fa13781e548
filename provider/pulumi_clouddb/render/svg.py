"""A picture as SVG: header, filters, grids, tiles and a legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from pulumi_clouddb.dashboards.tile_config_fields import DisplayType

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
    """How large a picture is drawn.

    Attributes:
        column: Width of a column of the grid with the gap beside it.
        row: Height of a row with the gap below it.
        gap: Room between two tiles.
        width: Width of everything.
        stacked: Whether tiles stand one below another, each as wide as there is room.
    """

    column: float
    row: float
    gap: float
    width: float
    stacked: bool = False


OVER_TIME = (DisplayType.LINE, DisplayType.STACKED_BAR)
"""The display types with an axis of values, along which a threshold is a line."""

WIDE = Form(46, 40, 10, 24 * 46 - 10)
HALF = Form(30, 36, 8, 24 * 30 - 8)
NARROW = Form(0, 30, 10, 334, stacked=True)
MARGIN = 16.0
LEAST_NAME = 40.0
"""The room that a name keeps beside the number of alerts."""

LEAST_PLOT = 30.0
"""The room below the texts of a tile for the line of an alert."""


@dataclass(frozen=True)
class Mark:
    """What a comparison says of a tile: one of `style.MARKS`, and the words."""

    kind: str
    words: str


Marks = Mapping[str, Mark]
"""The marks of tiles by their keys."""


def draw_picture(canvas: Canvas, picture: Picture, form: Form, x: float, y: float, origin: str, marks: Marks) -> float:
    """Draw a dashboard; return the y below it."""
    y += 20
    canvas.text("ink bold", x, y, form.width, 17, picture.name)
    y += 18
    tags = f" · {', '.join(picture.tags)}" if picture.tags else ""
    canvas.text("soft", x, y, form.width, 11.5, f"{origin}{tags}")
    y += 8
    y = _chips(canvas.group("filters"), form, x, y, [f"{name}: {words}" for name, words in picture.filters])
    for label, words in picture.opens_with:
        y += 17
        canvas.text("soft", x, y, form.width, 11.5, f"{label} {words}")
    for section in sections(picture):
        y = _section(canvas, section, form, x, y + 12, marks)
    for note in (*picture.notes, *(() if picture.tiles or picture.notes else ("No tiles.",))):
        y += 22
        canvas.text("soft", x, y, form.width, 12, note)
    return _strays(canvas, picture, form, x, y)


def _chips(canvas: Canvas, form: Form, x: float, y: float, words: Sequence[str]) -> float:
    """Draw filters beside each other, as many as a line holds."""
    left = x
    for index, each in enumerate(words):
        width = min(width_of(clean(each), 11) + 18, form.width)
        if index == 0 or left + width > x + form.width:
            left, y = x, y + (6 if index == 0 else 28)
        canvas.rect("card frame", left, y, width, 22, 11)
        canvas.text("ink", left + 9, y + 15, width - 16, 11, each)
        left += width + 8
    return y + 22 if words else y


def _section(canvas: Canvas, section: Section, form: Form, x: float, y: float, marks: Marks) -> float:
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
    bottom = y
    for spot in _reading_order(section.spots) if form.stacked else section.spots:
        area = _area(spot, form, x, bottom + form.gap if form.stacked and bottom > y else y)
        _tile(group, spot.tile, area, marks.get(spot.tile.key))
        bottom = max(bottom, area.y + area.h)
    return bottom


def _reading_order(spots: Iterable[Spot]) -> list[Spot]:
    return sorted(spots, key=lambda spot: (spot.y, spot.x))


def _area(spot: Spot, form: Form, x: float, y: float) -> Area:
    if form.stacked:
        least = 110.0 + 36 * sum(len(each.bounds) for each in spot.tile.alerts)
        return Area(x, y, form.width, max(min(240.0, least), min(240.0, spot.h * form.row)))
    return Area(
        x + spot.x * form.column,
        y + spot.y * form.row,
        spot.w * form.column - form.gap,
        spot.h * form.row - form.gap,
    )


def _strays(canvas: Canvas, picture: Picture, form: Form, x: float, y: float) -> float:
    """Name the alerts of which no tile is known: a preview does not know the ids of new tiles."""
    if not picture.strays:
        return y
    y += 24
    canvas.text("alert bold", x, y, form.width, 12, "Alerts on tiles that are not known")
    for each in picture.strays:
        y += 17
        canvas.text("ink", x, y, form.width, 11.5, f"{each.name}: {each.label}")
    return y


# -- tiles -------------------------------------------------------------------------------------------------------------


def _tile(canvas: Canvas, tile: TilePicture, area: Area, mark: Mark | None) -> None:
    names, data = "tile", {"key": tile.key, "display": tile.display}
    if mark:
        data["mark"] = mark.kind
    group = canvas.group(names, _summary(tile, mark), data)
    group.rect(f"box card {f'edge-{mark.kind}' if mark else 'frame'}", area.x, area.y, area.w, area.h, 6)
    pad = 10.0 if area.w >= 70 else 4.0
    x, room, bottom = area.x + pad, area.w - 2 * pad, area.y + area.h - pad
    flag, words = _flag(tile, mark)
    side = min(width_of(words, SMALL, bold=True), max(room - 24, 0)) if words else 0.0
    if not mark and side + 8 + LEAST_NAME > room:
        side = 0.0  # a mark has to be read, the lines of alerts can be seen
    y = area.y + min(18.0, area.h / 2 + 4.5)
    group.text("ink bold", x, y, room - side - (8 if side else 0), 12.5, tile.name)
    if side:
        group.text(f"{flag} bold", x + room, y, side, SMALL, words, anchor="end")
    kept = 44 + 22 * len(tile.alerts)
    for index, (style, line) in enumerate(_lines(tile)):
        # What a number is comes before its shape.
        least = 12 if index == 0 else LEAST_PLOT if index == 1 and tile.alerts and tile.shape not in OVER_TIME else kept
        if bottom - (y + 16) < least:
            break
        y += 16
        group.text(style, x, y, room, SMALL, line)
    _plot(group, tile, Area(x, y + 10, room, bottom - y - 10))


def _plot(canvas: Canvas, tile: TilePicture, area: Area) -> None:
    if area.h < 14:
        return
    lower = area
    if tile.alerts and tile.shape not in OVER_TIME:
        # A line across would go through what is written there.
        half = area.h / 2 if area.h >= LEAST_PLOT else 0.0
        area, lower = Area(area.x, area.y, area.w, half - 4), Area(area.x, area.y + half, area.w, half)
    draw_shape(canvas, area, tile)
    if tile.alerts:
        draw_thresholds(canvas.group("alerts"), lower, tile.alerts)


def _flag(tile: TilePicture, mark: Mark | None) -> tuple[str, str]:
    """Return what stands at the right of a tile's name, and its colour."""
    if mark:
        return mark.kind, mark.words
    count = len(tile.alerts)
    return "alert", "" if not count else "1 alert" if count == 1 else f"{count} alerts"


def _lines(tile: TilePicture) -> list[tuple[str, str]]:
    """Return what stands below a tile's name, the most important first."""
    kind = tile.display.replace("_", " ")
    lines = [("soft", f"{kind} · {tile.source}" if tile.source else kind)]
    queried = [each for each in tile.facts if each[0] in ("value", "formula", "SQL", "columns", "group by", "where")]
    return lines + [("soft mono", words if label == "value" else f"{label} {words}") for label, words in queried[:4]]


def _summary(tile: TilePicture, mark: Mark | None) -> str:
    alerts = [f"alert {each.name}: {each.label}" for each in tile.alerts]
    return "; ".join([f"{tile.name} ({tile.display})", *([mark.words] if mark else []), *alerts])


# -- files -------------------------------------------------------------------------------------------------------------


def legend_of(pictures: Iterable[Picture]) -> list[str]:
    """Return the lines below pictures that say what they are."""
    alerts = any(tile.alerts for each in pictures for tile in each.tiles)
    return [LEGEND, ALERT_LEGEND] if alerts else [LEGEND]


def new_canvas() -> Canvas:
    """Return an empty SVG."""
    return Canvas(ET.Element("svg", {"xmlns": SVG, "class": "clouddb", "role": "img"}))


def finish(canvas: Canvas, width: float, height: float, title: str, legend: Sequence[str]) -> None:
    """Give an SVG its size, its name, its ground and its legend."""
    y, room = height + 26, width - 2 * MARGIN
    for line in legend:
        for part in wrapped(line, room, 11):
            canvas.text("soft", MARGIN, y, room, 11, part)
            y += 16
    root = canvas.element
    root.set("viewBox", f"0 0 {number(width)} {number(y)}")
    root.set("width", number(width))
    root.set("height", number(y))
    ground = ET.Element("rect", {"class": "page", "width": number(width), "height": number(y)})
    name = ET.Element("title")
    name.text = clean(title)
    root.insert(0, name)
    root.insert(1, ground)


def dashboard_svg(pictures: Sequence[Picture], origin: str, form: Form = WIDE) -> ET.Element:
    """Return one SVG with the pictures of dashboards, one below another."""
    canvas, y = new_canvas(), MARGIN
    for picture in pictures:
        y = draw_picture(canvas.group("dashboard"), picture, form, MARGIN, y, origin, {}) + 22
    names = ", ".join(each.name for each in pictures)
    finish(canvas, form.width + 2 * MARGIN, y - 22, f"{names}: {origin}", legend_of(pictures))
    return canvas.element


def written(root: ET.Element) -> str:
    """Return a file of its own: with its style, one element a line."""
    style = ET.Element("style")
    style.text = svg_css()
    root.insert(1, style)
    ET.indent(root, " ")
    for pieces in root.iterfind(".//text[tspan]"):  # blanks between them would be drawn
        pieces.text = None
        for piece in pieces:
            piece.tail = None
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
