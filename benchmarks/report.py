"""Figures as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from .figure import Figure


def show(figures: Iterable[Figure], beside: Iterable[Figure] = ()) -> None:
    """Print figures with their floors, and with those of another run."""
    before = {each.key: each for each in beside}
    table = Table("measured", "where", "value", "floor", "ratio", "samples", "the floor is")
    if before:
        table.add_column("other run")
    part = ""
    for each in figures:
        if each.part != part:
            part = each.part
            table.add_section()
        table.add_row(*_row(each), *([_value(before[each.key])] if each.key in before else []))
    Console(width=160).print(table)


def _row(figure: Figure) -> list[str]:
    ratio = f"{figure.ratio:.2f}" if figure.ratio is not None else ""
    count = f"{len(figure.values)}" if len(figure.values) == 1 else f"{len(figure.values)}: {spread(figure)}"
    where = ", ".join(figure.where.values())
    return [figure.name, where, _value(figure), f"{figure.floor:.4g}", ratio, count, figure.floor_is]


def _value(figure: Figure) -> str:
    return f"{figure.value:.4g} {figure.unit}".rstrip()


def spread(figure: Figure) -> str:
    """Return the minimum and the maximum of the samples."""
    return f"{min(figure.values):.3g} to {max(figure.values):.3g}"
