"""The report for a person at a terminal; the same lines without colours in a build's log."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from .format import DRIFTED, UNSHOWN, cost, headline, passed, symbol, values
from .report import Report, ResourceChange, name_of, short_type

COLOURS = {"create": "green", "update": "yellow", "replace": "magenta", "delete": "red"}


def show(screen: Console, report: Report) -> None:
    """Print a report: what happens, what is wrong, and in the last line how it ended."""
    for line in _lines(report):
        # One line each, whatever the width: a build's log is read by scrolling and by grep.
        screen.print(line, soft_wrap=True)


def _lines(report: Report) -> Iterable[Text]:
    for change in report.endangered:
        word = "replaces" if change.operation == "replace" else "deletes"
        yield Text(f"This {word} the database {change.name}, with all its data.", style="bold red")
    for quota in report.quotas:
        yield Text(f"This plan would pass a quota. {passed(quota)}.", style="bold red")
    for change in report.drift:
        yield from _change(change, DRIFTED.get(change.operation, change.operation))
    if report.drift and report.resources:
        yield Text("Repair:")
    for change in report.resources:
        yield from _change(change, change.operation)
    for moved in report.moved:
        yield Text(f"moved: {moved.what}: {moved.planned} → {moved.now}", style="red")
    for each in report.violations:
        where = f" on {name_of(each.urn)}" if each.urn else ""
        style = "red" if each.level == "mandatory" else "yellow"
        yield Text(f"policy: {each.policy} ({each.level}){where}: {_indented(each.message)}", style=style)
    for message in report.messages:
        where = f" on {name_of(message.urn)}" if message.urn else ""
        style = "red" if message.severity == "error" else "yellow"
        yield Text(f"{message.severity}{where}: {_indented(message.text)}", style=style)
    for words in report.not_known:
        yield Text(words, style="yellow")
    yield Text(headline(report), style="bold")
    if report.explanation:
        yield Text(report.explanation)


def _change(change: ResourceChange, word: str) -> Iterable[Text]:
    failed = " (failed)" if change.failed else ""
    colour = COLOURS.get(change.operation, "")
    yield Text(f"{symbol(change)} {word}: {change.name} ({short_type(change.type)}){failed}", style=colour)
    if told := cost(change):
        yield Text(f"    {told}")
    if change.operation == "update" and not change.properties:
        yield Text(f"    {UNSHOWN}")
    for each in change.properties:
        shown = " → ".join(value for value in values(each) if value)
        gone = " removed" if each.kind == "delete" else ""
        forced = " (replaces)" if each.replaces else ""
        yield Text(f"    {each.path}: {shown}{gone}{forced}")


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
