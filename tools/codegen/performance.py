"""What docs/measurements.md shows of benchmarks/figures.json: its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.kept import read
from benchmarks.reasons import reason

from .docs import table

SOURCE = "benchmarks/figures.json"
KEPT = Path(__file__).parents[2] / SOURCE
COLUMNS = ("front end", "dialect")
"""What makes a column of a table where it differs; the rest of where a figure is from is in its row."""

WIDE_APART = 1.25


def number(value: float) -> str:
    """Return a number with three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def words(figure: Figure) -> str:
    """Return a figure with its ratio."""
    ratio = f" ({figure.ratio:.2f}x)" if figure.ratio else ""
    return f"{number(figure.value)} {figure.unit}".rstrip() + ratio


def with_spread(figure: Figure) -> str:
    """Return a figure, and where its samples are far apart the least and the largest of them."""
    least, largest = min(figure.values), max(figure.values)
    apart = largest > WIDE_APART * least
    return words(figure) + (f", {number(least)} to {number(largest)}" if apart else "")


def part_table(part: str, _: Mapping[str, Any] | None = None) -> str:
    """Return the table of one part, and why some of its figures are more than twice their floors."""
    figures = [each for each in read(KEPT)[1] if each.part == part and not _left_out(each)]
    columns = list(dict.fromkeys(_column(each) for each in figures))
    rows: dict[str, dict[str, Figure]] = {}
    for each in figures:
        rows.setdefault(_row(each), {})[_column(each)] = each
    written = table(
        ["", *(column or "measured" for column in columns), "at least", "which is"],
        (
            [row, *(with_spread(found[column]) if column in found else "" for column in columns), *_floor(found)]
            for row, found in rows.items()
        ),
    )
    reasons = [f"- {each}" for each in dict.fromkeys(filter(None, map(reason, figures)))]
    return "\n\n".join([written, *(["More than twice the floor:", "\n".join(reasons)] if reasons else [])])


def _left_out(figure: Figure) -> bool:
    """Return whether the page leaves a figure to the file: the times of a stand-in engine are nobody's."""
    return figure.part == "growth" and figure.name.endswith(": time") and "dashboards" in figure.where


def _column(figure: Figure) -> str:
    return ", ".join(figure.where[each] for each in COLUMNS if each in figure.where)


def _row(figure: Figure) -> str:
    rest = [_said(name, value) for name, value in figure.where.items() if name not in COLUMNS]
    return ", ".join([figure.name, *rest])


def _said(name: str, value: str) -> str:
    if name == "checkpoints":
        return "with checkpoints" if value == "yes" else "without checkpoints"
    return f"{value} {name}" if name == "dashboards" else value


def _floor(found: Mapping[str, Figure]) -> list[str]:
    """Return the floors of a row, each once, and what they are."""
    floors = dict.fromkeys(f"{number(each.floor)} {each.unit}".rstrip() for each in found.values())
    return [" / ".join(floors), " / ".join(dict.fromkeys(each.floor_is for each in found.values()))]


def machine_words(_: Mapping[str, Any] | None = None) -> str:
    """Return what the figures were measured on."""
    facts = {name: value for name, value in read(KEPT)[0].items() if value}
    return table(list(facts), [[str(value) for value in facts.values()]])


TABLES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    f"{SOURCE}, machine": machine_words,
    **{
        f"{SOURCE}, {part}": partial(part_table, part)
        for part in ("requests", "fleets", "start", "cpu", "calls", "growth", "cli", "state", "policy")
    },
}
