"""Figures in the terminal: a line for each, as soon as it is measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .figure import Figure

COLUMNS = "{:<64} {:<32} {:>12} {:>12} {:>7}  {}"


def shown(figures: Iterable[Figure], beside: Iterable[Figure] = ()) -> Iterator[Figure]:
    """Print each figure with its floor, and with that of another run, and yield it."""
    before = {each.key: _value(each) for each in beside}
    print(
        COLUMNS.format("measured", "where", "value", "floor", "ratio", "samples, floor" + ", other run" * bool(before))
    )
    for each in figures:
        print(COLUMNS.format(*_row(each, before.get(each.key))), flush=True)
        yield each


def _row(figure: Figure, before: str | None) -> list[str]:
    ratio = f"{figure.ratio:.2f}" if figure.ratio is not None else ""
    where = ", ".join(figure.where.values())
    rest = ", ".join(each for each in (spread(figure), figure.floor_is, before) if each)
    return [figure.name, where, _value(figure), f"{figure.floor:.4g}", ratio, rest]


def _value(figure: Figure) -> str:
    return f"{figure.value:.4g} {figure.unit}".rstrip()


def spread(figure: Figure) -> str:
    """Return the number of samples, with the minimum and the maximum of several."""
    several = f": {min(figure.values):.3g} to {max(figure.values):.3g}" if len(figure.values) > 1 else ""
    return f"{len(figure.values)}{several}"
