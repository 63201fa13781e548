"""The report as Markdown, for the comment on a pull request and the summary of a build."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from pulumi_clouddb.schema.printable import printable

from .format import DRIFTED, UNSHOWN, cost, headline, passed, symbol, values
from .report import DrawnDashboard, PropertyChange, Report, ResourceChange, name_of, short_type

LONGEST = 65_000
"""GitHub takes comments of up to 65,536 characters; counted here in bytes, to be on the safe side."""

MOST_PROPERTIES = 30
MARKS = re.compile(r"[\\`*_{}\[\]()#+!|~@$]")


def markdown(report: Report) -> str:
    """Return the report as Markdown of at most `LONGEST` bytes; what does not fit is left out, and said to be."""
    lines = list(_lines(report))
    note = f"\n*{{}} more lines do not fit here; the JSON report holds everything.*\n{_footer(report)}\n"
    room = LONGEST - len(note.encode()) - 10
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            return "\n".join(kept) + "\n" + note.format(len(lines) - len(kept))
        kept.append(line)
    return "\n".join([*kept, _footer(report)]) + "\n"


def _lines(report: Report) -> Iterable[str]:
    yield f"<!-- clouddb ci {report.command} {escaped(report.stack)} -->"
    yield f"### {escaped(headline(report))}"
    yield ""
    if report.explanation:
        yield f"{escaped(report.explanation)}"
        yield ""
    yield from _dangers(report)
    yield from _violations(report)
    yield from _moved(report)
    if report.drift:
        title = ["**On the server**", "", "| | Resource | Type | State → server |", "|---|---|---|---|"]
        yield from _table(title, report.drift, drifted=True)
    if report.resources:
        word = "Planned" if report.command == "preview" else "Done"
        title = [f"**{word}**", "", "| | Resource | Type | Properties |", "|---|---|---|---|"]
        yield from _table(title, report.resources, drifted=False)
    yield from _pictures(report)
    yield from _messages(report)


def _pictures(report: Report) -> Iterable[str]:
    """Yield the dashboards that change, with their pictures, or where these are."""
    if report.pictures:
        yield "**Dashboards**"
        yield ""
    for each in report.pictures:
        yield f"- {code(each.resource)}: {escaped(each.summary)} {_picture(each)}"
    if report.pictures:
        yield ""


def _picture(drawn: DrawnDashboard) -> str:
    if drawn.url:
        address = html.escape(drawn.url)
        return f'<br><a href="{address}"><img alt="{html.escape(drawn.name)}, before and after" src="{address}"></a>'
    return f"Picture: {code(drawn.file)}"


def _dangers(report: Report) -> Iterable[str]:
    for each in report.endangered:
        past = report.command != "preview"
        verb = {"replace": "replaced" if past else "replaces", "delete": "deleted" if past else "deletes"}[
            each.operation
        ]
        why = ", ".join(change.path for change in each.properties if change.replaces)
        reason = f" because of {code(why)}" if why else ""
        yield f"> **This {verb} the database {code(each.name)}{reason}, with all its data.**"
    for quota in report.quotas:
        yield f"> **This plan would pass a quota. {escaped(passed(quota))}.**"
    if report.endangered or report.quotas:
        yield ""


def _violations(report: Report) -> Iterable[str]:
    if not report.violations:
        return
    yield "**Policies**"
    yield ""
    for each in report.violations:
        where = f" on {code(name_of(each.urn))}" if each.urn else ""
        blocks = "blocks" if each.level == "mandatory" else "advises"
        yield f"- **{blocks}**: {code(each.policy)}{where}: {cell(each.message)}"
    yield ""


def _moved(report: Report) -> Iterable[str]:
    if not report.moved:
        return
    yield "| Moved | When planned | Now |"
    yield "|---|---|---|"
    for each in report.moved:
        yield f"| {cell(each.what)} | {cell(each.planned)} | {cell(each.now)} |"
    yield ""


def _table(title: list[str], changes: list[ResourceChange], *, drifted: bool) -> Iterable[str]:
    yield from title
    for each in changes:
        word = DRIFTED.get(each.operation, each.operation) if drifted else each.operation
        if each.failed:
            word += ", failed"
        properties = [_property(change) for change in each.properties[:MOST_PROPERTIES]]
        if len(each.properties) > MOST_PROPERTIES:
            properties.append(f"… and {len(each.properties) - MOST_PROPERTIES} more")
        if each.operation == "update" and not properties:
            properties.append(UNSHOWN)
        if told := cost(each):
            properties.append(escaped(told))
        sign = f"{code(symbol(each))} {word}"
        yield f"| {sign} | {code(each.name)} | {escaped(short_type(each.type))} | {'<br>'.join(properties)} |"
    yield ""


def _property(change: PropertyChange) -> str:
    old, new = values(change)
    forced = " **(replaces)**" if change.replaces else ""
    shown = " → ".join(code(value) for value in (old, new) if value)
    gone = " removed" if change.kind == "delete" else ""
    return f"{code(change.path)}: {shown}{gone}{forced}"


def _messages(report: Report) -> Iterable[str]:
    """Yield errors, and the warnings about resources; others are about the machine, and stay in the JSON report."""
    told = [each for each in report.messages if each.severity == "error" or each.urn]
    for each in told:
        where = f" on {code(name_of(each.urn))}" if each.urn else ""
        yield f"- **{each.severity}**{where}: {cell(each.text)}"
    for words in report.not_known:
        yield f"- {cell(words)}"
    if told or report.not_known:
        yield ""


def _footer(report: Report) -> str:
    parts = [f"outcome {report.outcome} ({report.exit_code})"]
    if report.commit:
        parts.append(f"commit {report.commit[:12]}")
    if report.plan:
        parts.append(f"plan {report.plan[:12]}")
    return f"<sub>clouddb ci {report.command}: {', '.join(parts)}</sub>"


def code(text: str) -> str:
    """Return a text as code that may stand in a table, whatever is in it."""
    return f"<code>{cell(text)}</code>"


def cell(text: str) -> str:
    """Return a text for one line: nothing in it is Markdown or HTML, and line breaks are shown as such."""
    return "<br>".join(escaped(line) for line in text.splitlines())


def escaped(text: str) -> str:
    """Return a text in which no character means anything to Markdown or HTML, or mentions anybody."""
    return MARKS.sub(
        lambda found: f"&#{ord(found.group())};", html.escape(printable(text), quote=False).replace("\n", " ")
    )
