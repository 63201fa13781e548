"""What docs/measurements.md shows of benchmarks/figures.json: its tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.kept import read
from benchmarks.reasons import reason

from .charts import Bar, Chart
from .docs import table
from .names import NOTICE

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


# -- charts ------------------------------------------------------------------------------------------------------------

Chosen = Callable[[Figure], bool]


def grouped(
    part: str, chosen: Chosen, group: Callable[[Figure], str], label: Callable[[Figure], str]
) -> list[tuple[str, list[Bar]]]:
    """Return the bars of a part by their headings."""
    found: dict[str, list[Bar]] = {}
    for each in read(KEPT)[1]:
        if each.part == part and chosen(each):
            found.setdefault(group(each), []).append(Bar(label(each), each.value, each.floor, words(each)))
    return list(found.items())


def front_end(figure: Figure) -> str:
    """Return the front end that a figure is of, if it is of one."""
    return figure.where.get("front end", "")


def charts() -> Iterator[tuple[str, str]]:
    """Yield the path in the repository and the text of each chart."""
    drawn = {
        "requests": Chart(
            "Requests under the published limit (neutral dialect)",
            "posts, puts, deletes and the polls and lists that they need at least",
            grouped(
                "requests",
                lambda each: each.name.endswith(": requests") and each.where["dialect"] == "neutral",
                lambda each: _row(each).replace(": requests", ""),
                front_end,
            ),
        ),
        "fleets": Chart(
            "Seconds until the last of many stacks with one key is done",
            "what the limit dictates",
            grouped(
                "fleets",
                lambda each: each.name.endswith(": time"),
                lambda each: each.name.removesuffix(": time"),
                front_end,
            ),
        ),
        "cpu": Chart(
            "Processor time of each call with the plugin, in milliseconds",
            "a plugin that does nothing, and bare httpx where a request is sent",
            grouped(
                "cpu",
                lambda each: each.unit == "ms" and front_end(each) == "plugin",
                lambda each: each.name.split()[-1],
                lambda each: each.name.split()[0],
            ),
        ),
        "start": Chart(
            "Seconds of each start; of processor time unless it says time",
            "the least that does the same; see the table",
            grouped("start", lambda _: True, lambda _: "", lambda each: ", ".join([each.name, *each.where.values()])),
        ),
        "growth": Chart(
            "Milliseconds of the provider's processor time for each dashboard",
            "a provider that does nothing",
            per_dashboard(),
        ),
        "state": Chart(
            "Bytes of an object in state (neutral dialect)",
            "its inputs and outputs alone",
            grouped("state", lambda each: each.where["dialect"] == "neutral", lambda each: each.name, front_end),
        ),
    }
    for name, chart in drawn.items():
        yield f"docs/performance/{name}.svg", chart.text(NOTICE.format(SOURCE))


def per_dashboard() -> list[tuple[str, list[Bar]]]:
    """Return processor time by the size of the stack."""
    found: dict[str, list[Bar]] = {}
    for each in read(KEPT)[1]:
        if each.part == "growth" and each.name.endswith("processor time"):
            many = int(each.where["dashboards"].replace(",", ""))
            value, floor = each.value / many * 1000, each.floor / many * 1000
            name = f"{each.name.partition(':')[0]}, {each.where['front end']}"
            label = f"{each.where['dashboards']} dashboards"
            found.setdefault(name, []).append(Bar(label, value, floor, f"{number(value)} ms ({value / floor:.2f}x)"))
    return list(found.items())
