"""Comparisons as SVG: before and after, side by side or one below the other, and a list of the changes.

A dashboard that exists on one side only is drawn once, without a badge on each of its tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

from .canvas import Canvas
from .diff import Comparison, PropertyDifference, TileDifference
from .picture import Picture
from .svg import HALF, MARGIN, WIDE, Badge, Badges, Form, draw_picture, finish, legend_of, new_canvas

MAX_PROPERTIES = 12
"""The number of properties to list of one tile; the page lists all."""

MARKS_LEGEND = "Each tile that differs has a label next to its name: added, changed, moved or removed."


def comparison_svg(comparisons: Sequence[Comparison], origins: tuple[str, str], form: Form = HALF) -> ET.Element:
    """Return an SVG of comparisons, one below the other; `form` has the dimensions of each side."""
    canvas, y = new_canvas(), MARGIN
    with_both = any(each.before and each.after for each in comparisons)
    alone = form if form.stacked else WIDE
    width = 2 * (form.width + MARGIN) + MARGIN if with_both and not form.stacked else alone.width + 2 * MARGIN
    for each in comparisons:
        fitting = form if each.before and each.after else alone
        y = _draw_comparison(canvas.group("comparison"), each, origins, fitting, y, width - 2 * MARGIN) + 24
    pictures = [side for each in comparisons for side in (each.before, each.after) if side]
    names = ", ".join(each.name for each in comparisons)
    title = f"{names}: {origins[0]} and {origins[1]}"
    finish(canvas, width, y - 24, title, [*([MARKS_LEGEND] if with_both else []), *legend_of(pictures)])
    return canvas.element


def _draw_comparison(
    canvas: Canvas, comparison: Comparison, origins: tuple[str, str], form: Form, y: float, width: float
) -> float:
    with_both = comparison.before is not None and comparison.after is not None
    marked = comparison.tiles if with_both else ()
    badges = {each.key: Badge(each.kind, each.words) for each in marked}
    sides = (("Before", comparison.before, origins[0]), ("After", comparison.after, origins[1]))
    x, top, bottom = MARGIN, y, y
    for label, picture, origin in sides:
        if picture is None:
            continue
        shown = _only_changed(picture, badges) if form.stacked and with_both else picture
        end = _draw_side(canvas.group(label.lower()), f"{label}: {origin}", shown, badges, form, x, top)
        bottom = max(bottom, end)
        if form.stacked:
            top = end + 18
        else:
            x += form.width + MARGIN
    return _draw_changes(canvas.group("changes"), comparison, marked, MARGIN, bottom + 30, width)


def _draw_side(canvas: Canvas, heading: str, picture: Picture, badges: Badges, form: Form, x: float, y: float) -> float:
    canvas.text("accent bold", x, y + 14, form.width, 13, heading)
    y += 24
    return draw_picture(canvas, picture, form, x, y, f"dashboard {picture.resource}", badges)


def _only_changed(picture: Picture, badges: Badges) -> Picture:
    """Return a picture without unchanged tiles: if tiles are stacked, they would move both sides too far apart."""
    kept = tuple(tile for tile in picture.tiles if tile.key in badges)
    same = len(picture.tiles) - len(kept)
    if not same:
        return picture
    containers = tuple(box for box in picture.containers if any(tile.container == box.id for tile in kept))
    note = f"{same} more {'tile stays' if same == 1 else 'tiles stay'} unchanged."
    return replace(picture, tiles=kept, containers=containers, notes=(*picture.notes, note))


def _draw_changes(
    canvas: Canvas, comparison: Comparison, marked: Sequence[TileDifference], x: float, y: float, width: float
) -> float:
    canvas.line("frame", x, y - 18, x + width, y - 18)
    canvas.text("ink bold", x, y, width, 13, comparison.headline)
    y = _draw_properties(canvas, comparison.properties, x, y, width)
    for each in marked:
        y += 21
        canvas.text(f"{each.kind} bold", x, y, width, 12, f"{each.words}: {each.name}")
        y = _draw_properties(canvas, each.properties, x, y, width)
    return y


def _draw_properties(
    canvas: Canvas, properties: Sequence[PropertyDifference], x: float, y: float, width: float
) -> float:
    lines = [each.words for each in properties[:MAX_PROPERTIES]]
    if len(properties) > MAX_PROPERTIES:
        lines.append(f"… and {len(properties) - MAX_PROPERTIES} more")
    for line in lines:
        y += 16
        canvas.text("soft mono", x + 14, y, width - 14, 10.5, line)
    return y
