"""A comparison as SVG: before and after, beside each other or below, and a list of what changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

from .canvas import Canvas
from .diff import Comparison, PropertyDifference
from .picture import Picture
from .svg import HALF, MARGIN, Form, Mark, Marks, draw_picture, finish, legend_of, new_canvas

MOST_LISTED = 12
"""Properties that are listed of one tile; the page lists all."""

MARKS_LEGEND = "Each tile that differs says so beside its name: added, changed, moved or removed."


def comparison_svg(comparisons: Sequence[Comparison], origins: tuple[str, str], form: Form = HALF) -> ET.Element:
    """Return one SVG with comparisons of dashboards, one below another; `form` is the size of each side."""
    canvas, y = new_canvas(), MARGIN
    width = (1 if form.stacked else 2) * (form.width + MARGIN) + MARGIN
    for each in comparisons:
        y = _comparison(canvas.group("comparison"), each, origins, form, y, width - 2 * MARGIN) + 24
    pictures = [side for each in comparisons for side in (each.before, each.after) if side]
    names = ", ".join(each.name for each in comparisons)
    title = f"{names}: {origins[0]} and {origins[1]}"
    finish(canvas, width, y - 24, title, [MARKS_LEGEND, *legend_of(pictures)])
    return canvas.element


def _comparison(
    canvas: Canvas, comparison: Comparison, origins: tuple[str, str], form: Form, y: float, width: float
) -> float:
    marks = {each.key: Mark(each.kind, each.words) for each in comparison.tiles}
    sides = (("Before", comparison.before, origins[0]), ("After", comparison.after, origins[1]))
    x, top, bottom = MARGIN, y, y
    for word, picture, origin in sides:
        end = _side(canvas.group(word.lower()), word, picture, origin, marks, form, x, top)
        bottom = max(bottom, end)
        if form.stacked:
            top = end + 18
        else:
            x += form.width + MARGIN
    return _list(canvas.group("changes"), comparison, MARGIN, bottom + 30, width)


def _side(
    canvas: Canvas, word: str, picture: Picture | None, origin: str, marks: Marks, form: Form, x: float, y: float
) -> float:
    canvas.text("accent bold", x, y + 14, form.width, 13, f"{word}: {origin}")
    y += 24
    if picture is not None and form.stacked:
        picture = _differing(picture, marks)
    if picture is None:
        canvas.text("soft", x, y + 16, form.width, 12, "The dashboard is not there.")
        return y + 20
    return draw_picture(canvas, picture, form, x, y, f"dashboard {picture.resource}", marks)


def _differing(picture: Picture, marks: Marks) -> Picture:
    """Leave out what stays as it is: where tiles stand one below another, both sides of it are too far apart."""
    kept = tuple(tile for tile in picture.tiles if tile.key in marks)
    same = len(picture.tiles) - len(kept)
    containers = tuple(box for box in picture.containers if any(tile.container == box.id for tile in kept))
    notes = (*picture.notes, f"{same} more {'tile stays' if same == 1 else 'tiles stay'} unchanged.")
    return replace(picture, tiles=kept, containers=containers, notes=notes) if same else picture


def _list(canvas: Canvas, comparison: Comparison, x: float, y: float, width: float) -> float:
    canvas.line("frame", x, y - 18, x + width, y - 18)
    canvas.text("ink bold", x, y, width, 13, comparison.headline)
    y = _properties(canvas, comparison.properties, x, y, width)
    for each in comparison.tiles:
        y += 21
        canvas.text(f"{each.kind} bold", x, y, width, 12, f"{each.words}: {each.name}")
        y = _properties(canvas, each.properties, x, y, width)
    return y


def _properties(canvas: Canvas, properties: Sequence[PropertyDifference], x: float, y: float, width: float) -> float:
    for each in _cut(properties):
        y += 16
        canvas.text("soft mono", x + 14, y, width - 14, 10.5, each)
    return y


def _cut(properties: Sequence[PropertyDifference]) -> Iterable[str]:
    yield from (each.words for each in properties[:MOST_LISTED])
    if len(properties) > MOST_LISTED:
        yield f"… and {len(properties) - MOST_LISTED} more"
