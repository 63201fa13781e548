"""Reports of `clouddb ci`: from the engine's events to Markdown, JSON and text, without secrets.

The events in data/gitops were recorded from the real CLI; their addresses and ids are no longer valid.
"""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest
from markdown_it import MarkdownIt
from pulumi.automation.events import EngineEvent

from clouddb_tools.commands.gitops.differences import differences
from clouddb_tools.commands.gitops.events import DATABASES, Collector
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.gitops.markdown import LONGEST, code, markdown
from clouddb_tools.commands.gitops.project import Run
from clouddb_tools.commands.gitops.redaction import masked, secrets_of
from clouddb_tools.commands.gitops.report import (
    Change,
    DrawnDashboard,
    Message,
    Part,
    PropertyChange,
    QuotaPassed,
    Report,
    ResourceChange,
    Violation,
)
from clouddb_tools.testing import UNKNOWN, Secret
from pulumi_clouddb.things.postgres_services.postgres_service import POSTGRES_SERVICE
from support.printed import lines_of
from support.recorded import DATA, collected

GITHUB_LIMIT = 65_536


def report_of(name: str, command: Any = "preview", *, live: bool = False) -> Report:
    """Return the report of a recording."""
    events = collected(name, live=live)
    return Report(
        command=command,
        project="shop",
        stack="dev",
        counts=events.counts,
        resources=events.resources,
        violations=events.violations,
        messages=events.messages,
    )


# -- events of the engine ----------------------------------------------------------------------------------------------

RECORDED: dict[str, tuple[str, dict[str, int], dict[str, tuple[str, list[str]]]]] = {
    "an update has the most specific changed property": (
        "blocked",
        {"same": 1, "update": 1},
        {"orders": ("update", ['~ ipAccessList[0].source "203.0.113.0/24" "0.0.0.0/0"'])},
    ),
    "a replacement is one change, with its cause first": (
        "replaced",
        {"replace": 2},
        {
            "orders": ("replace", ['~! region "eu-central-1" "us-east-1"', "+ allowReplacement null true"]),
            "reports": ("replace", ['+! rotation null "1"']),
        },
    ),
    "drift has changed and deleted objects": (
        "drifted",
        {"delete": 1, "update": 1},
        {"orders": ("update", ["~ numReplicas 3 1"]), "reports": ("delete", [])},
    ),
    "a native provider's secret is masked": (
        "native",
        {"replace": 1},
        {"orders": ("replace", ['~! encryptionKey "[secret]" "[secret]"', "~ numReplicas 3 4"])},
    ),
}


@pytest.mark.parametrize(("name", "counts", "changes"), RECORDED.values(), ids=RECORDED)
def test_collector_converts_events_to_changes(
    name: str, counts: dict[str, int], changes: dict[str, tuple[str, list[str]]]
) -> None:
    """One change for each resource of either front end, without providers and the stack itself."""
    events = collected(name, live=name == "drifted")
    assert events.counts == counts
    signs = {"add": "+", "update": "~", "delete": "-"}
    assert {
        each.name: (
            each.operation,
            [
                f"{signs[change.kind]}{'!' * change.replaces} {change.path} "
                f"{json.dumps(change.old)} {json.dumps(change.new)}"
                for change in each.properties
            ],
        )
        for each in events.resources
    } == changes
    assert [each.name for each in events.resources if each.database] == ["orders"]


def test_a_postgres_service_is_a_database() -> None:
    """A repair must not replace one, and the report warns about it."""
    assert {POSTGRES_SERVICE.token, POSTGRES_SERVICE.dynamic_token} < DATABASES


def test_read_resources_are_not_changes() -> None:
    """One StackReference is read in each run, and another one was removed from the program."""
    events = collected("read")
    assert (events.resources, events.counts) == ([], {"same": 2})


def test_changes_of_tiles_are_listed_by_key() -> None:
    """A removed tile does not change the others, although the engine compares them by index."""
    (board,) = collected("removed").resources
    assert [(each.path, each.kind, each.secret) for each in board.properties] == [
        ('tiles["a"]', "delete", False),
        ('tiles["b"].config.markdown', "update", False),
        ('tiles["d"].config.markdown', "update", False),
    ]


def test_changed_secret_of_a_dynamic_resource_comes_from_the_plan() -> None:
    """Events mask both values; the plan also has inputs that differ only in spelling."""
    events = collected("secret")
    (before,) = events.resources
    assert [each.path for each in before.properties] == ["numReplicas"]
    changed = ("__registration", "name", "numReplicas", "region")
    events.changed_inputs = {before.urn: dict.fromkeys(changed, "update")}
    (after,) = events.resources
    assert [(each.path, each.new, each.secret) for each in after.properties] == [
        ("name", "[secret]", True),
        ("numReplicas", 5, False),
    ]


def test_messages_of_the_engine_about_itself_are_omitted() -> None:
    """Recordings have messages about the location of a plugin."""
    assert "from $PATH" in (DATA / "native.jsonl").read_text(encoding="utf-8")
    assert report_of("native").messages == []


def test_policy_pack_that_does_not_start_is_reported_with_its_error() -> None:
    """Pulumi reports it only as output of the pack; the CLI also prints the first line of the error."""
    heading = "Program failed with an unhandled exception:"
    printed = f"{heading}\npolicy pack not started: could not read policy pack port"
    (error,) = Run(False, collected("unstarted"), printed).messages
    first, *_, reason, last = error.text.splitlines()
    assert (error.severity, first, reason, last) == (
        "error",
        heading,
        "ModuleNotFoundError: No module named 'pulumi_policy'",
        "policy pack not started: could not read policy pack port",
    )
    assert error.text.count(heading) == 1


SELECT = """Traceback (most recent call last):
  File "pulumi-language-python-exec", line 232, in <module>
    loop.run_until_complete(coro)
  File "selectors.py", line 468, in select
    fd_event_list = self._selector.poll(timeout, max_ev)
                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
KeyboardInterrupt

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "pulumi-language-python-exec", line 244, in <module>
    executor.shutdown(wait=True)
KeyboardInterrupt
"""
"""The output of Pulumi's Python host when the engine interrupts it."""

FAILURE = ("error", "could not create the key", "urn:pulumi:dev::shop::clouddb:index:ApiKey::reports")
CONSEQUENCE = ("error", "expected resource operations for urn:pulumi:dev::shop::a::b but none were seen", "urn")
WARNING = ("warning", "the key expires soon", "")

PRINTED_ERRORS: dict[str, tuple[list[tuple[str, str, str]], str, list[str]]] = {
    "an interrupted program": ([], SELECT, []),
    "an interrupted thread": ([], f"Exception ignored in: <module 'threading'>\n{SELECT}", []),
    "other output of the program": ([], f"before\n{SELECT}after\n", ["before\nafter"]),
    "an exception of the program": (
        [],
        f'{SELECT}Traceback (most recent call last):\n  File "x.py"\nKeyError: 1\n',
        ['Traceback (most recent call last):\n  File "x.py"\nKeyError: 1'],
    ),
    "a consequence of another failure": ([CONSEQUENCE, FAILURE, WARNING], SELECT, [FAILURE[1], WARNING[1]]),
    "a resource that was removed from the program": ([CONSEQUENCE, WARNING], "", [CONSEQUENCE[1], WARNING[1]]),
}


@pytest.mark.parametrize(("events", "printed", "messages"), PRINTED_ERRORS.values(), ids=PRINTED_ERRORS)
def test_consequences_of_a_failure_are_omitted(
    events: list[tuple[str, str, str]], printed: str, messages: list[str]
) -> None:
    """The report has the cause, without the interruption of the program and the resources that were not reached."""
    collector = Collector()
    for severity, message, urn in [*events, *(("info#err", line, "") for line in printed.splitlines(keepends=True))]:
        event = {"severity": severity, "message": message, "urn": urn, "color": "never"}
        collector(EngineEvent.from_json({"sequence": 1, "timestamp": 1, "diagnosticEvent": event}))
    assert [each.text for each in Run(False, collector).messages] == messages


def test_violations_have_messages_and_blocking_ones_are_first() -> None:
    """An advisory violation does not block."""
    report = report_of("blocked")
    levels = [(each.policy, each.level) for each in report.violations]
    assert levels == [("no-open-ip", "mandatory"), ("adv", "advisory")]
    assert [each.policy for each in report.blocking] == ["no-open-ip"]
    assert "name the ranges that connect" in report.violations[0].message


def test_failed_step_is_marked_and_counted_as_failed() -> None:
    """The report has its error once."""
    report = report_of("failed", "apply")
    assert report.counts == {"failed": 1}
    assert [(each.name, each.failed) for each in report.resources] == [("orders", True)]
    (error,) = [each for each in report.messages if each.urn]
    assert error.text.startswith("service 'Orders' exists already")


DIFFERENCES: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "equal values": ({"a": 1, "b": [1, {"c": None}]}, {"a": 1.0, "b": [1, {}]}, []),
    "true is not one": ({"a": True}, {"a": 1}, [("a", "update")]),
    "an added entry": ({"a": [1]}, {"a": [1, 2]}, [("a[1]", "add")]),
    "a removed entry": ({"a": [{"b": 1}, 2]}, {"a": [{"b": 1}]}, [("a[1]", "delete")]),
    "a key that is not a name": ({"a": {"x.y": 1}}, {"a": {"x.y": 2}}, [('a["x.y"]', "update")]),
    "Pulumi's own properties": ({"__provider": "x", "a": {"__defaults": []}}, {"__provider": "y", "a": {}}, []),
    "an unknown value": ({"a": 1}, {"a": UNKNOWN}, [("a", "update")]),
    "equal masked secrets": ({"a": Secret("[secret]")}, {"a": Secret("[secret]")}, []),
    "a removed first tile": (
        {"tiles": [{"key": "a", "x": 1}, {"name": "b"}, {"name": "c"}]},
        {"tiles": [{"name": "b"}, {"name": "c"}]},
        [('tiles["a"]', "delete")],
    ),
    "an added tile before one that is edited and gets a key": (
        {"tiles": [{"name": "a", "config": {"select": [{"x": 1}, {"x": 2}]}}]},
        {"tiles": [{"name": "n"}, {"name": "a", "key": "k", "config": {"select": [{"x": 2}]}}]},
        [('tiles["n"]', "add"), ('tiles["k"].config.select[0]', "delete"), ('tiles["k"].key', "add")],
    ),
    "another order": (
        {"tiles": [{"name": "a"}, {"name": "b"}]},
        {"tiles": [{"name": "b"}, {"name": "a"}]},
        [("tiles", "update")],
    ),
    "elements with the same name": (
        {"filters": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]},
        {"filters": [{"name": "a", "x": 2}]},
        [("filters[0]", "delete")],
    ),
    "a secret in place of a plain value": ({"a": "x"}, {"a": Secret("[secret]")}, [("a", "update")]),
}


@pytest.mark.parametrize(("before", "after", "expected"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_differences(before: Any, after: Any, expected: list[tuple[str, str]]) -> None:
    """Paths are Pulumi's, except that elements of lists have names."""
    assert [(each.path, each.kind) for each in differences(before, after)] == expected


def test_differences_mask_secrets() -> None:
    """At any depth of an added value."""
    (change,) = differences({}, {"a": {"list": [Secret("hunter22")], "later": UNKNOWN}})
    assert change.secret
    assert change.new == {"list": ["[secret]"], "later": "[unknown]"}


# -- Markdown ----------------------------------------------------------------------------------------------------------

NASTY = {
    "a pipe": "a|b",
    "a backtick": "a`b``c",
    "HTML": "<script>alert(1)</script><img src=x>",
    "a line break": "one\ntwo",
    "emphasis": "**bold** _it_ ~~gone~~ $x$",
    "a link": "[text](https://example.com) ![](x)",
    "a mention": "@everyone #12",
    "an entity": "&lt;b&gt; &amp;",
    "a backslash": "a\\|b\\",
    "a comment's end": "--> <!-- x -->",
}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_values_are_escaped_in_markdown(text: str) -> None:
    """Every value is rendered unchanged in its table cell."""
    page = f"| a | b |\n|---|---|\n| {code(text)} | end |\n"
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page)
    (row,) = html.partition("<tbody>")[2].partition("</tbody>")[0].strip().split("<tr>")[1:]
    cell, end = row.split("<td>")[1:]
    assert end.strip().startswith("end</td>")
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    assert cell.strip() == f"<code>{escaped}</code></td>"


HOSTILE = (
    "    x\n# heading\r\n\n\x1b[31m::error::red\u202e | a | ` ``` \"'> </code></details></a> <h1>x</h1> --> "
    "[text](https://evil.example) ![](https://evil.example/x.png) <img src=x> https://evil.example www.evil.example\n"
    "- item\n1. first\n=====\n---\n::stop-commands::x\n| a |\n|---|\n<!-- clouddb ci"
)


def with_text(text: str, command: Any, **more: Any) -> Report:
    """Return a report that has everything, and a text in each place for one."""
    urn = f"urn:pulumi:dev::shop::clouddb:index:Service::{text}"

    def part(model: type[Part], **values: Any) -> Any:
        texts = {name: text for name, field in model.model_fields.items() if field.annotation is str}
        lists = {name: [text] for name, field in model.model_fields.items() if field.annotation == list[str]}
        return model(**{**texts, **lists, **({"urn": urn} if "urn" in texts else {}), **values})

    properties = [
        part(PropertyChange, kind=kind, old={text: text}, new=[text], replaces=True)
        for kind in get_args(PropertyChange.model_fields["kind"].annotation)
    ]
    changes = [
        part(ResourceChange, operation=each, database=True, failed=True, properties=some, cost=1.5)
        for each in ("replace", "create", text)
        for some in (properties, [])
    ]
    report: Report = part(
        Report,
        command=command,
        counts={text: 2, "create": 1},
        resources=changes,
        drift=changes,
        violations=[part(Violation, level=each) for each in ("mandatory", "advisory", text)],
        moved=[part(Change)],
        messages=[part(Message, severity=each) for each in ("error", "warning", text)],
        pictures=[part(DrawnDashboard), part(DrawnDashboard, url="")],
        quotas=[part(QuotaPassed, limit=1, planned=2), part(QuotaPassed, limit=1, planned=2, used=1)],
        **more,
    )
    return report


def structure(text: str) -> list[str]:
    """Return the blocks, the inline elements and the tags of a Markdown text, without texts and line breaks."""
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(text)
    found = [inner for each in tokens for inner in [each, *(each.children or ())]]
    html = {
        id(each): re.findall(r"<!--|-->|</?(?!br>)\w+", each.content) for each in found if each.type.startswith("html")
    }
    named = [" ".join([each.type, *html.get(id(each), ())]) for each in found]
    return [each for each in named if each not in ("text", "softbreak", "html_inline")]


@pytest.mark.parametrize("command", get_args(Report.model_fields["command"].annotation))
def test_text_of_others_adds_nothing_to_a_report(command: Any) -> None:
    """Every text of every part at once: headings, links, pictures, rows and tags are those of a harmless text."""
    usual, hostile = (markdown(with_text(each, command, outcome="ok")) for each in ("x", HOSTILE))
    assert "do not fit" not in hostile
    assert structure(hostile) == structure(usual)
    assert not re.search(r"[^\n\t -~←-⇿…±]|https?://|www\.", hostile)


@pytest.mark.parametrize("command", get_args(Report.model_fields["command"].annotation))
def test_text_of_others_is_no_command_of_a_runner(command: Any) -> None:
    """In the log of a job, no line of it begins like a command or another line of the report."""
    usual, hostile = (lines_of(with_text(each, command, outcome="ok")).splitlines() for each in ("x", HOSTILE))
    own = [each for each in hostile if not each.startswith("    | ")]
    assert len(own) == len(usual)
    assert not [each for each in hostile if re.search(r"^\s*::|[\x00-\x1f\x7f\u202e]", each)]


def test_long_reports_are_shortened_below_githubs_limit() -> None:
    """The report states that lines are omitted, and keeps its end."""
    change = PropertyChange(path="name", kind="update", old="ü" * 200, new="🦆" * 200)
    resources = [
        ResourceChange(operation="update", urn=f"urn::{n}", type="pkg:index:Thing", name=f"n{n}", properties=[change])
        for n in range(500)
    ]
    text = markdown(Report(command="preview", stack="dev", resources=resources, plan="a" * 64))
    assert len(text.encode()) <= LONGEST < GITHUB_LIMIT
    assert "more lines do not fit here" in text
    assert "plan aaaaaaaaaaaa" in text.splitlines()[-1]
    assert sum(line.startswith("| ") for line in text.splitlines()) > 40


DANGERS = {
    "replaced": ("preview", "This replaces the database <code>orders</code> because of <code>region</code>"),
    "native": ("preview", "This replaces the database <code>orders</code> because of <code>encryptionKey</code>"),
}


@pytest.mark.parametrize(("name", "expected"), [(name, text) for name, (_, text) in DANGERS.items()], ids=DANGERS)
def test_replacement_of_a_database_is_at_the_top_of_the_report(name: str, expected: str) -> None:
    """Before the tables; a replaced key is not mentioned there."""
    text = markdown(report_of(name))
    assert expected in text
    assert text.index(expected) < text.index("| | Resource")
    assert text.count("with all its data") == 1
    assert "replaces the database orders, with all its data" in lines_of(report_of(name))


def test_report_has_tables_of_changes_and_violations() -> None:
    """Operation, name, type, properties with both values; policies with messages; counts in the headline."""
    text = markdown(report_of("blocked"))
    assert "1 to update, 1 unchanged" in text
    row = next(line for line in text.splitlines() if line.startswith("| <code>"))
    for part in ("update", "orders", "Service", "203.0.113.0/24", "→", "0.0.0.0/0"):
        assert part in row
    assert "**blocks**: <code>no-open-ip</code> on <code>orders</code>" in text


def big_report() -> Report:
    """Eight new services, a replaced and an updated one, three findings of two policies, and a warning."""
    added = [PropertyChange(path=path, kind="add", new=path) for path in ("name", "provider", "region")]
    renamed = PropertyChange(path="name", kind="update", old="a", new="b")
    moved = PropertyChange(path="region", kind="update", old="eu-central-1", new="us-east-1", replaces=True)

    def change(operation: str, name: str, *properties: PropertyChange) -> ResourceChange:
        token = "clouddb:index:Service"
        return ResourceChange(
            operation=operation, urn=f"urn::{name}", type=token, name=name, properties=[*properties], database=True
        )

    resources = [change("create", f"new-{n}", *added) for n in range(8)]
    resources += [change("update", "billing", renamed), change("replace", "orders", moved)]
    found = [("names", "advisory", "new-0"), ("no-open-ip", "mandatory", "new-1"), ("names", "advisory", "new-2")]
    return Report(
        command="preview",
        project="shop",
        stack="dev",
        outcome="policy",
        counts={"create": 8, "replace": 1, "same": 3, "update": 1},
        resources=resources,
        violations=[
            Violation(policy=policy, pack="clouddb", level=level, message=f"bad {name}", urn=f"urn::{name}")
            for policy, level, name in found
        ],
        messages=[
            Message(severity="warning", text="Updating dashboard 'Board' deletes alerts"),
            Message(severity="error", text="could not list the keys"),
        ],
    )


def test_report_begins_with_counts_and_decisions() -> None:
    """Counts, what has to be decided, warnings, changes (what loses something first), and advice at the end."""
    parts = (
        "8 to create, 1 to replace, 1 to update, 3 unchanged; blocked by 1 policy",
        "**Needs a decision**",
        "replaces the database <code>orders</code>",
        "**blocks**: <code>no-open-ip</code> on <code>new-1</code>",
        "**Problems**",
        "**error**: could not list",
        "**warning**: Updating dashboard",
        "</code> replace |",
        "</code> update |",
        "</code> create |",
        "<code>names</code>: 2 findings",
    )
    text = markdown(big_report())
    places = [text.find(part) for part in parts]
    assert places == sorted(places)
    assert -1 not in places, parts[places.index(-1)]


def test_error_alone_is_no_decision() -> None:
    """Nobody can decide about a preview that failed."""
    text = markdown(Report(command="preview", stack="dev", messages=[Message(severity="error", text="no key")]))
    assert "**Problems**" in text
    assert "decision" not in text


def test_new_resources_and_advice_are_folded() -> None:
    """A line for each new resource, and for each policy: the properties and findings are one click away."""
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown(big_report()))
    assert html.count("<details>") == html.count("</details>") == 9
    for fold in re.findall("<details>.*?</details>", html, re.DOTALL):
        summary, hidden = fold.split("</summary>")
        assert ("3 properties" in summary and "region" in hidden) or ("names" in summary and "bad new-2" in hidden)
    open_text = re.sub("<details>.*?</details>", "", html, flags=re.DOTALL)
    assert "eu-central-1" in open_text


def test_report_has_the_warnings_of_the_provider() -> None:
    """The front ends send warnings without a URN, because the text names the resource."""
    lost = "Updating dashboard 'Board' deletes alerts"
    report = Report(command="apply", stack="dev", messages=[Message(severity="warning", text=lost)])
    assert f"- **warning**: {lost}" in markdown(report)
    assert f"warning: {lost}" in lines_of(report)


def test_terminal_lines_are_not_wrapped() -> None:
    """Rich assumes 80 columns in the log of a build."""
    report = report_of("drifted", "drift", live=True)
    report.drift, report.resources, report.exit_code = report.resources, [], ExitCode.DRIFT
    report.moved = [Change(what="configuration shop:" + "x" * 80, planned="1", now="2")]
    lines = lines_of(report).splitlines()
    assert "    numReplicas: 3 → 1" in lines
    assert "- deleted on the server: reports (ApiKey)" in lines
    assert f"moved: configuration shop:{'x' * 80}: 1 → 2" in lines
    assert lines[-1] == "Drift of shop/dev: 2 objects differ"


# -- secrets -----------------------------------------------------------------------------------------------------------

SIGNED = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}


def test_secrets_are_collected_from_state_and_configuration() -> None:
    """At any depth, without short ones and the words in objects and lists, which would mask ordinary words."""
    state = {
        "resources": [
            {"outputs": {"password": {**SIGNED, "plaintext": '"p4ssw0rd!"'}}},
            {"inputs": {"list": {**SIGNED, "plaintext": '["entry-1one", {"a-word": "n0-word-1"}, 48.1516e7, 3]'}}},
            {
                "type": "pulumi:providers:pulumi-python",
                "inputs": {"clouddb:stackToken": "in-clear", "a:plain": "plain"},
            },
        ]
    }
    config = {
        "a:token": {"value": "t0ken-value", "secret": True},
        "a:object": {"value": '{"pin": 48151623, "list": ["entry-3three", "entry"]}', "secret": True},
        "a:plain": {"value": "plain-value", "secret": False},
        "clouddb:keySecret": {"value": "in-clear, too", "secret": False},
    }
    secrets = secrets_of(state, config, {"other-text", "other"})
    assert secrets - {config["a:object"]["value"]} == {
        *("p4ssw0rd!", "entry-1one", "n0-word-1", "481516000"),
        *("t0ken-value", "48151623", "entry-3three", "in-clear", "in-clear, too", "other-text"),
    }


def test_printed_secrets_are_masked_everywhere() -> None:
    """In all parts of a report."""
    word = "s3cret-word"
    report = Report(
        command="apply",
        stack="dev",
        explanation=f"failed with {word}",
        resources=[
            ResourceChange(
                operation="update",
                urn="urn",
                type="t",
                name=word,
                properties=[PropertyChange(path="a", kind="add", new={"deep": [f"x{word}y"]})],
            )
        ],
        violations=[Violation(policy="p", pack="p", level="mandatory", message=f"'{word}' is bad")],
        moved=[Change(what="configuration", planned=word, now="")],
        messages=[Message(severity="error", text=f"value {{&{{{{{word}}}}}}} has a problem")],
    )
    safe = masked(report, frozenset({word, "s3cret"}))
    for text in (safe.model_dump_json(), markdown(safe), lines_of(safe)):
        assert "s3cret" not in text
        assert "-word" not in text
        assert "[secret]" in text.replace("&#91;", "[").replace("&#93;", "]")


WORDS = ("preview", "update", "failed", "config", "displayType", "keySecret", "naming", "mandatory", "production")


def test_names_in_a_report_are_not_masked() -> None:
    """Secrets can be ordinary words; properties, settings, operations and policies keep their names."""
    report = Report(
        command="preview",
        stack="production",
        outcome="failed",
        counts={"update": 1},
        resources=[
            ResourceChange(
                operation="update",
                urn="urn",
                type="clouddb:index:Dashboard",
                name="board",
                properties=[
                    PropertyChange(path="tiles[0].config.displayType", kind="update", old="number", new="line")
                ],
            )
        ],
        violations=[Violation(policy="naming", pack="p", level="mandatory", message="config.displayType is 'update'")],
        moved=[Change(what="configuration clouddb:keySecret", planned="a secret", now="not set")],
        messages=[Message(severity="error", text="tiles[0].config.displayType must be line, not failed")],
    )
    safe = masked(report, frozenset(WORDS))
    assert safe.violations[0].message == "config.displayType is '[secret]'"
    assert safe.messages[0].text == "tiles[0].config.displayType must be line, not [secret]"
    named = {"violations": report.violations, "messages": report.messages}
    assert safe.model_copy(update=named) == report


def test_report_of_a_stack_named_as_a_part_of_a_secret_is_readable() -> None:
    """The values of `queryParams` are in many names."""
    state = {"resources": [{"inputs": {"queryParams": {**SIGNED, "plaintext": '{"environment": "production"}'}}}]}
    urn = "urn:pulumi:production::shop::clouddb:index:Service::production"
    changed = [PropertyChange(path="tags", kind="update", old=["production"], new=["staging", "production"])]
    report = Report(
        command="preview",
        project="shop",
        stack="production",
        resources=[ResourceChange(operation="update", urn=urn, type="t", name="production", properties=changed)],
        messages=[Message(severity="error", text=f"service production: run pulumi state unprotect '{urn}'", urn=urn)],
    )
    assert masked(report, secrets_of(state, {})) == report


PRINTED = {
    "an input that another provider rejects": (
        "random:index:Password resource 'p': property keepers value {map[a:{&{{one}}}]} has a problem: no",
        "random:index:Password resource 'p': property keepers value {map[a:[secret]]} has a problem: no",
    ),
    "steps that differ from the plan": (
        "violates plan: properties changed: ~~name[{&{{one}}}!={&{{two}} }}}], ++port[{1}]",
        "violates plan: properties changed: ~~name[[secret]], ++port[{1}]",
    ),
}


@pytest.mark.parametrize(("printed", "shown"), PRINTED.values(), ids=PRINTED)
def test_secrets_in_pulumis_notation_are_masked(printed: str, shown: str) -> None:
    """Only the notation shows that the value is a secret."""
    report = Report(command="apply", stack="dev", messages=[Message(severity="error", text=printed)])
    assert masked(report, frozenset()).messages[0].text == shown


# -- the JSON format ---------------------------------------------------------------------------------------------------


def test_json_report_round_trips() -> None:
    """It can be read with the same model, and has its version."""
    report = report_of("replaced")
    written = json.loads(report.model_dump_json(by_alias=True))
    assert written["version"] == 1
    assert {"exitCode", "resources", "violations", "moved"} <= written.keys()
    assert Report.model_validate(written) == report
