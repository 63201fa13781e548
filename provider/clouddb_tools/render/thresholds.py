"""Thresholds of alerts in the plot of a tile: a line, its label, and a shaded side, on which the alert is raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pulumi_clouddb.things.alerts.parts import ThresholdType

from .canvas import Canvas
from .measure import clean, width_of
from .picture import AlertMark
from .shapes import SMALL, Area

MIN_PITCH = 17.0
"""The minimum distance of two lines: the height of a label."""


def draw_thresholds(canvas: Canvas, area: Area, alerts: Sequence[AlertMark]) -> None:
    """Draw a line for each threshold, in order from bottom to top, not to scale.

    Alerts for whose lines the area is too low share one label at the bottom.
    """
    drawn: list[AlertMark] = []
    levels: set[float] = set()
    for alert in alerts:
        if alert.bounds and len(levels | alert.bounds) <= max(1, int(area.h / MIN_PITCH) - 1):
            drawn.append(alert)
            levels |= alert.bounds
    pitch = area.h / (len(levels) + 1)
    y_of = {level: area.y + area.h - index * pitch for index, level in enumerate(sorted(levels), 1)}
    # Zones can overlap: all of them together must not hide the shape below.
    zones = canvas.group("zones", opacity=0.3 / (len(drawn) + 1.5)) if drawn else canvas
    for alert in drawn:
        _draw_zones(zones, area, alert, y_of)
    for level, y in y_of.items():
        canvas.line("threshold", area.x, y, area.x + area.w, y)
        _draw_label(canvas, area, y, [each for each in drawn if level == _labeled_bound(each)])
    _draw_label(canvas, area, area.y + area.h, [each for each in alerts if each not in drawn])


def _labeled_bound(alert: AlertMark) -> float | None:
    return alert.threshold if alert.upper is None else alert.upper


def _draw_zones(canvas: Canvas, area: Area, alert: AlertMark, y_of: Mapping[float, float]) -> None:
    """Shade the values for which the alert is raised."""
    if alert.threshold is None:
        return
    lower, top, bottom = y_of[alert.threshold], area.y, area.y + area.h
    upper = lower if alert.upper is None else y_of[alert.upper]
    start, end = sorted((lower, upper))  # a program may swap the bounds
    zones: list[tuple[float, float]] = []
    match alert.type:
        case ThresholdType.ABOVE | ThresholdType.ABOVE_EXCLUSIVE:
            zones = [(top, lower)]
        case ThresholdType.BELOW | ThresholdType.BELOW_OR_EQUAL:
            zones = [(lower, bottom)]
        case ThresholdType.BETWEEN:
            zones = [(start, end)]
        case ThresholdType.NOT_BETWEEN:
            zones = [(top, start), (end, bottom)]
    for zone_top, zone_bottom in zones:
        canvas.rect("alert zone", area.x, zone_top, area.w, zone_bottom - zone_top)


def _draw_label(canvas: Canvas, area: Area, y: float, alerts: Sequence[AlertMark]) -> None:
    """Draw the label of a line, in a shorter form if the full one is too wide; its title is the full label."""
    if not alerts:
        return

    def joined(text_of: Callable[[AlertMark], str]) -> str:
        return "; ".join(dict.fromkeys(map(text_of, alerts)))

    full = joined(lambda alert: alert.label)
    shortest = joined(lambda alert: alert.symbols or alert.condition)
    available = area.w - 8
    candidates = (full, joined(lambda alert: alert.condition), shortest)
    label = next((each for each in candidates if _label_width(each) <= available), shortest)
    width = min(_label_width(label), available)
    canvas.rect("card", area.x + 2, y - 15, width + 4, 13, 3)
    canvas.text("alert bold", area.x + 4, y - 4.5, available, SMALL, label, title=full)


def _label_width(label: str) -> float:
    return width_of(clean(label), SMALL, bold=True)
