"""Colours of files: before the server named them by hue, its page wrote their numbers."""

from __future__ import annotations

from pulumi_clouddb.things.dashboards.tile_parts import ChartPaletteToken

_HUES = ("green", "blue", "orange", "red", "cyan", "pink", "purple", "light-blue", "brown", "gray")
_BY_NUMBER = {f"chart-{number}": f"chart-{hue}" for number, hue in enumerate(_HUES, start=1)}
_KNOWN = frozenset(each.value for each in ChartPaletteToken)


def healed(colour: str) -> str | None:
    """Return the name of a colour, as `resolveChartPaletteToken` of the server does; None if it is unknown."""
    named = _BY_NUMBER.get(colour, colour)
    return named if named in _KNOWN else None
