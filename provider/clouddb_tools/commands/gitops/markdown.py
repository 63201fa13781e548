"""The report as Markdown, for comments on pull requests and job summaries."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from pulumi_clouddb.schema.printable import printable

from .format import DRIFTED, UNSHOWN, cost, headline, number, passed, symbol, values
from .report import DrawnDashboard, PropertyChange, Report, ResourceChange, Violation, name_of, short_type

LONGEST = 65_000
"""Maximum length in bytes; GitHub accepts comments of up to 65,536 characters."""

MOST_PROPERTIES = 30
RANKS = ("replace", "delete", "update", "import", "create")
"""The operations in the order of the table: what may lose something is at the top."""
MARKS = re.compile(r"[\\`*_{}\[\]()#+!|~@$]|:(?=//)|(?<=www)\.|\A([\s\-=:]|\d+(?=\.))")
"""What has a meaning in Markdown: anywhere, in an address that becomes a link, and at the beginning of a line."""


def markdown(report: Report) -> str:
    """Return the report as Markdown of at most `LONGEST` bytes, with a note if it is cut."""
    lines = list(_lines(report))
    note = f"\n*{{}} more lines do not fit here; the JSON report is complete.*\n{_footer(report)}\n"
    room = LONGEST - len(note.encode()) - 10
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            return "\n".join(kept) + "\n" + note.format(len(lines) - len(kept))
        kept.append(line)
    return "\n".join([*kept, _footer(report)]) + "\n"


def _lines(report: Report) -> Iterable[str]:
    # Workflows find the comment of an earlier run by this line, so it names the report's command and stack.
    yield f"<!-- clouddb ci {report.command} {escaped(f'{report.project}/{report.stack}')} -->"
    yield f"### {escaped(headline(report))}"
    yield ""
    if report.explanation:
        yield f"{escaped(report.explanation)}"
        yield ""
    yield from _decisions(report)
    yield from _warnings(report)
    yield from _moved(report)
    if report.drift:
        title = ["**On the server**", "", "| | Resource | Type | State → server |", "|---|---|---|---|"]
        yield from _table(title, report.drift, drifted=True)
    if report.resources:
        heading = "Planned" if report.command == "preview" else "Done"
        title = [f"**{heading}**", "", "| | Resource | Type | Properties |", "|---|---|---|---|"]
        yield from _table(title, sorted(report.resources, key=_rank), drifted=False)
    yield from _pictures(report)
    yield from _advice(report)


def _pictures(report: Report) -> Iterable[str]:
    """Yield the changed dashboards, with their pictures or the paths of the files."""
    if not report.pictures:
        return
    yield "**Dashboards**"
    yield ""
    for each in report.pictures:
        yield f"- {code(each.resource)}: {escaped(each.summary)} {_picture(each)}"
    yield ""


def _picture(drawn: DrawnDashboard) -> str:
    if drawn.url:
        address, name = (escaped(each).replace('"', "&quot;") for each in (drawn.url, drawn.name))
        return f'<br><a href="{address}"><img alt="{name}, before and after" src="{address}"></a>'
    return f"Picture: {code(drawn.file)}"


def _decisions(report: Report) -> Iterable[str]:
    """Yield what a person has to decide before an apply (lost data, quotas, policies that block), then the errors."""
    decisions = [*_dangers(report)]
    decisions += [f"**blocks**: {code(each.policy)}{_on(each.urn)}: {cell(each.message)}" for each in report.blocking]
    errors = [f"**error**{_on(each.urn)}: {cell(each.text)}" for each in report.messages if each.severity == "error"]
    parts = {"Needs a decision": decisions, "Problems": errors}
    for title, lines in parts.items() if report.command == "preview" else [("Problems", decisions + errors)]:
        if lines:
            yield f"> **{title}**"
            yield ">"
            yield from (f"> - {line}" for line in lines)
            yield ""


def _dangers(report: Report) -> Iterable[str]:
    for each in report.endangered:
        verb = each.operation + ("s" if report.command == "preview" else "d")
        paths = ", ".join(change.path for change in each.properties if change.replaces)
        reason = f" because of {code(paths)}" if paths else ""
        yield f"**This {verb} the database {code(each.name)}{reason}, with all its data.**"
    for quota in report.quotas:
        yield f"**This plan would exceed a quota. {escaped(passed(quota))}.**"


def _on(urn: str) -> str:
    return f" on {code(name_of(urn))}" if urn else ""


def _advice(report: Report) -> Iterable[str]:
    """Yield the violations that do not block, folded, by policy."""
    by_policy: dict[tuple[str, str], list[Violation]] = {}
    for each in report.violations:
        if each not in report.blocking:
            by_policy.setdefault((each.pack, each.policy), []).append(each)
    if by_policy:
        yield "**Advice**"
        yield ""
    for (_, policy), found in by_policy.items():
        summary = f"{code(policy)}: {number(len(found), 'finding', 'findings')}"
        lines = (f"- {code(name_of(each.urn)) + ': ' if each.urn else ''}{cell(each.message)}" for each in found)
        # One piece, so that a report that is cut has no block without an end.
        yield "\n".join([f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"])
    if by_policy:
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
        label = DRIFTED.get(each.operation, each.operation) if drifted else each.operation
        if each.failed:
            label += ", failed"
        properties = "<br>".join(_properties(each))
        if each.operation == "create" and len(each.properties) > 1:
            summary = number(len(each.properties), "property", "properties")
            properties = f"<details><summary>{summary}</summary>{properties}</details>"
        operation = f"{code(symbol(each))} {escaped(label)}"
        yield f"| {operation} | {code(each.name)} | {escaped(short_type(each.type))} | {properties} |"
    yield ""


def _properties(change: ResourceChange) -> Iterable[str]:
    yield from map(_property, change.properties[:MOST_PROPERTIES])
    if len(change.properties) > MOST_PROPERTIES:
        yield f"… and {len(change.properties) - MOST_PROPERTIES} more"
    if change.operation == "update" and not change.properties:
        yield UNSHOWN
    if change.cost is not None:
        yield escaped(cost(change))


def _rank(change: ResourceChange) -> tuple[bool, int]:
    """Return the place of a change: failed ones first, then those that lose something."""
    return not change.failed, RANKS.index(change.operation) if change.operation in RANKS else len(RANKS)


def _property(change: PropertyChange) -> str:
    old, new = values(change)
    forced = " **(replaces)**" if change.replaces else ""
    shown = " → ".join(code(value) for value in (old, new) if value)
    removed = " removed" if change.kind == "delete" else ""
    return f"{code(change.path)}: {shown}{removed}{forced}"


def _warnings(report: Report) -> Iterable[str]:
    others = [each for each in report.messages if each.severity != "error"]
    yield from (f"- **{escaped(each.severity)}**{_on(each.urn)}: {cell(each.text)}" for each in others)
    yield from (f"- {cell(text)}" for text in report.not_known)
    if others or report.not_known:
        yield ""


def _footer(report: Report) -> str:
    parts = [f"outcome {report.outcome} ({report.exit_code})"]
    if report.commit:
        parts.append(f"commit {escaped(report.commit[:12])}")
    if report.plan:
        parts.append(f"plan {escaped(report.plan[:12])}")
    return f"<sub>clouddb ci {report.command}: {', '.join(parts)}</sub>"


def code(text: str) -> str:
    """Return a text as code, escaped for a table."""
    return f"<code>{cell(text)}</code>"


def cell(text: str) -> str:
    """Return a text escaped for one line of a table, with its line breaks."""
    return "<br>".join(escaped(line) for line in text.splitlines())


def escaped(text: str) -> str:
    """Return a text of others as it must be in a report: one line without a meaning in Markdown and HTML."""
    text = html.escape(printable(text), quote=False).replace("\n", " ")
    return MARKS.sub(lambda found: "".join(f"&#{ord(each)};" for each in found.group()), text)
