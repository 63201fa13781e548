"""The report in the terminal, or without colours in the log of a CI job."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from .format import DRIFTED, UNSHOWN, cost, headline, passed, symbol, values
from .report import Report, ResourceChange, name_of, short_type

COLOURS = {"create": "green", "update": "yellow", "replace": "magenta", "delete": "red"}


def show(screen: Console, report: Report) -> None:
    """Print the changes, the problems and the outcome of a report."""
    for line in _lines(report):
        # One line each, without wrapping: users grep the logs of CI jobs. A further line of a text begins with a bar:
        # with `::`, GitHub's runner would take it for a command (actions/runner, ActionCommand.TryParseV2).
        screen.print(Text(line.plain.replace("\n", "\n    | "), style=line.style), soft_wrap=True)


def _lines(report: Report) -> Iterable[Text]:
    for change in report.endangered:
        yield Text(f"This {change.operation}s the database {change.name}, with all its data.", style="bold red")
    for quota in report.quotas:
        yield Text(f"This plan would exceed a quota. {passed(quota)}.", style="bold red")
    for change in report.drift:
        yield from _change(change, DRIFTED.get(change.operation, change.operation))
    if report.drift and report.resources:
        yield Text("Repair:")
    for change in report.resources:
        yield from _change(change, change.operation)
    for moved in report.moved:
        yield Text(f"moved: {moved.what}: {moved.planned} → {moved.now}", style="red")
    yield from _problems(report)
    for text in report.not_known:
        yield Text(text, style="yellow")
    yield Text(headline(report), style="bold")
    if report.explanation:
        yield Text(report.explanation)


def _problems(report: Report) -> Iterable[Text]:
    for each in report.violations:
        where = f" on {name_of(each.urn)}" if each.urn else ""
        style = "red" if each.level == "mandatory" else "yellow"
        yield Text(f"policy: {each.policy} ({each.level}){where}: {each.message}", style=style)
    for message in report.messages:
        where = f" on {name_of(message.urn)}" if message.urn else ""
        style = "red" if message.severity == "error" else "yellow"
        yield Text(f"{message.severity}{where}: {message.text}", style=style)


def _change(change: ResourceChange, label: str) -> Iterable[Text]:
    failed = " (failed)" if change.failed else ""
    colour = COLOURS.get(change.operation, "")
    yield Text(f"{symbol(change)} {label}: {change.name} ({short_type(change.type)}){failed}", style=colour)
    if change.cost is not None:
        yield Text(f"    {cost(change)}")
    if change.operation == "update" and not change.properties:
        yield Text(f"    {UNSHOWN}")
    for each in change.properties:
        shown = " → ".join(value for value in values(each) if value)
        removed = " removed" if each.kind == "delete" else ""
        forced = " (replaces)" if each.replaces else ""
        yield Text(f"    {each.path}: {shown}{removed}{forced}")
