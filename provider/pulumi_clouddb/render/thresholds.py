"""The thresholds of alerts, drawn into the plot of their tile: a line, its text, and the side that raises the alert."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.alerts.fields import ThresholdType

from .canvas import Canvas
from .measure import clean, width_of
from .picture import AlertMark
from .shapes import SMALL, Area

UP = (ThresholdType.ABOVE, ThresholdType.ABOVE_EXCLUSIVE)
DOWN = (ThresholdType.BELOW, ThresholdType.BELOW_OR_EQUAL)
LEAST = 17.0
"""Between two lines there is room for one text."""


def draw_thresholds(canvas: Canvas, area: Area, alerts: Sequence[AlertMark]) -> None:
    """Draw a line for each threshold: in their order from top to bottom, not to scale."""
    shown: list[AlertMark] = []
    levels: set[float] = set()
    for alert in alerts:
        if alert.bounds and len(levels | alert.bounds) <= max(1, int(area.h / LEAST) - 1):
            shown.append(alert)
            levels |= alert.bounds
    pitch = area.h / (len(levels) + 1)
    at = {level: area.y + area.h - index * pitch for index, level in enumerate(sorted(levels), 1)}
    # Many zones lie over each other: together they must not hide what is below them.
    zones = canvas.group("zones", opacity=0.3 / (len(shown) + 1.5)) if shown else canvas
    for alert in shown:
        _zone(zones, area, alert, at)
    for level, y in at.items():
        canvas.line("threshold", area.x, y, area.x + area.w, y)
        said = [each for each in shown if level == (each.threshold if each.upper is None else each.upper)]
        _label(canvas, area, y, said)
    rest = [each for each in alerts if each not in shown]
    _label(canvas, area, area.y + area.h, rest)


def _zone(canvas: Canvas, area: Area, alert: AlertMark, at: dict[float, float]) -> None:
    """Shade the side on which the alert is raised."""
    if alert.threshold is None:
        return
    low, top, bottom = at[alert.threshold], area.y, area.y + area.h
    high = at[alert.upper] if alert.upper is not None else low
    sides = {
        **{kind: [(top, low)] for kind in UP},
        **{kind: [(low, bottom)] for kind in DOWN},
        ThresholdType.BETWEEN: [(min(high, low), max(high, low))],
        ThresholdType.NOT_BETWEEN: [(top, min(high, low)), (max(high, low), bottom)],
    }
    for start, end in sides.get(alert.type, []) if alert.type else []:
        canvas.rect("alert zone", area.x, start, area.w, end - start)


def _label(canvas: Canvas, area: Area, y: float, alerts: Sequence[AlertMark]) -> None:
    """Write the text of a line: in full, in fewer words or in signs, as there is room; its title has it in full."""
    if not alerts:
        return
    whole, words, signs = (
        "; ".join(dict.fromkeys(parts))
        for parts in (
            [each.label for each in alerts],
            [each.words for each in alerts],
            [each.short or each.words for each in alerts],
        )
    )
    room = area.w - 8
    said = next((each for each in (whole, words) if width_of(clean(each), SMALL, bold=True) <= room), signs)
    width = min(width_of(clean(said), SMALL, bold=True), room)
    canvas.rect("card", area.x + 2, y - 15, width + 4, 13, 3)
    canvas.text("alert bold", area.x + 4, y - 4.5, room, SMALL, said, title=whole)
