"""Terminal output of texts of servers and files has no control characters."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from clouddb_tools.commands.gitops.markdown import markdown
from clouddb_tools.commands.gitops.report import Change, Message, PropertyChange, Report, ResourceChange, Violation
from clouddb_tools.commands.gitops.terminal import show
from clouddb_tools.commands.main import app
from clouddb_tools.commands.printing import console
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.schema.printable import printable
from support.five import environment

TEXTS = {
    "plain": ("Orders: 5 µs, 東京 👩‍💻", "Orders: 5 µs, 東京 👩‍💻"),
    "lines and tabs": ("a\n\tb", "a\n\tb"),
    "an escape sequence": ("\x1b[2J", r"\u001b[2J"),
    "a carriage return": ("good\rbad", r"good\u000dbad"),
    "control characters of one byte": ("\x9b31m\x7f\x00", r"\u009b31m\u007f\u0000"),
    "another direction": ("a\u202eb\u2066", r"a\u202eb\u2066"),
    "another line separator": ("a\u2028b\x85", r"a\u2028b\u0085"),
    "half of a surrogate pair": ("\ud800", r"\ud800"),
    "an invisible character": ("a\U000e0041", r"a\udb40\udc41"),
}


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_printable_escapes_control_characters(text: str, shown: str) -> None:
    """Escaped JSON decodes to the original text, and to escape twice changes nothing."""
    assert printable(text) == shown == printable(shown)
    document = json.dumps(text, ensure_ascii=False)
    assert json.loads(printable(document)) == text


NAME = "Orders\x1b[2J\x9b31m\u202e"
ESCAPED = r"Orders\u001b[2J\u009b31m\u202e"


def test_console_keeps_only_its_own_colours() -> None:
    """All other control characters in lines and tables are escaped."""
    screen = console(file=io.StringIO(), force_terminal=True, color_system="standard", width=200)
    table = Table(NAME, title=NAME)
    table.add_row(Text(NAME, style="red"))
    screen.print(Text(NAME, style="red"), table, NAME)
    assert isinstance(screen.file, io.StringIO)
    written = screen.file.getvalue()
    assert "\x1b[31m" + ESCAPED in written
    without = re.sub("\x1b\\[[0-9]+m", "", written)
    assert without.count(r"Orders\u001b") == 5
    assert printable(without) == without


def test_error_messages_are_printable() -> None:
    """The message itself is escaped, so Pulumi prints it safely, too."""
    assert str(CloudDBError(f"GET services: {NAME}\nTry again.")) == f"GET services: {ESCAPED}\nTry again."


def exported(sandbox: Sandbox, folder: Path, service: str) -> list[str]:
    """Export a service with that name, and objects whose references are invalid."""
    sandbox.add("dashboards", serviceId=service, name=NAME)
    sandbox.add("alerts", serviceId=service, name=NAME, dashboardId=NAME)
    return ["export", "--output", str(folder)]


def imported(_: Sandbox, folder: Path, service: str) -> list[str]:
    """Import the service; the program is printed to standard output."""
    return ["import-file", f"Service:orders={service}", "--output", str(folder / "import.json")]


def not_imported(sandbox: Sandbox, folder: Path, service: str) -> list[str]:
    """Fail to import, with the server's text."""
    sandbox.fault("list_services", "status", status=403, text=NAME, times=9)
    return imported(sandbox, folder, service)


def drawn(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """Fail to draw dashboards, with the server's text."""
    sandbox.fault("self_hosted_list_dashboards", "status", status=403, text=NAME, times=9)
    return ["render", "--live", "all", "--output", str(folder / "page.html")]


def seeded(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """Fail to seed objects of an unknown kind."""
    file = folder / "objects.json"
    file.write_text(json.dumps({NAME: []}), encoding="utf-8")
    return ["sandbox", "seed", str(file), "--port", sandbox.url.rpartition(":")[2]]


def not_seeded(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """Fail to seed from invalid YAML, which the error quotes."""
    file = folder / "objects.yaml"
    file.write_text(f"services: [{NAME}", encoding="utf-8")
    return ["sandbox", "seed", str(file), "--port", sandbox.url.rpartition(":")[2]]


def logged(sandbox: Sandbox, _: Path, __: str) -> list[str]:
    """Print the log of a request with the name in its body."""
    with sandbox.management() as http:
        http.post("/services", json={"name": NAME})
    return ["sandbox", "log", "--json", "--port", sandbox.url.rpartition(":")[2]]


COMMANDS = (exported, imported, not_imported, drawn, seeded, not_seeded, logged)


@pytest.mark.parametrize("prepare", COMMANDS, ids=lambda prepare: prepare.__name__)
def test_commands_print_no_control_characters(
    prepare: Callable[[Sandbox, Path, str], list[str]], tmp_path: Path
) -> None:
    """Neither in their output nor in the files that they write."""
    with Sandbox(vocabulary="neutral") as sandbox:
        words = prepare(sandbox, tmp_path / "out" if prepare is exported else tmp_path, made(sandbox))
        result = CliRunner().invoke(app, words, env=environment(sandbox))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "[2J" in result.output or prepare in (exported, not_seeded)
    for text in (result.output, *(file.read_text() for file in (tmp_path / "out").glob("*"))):
        assert printable(text) == text


def made(sandbox: Sandbox) -> str:
    """Create a service with that name, and return its id."""
    return str(sandbox.add("services", name=NAME)["id"])


def test_reports_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal and in Markdown, for all texts of Pulumi and its plugins."""
    urn = f"urn:pulumi:dev::shop::clouddb:index:Service::{NAME}"
    change = PropertyChange(path=NAME, kind="update", old=NAME, new=NAME)
    report = Report(
        command="preview",
        project=NAME,
        stack=NAME,
        explanation=NAME,
        resources=[ResourceChange(urn=urn, operation="update", type="t:t:T", name=NAME, properties=[change])],
        violations=[Violation(pack=NAME, policy=NAME, level="mandatory", message=NAME, urn=urn)],
        moved=[Change(what=NAME, planned=NAME, now=NAME)],
        messages=[Message(severity="error", text=NAME, urn=urn)],
    )
    show(console(), report)
    for text in (capsys.readouterr().out, markdown(report)):
        assert printable(text) == text
        assert "u001b" in text
