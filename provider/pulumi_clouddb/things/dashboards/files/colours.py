"""Colours of files: before the server named them by hue, its page wrote their numbers."""

from __future__ import annotations

from pulumi_clouddb.things.dashboards.tile_parts import ChartPaletteToken

_BY_NUMBER = dict(
    zip(
        (f"chart-{number}" for number in range(1, 11)),
        (
            ChartPaletteToken.CHART_GREEN,
            ChartPaletteToken.CHART_BLUE,
            ChartPaletteToken.CHART_ORANGE,
            ChartPaletteToken.CHART_RED,
            ChartPaletteToken.CHART_CYAN,
            ChartPaletteToken.CHART_PINK,
            ChartPaletteToken.CHART_PURPLE,
            ChartPaletteToken.CHART_LIGHT_BLUE,
            ChartPaletteToken.CHART_BROWN,
            ChartPaletteToken.CHART_GRAY,
        ),
        strict=True,
    )
)
_KNOWN = frozenset(each.value for each in ChartPaletteToken)


def healed(colour: str) -> str | None:
    """Return the name of a colour, as `resolveChartPaletteToken` of the server does; None if it is unknown."""
    if colour in _BY_NUMBER:
        return str(_BY_NUMBER[colour].value)
    return colour if colour in _KNOWN else None
