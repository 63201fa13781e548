"""Whatever a server or a file says, a terminal shows it and does not obey it."""

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
    "a line of its own": ("a\u2028b\x85", r"a\u2028b\u0085"),
    "half of a surrogate pair": ("\ud800", r"\ud800"),
    "a character that nobody sees": ("a\U000e0041", r"a\udb40\udc41"),
}


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    """In JSON it is the same text as before; escaped twice, it is the same as once."""
    assert printable(text) == shown == printable(shown)
    document = json.dumps(text, ensure_ascii=False)
    assert json.loads(printable(document)) == text


NAME = "Orders\x1b[2J\x9b31m\u202e"
ESCAPED = r"Orders\u001b[2J\u009b31m\u202e"


def test_a_console_keeps_its_own_colours() -> None:
    """Nothing else passes: in lines, in tables, in what it shows while it works."""
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


def test_an_error_is_printable() -> None:
    """Also where Pulumi shows it."""
    assert str(CloudDBError(f"GET services: {NAME}\nTry again.")) == f"GET services: {ESCAPED}\nTry again."


def exported(sandbox: Sandbox, folder: Path, service: str) -> list[str]:
    """A service has the name; its setting cannot be read."""
    sandbox.add("dashboards", serviceId=service, name=NAME)
    sandbox.add("alerts", serviceId=service, name=NAME, dashboardId=NAME)
    return ["export", "--output", str(folder)]


def imported(_: Sandbox, folder: Path, service: str) -> list[str]:
    """The program goes to standard output."""
    return ["import-file", f"Service:orders={service}", "--output", str(folder / "import.json")]


def not_imported(sandbox: Sandbox, folder: Path, service: str) -> list[str]:
    """The server refuses in its own words."""
    sandbox.fault("list_services", "status", status=403, text=NAME, times=9)
    return imported(sandbox, folder, service)


def drawn(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """The server refuses."""
    sandbox.fault("self_hosted_list_dashboards", "status", status=403, text=NAME, times=9)
    return ["render", "--live", "all", "--output", str(folder / "page.html")]


def seeded(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """The objects are of no kind."""
    file = folder / "objects.json"
    file.write_text(json.dumps({NAME: []}), encoding="utf-8")
    return ["sandbox", "seed", str(file), "--port", sandbox.url.rpartition(":")[2]]


def not_seeded(sandbox: Sandbox, folder: Path, _: str) -> list[str]:
    """The file is no YAML; a part of it is quoted."""
    file = folder / "objects.yaml"
    file.write_text(f"services: [{NAME}", encoding="utf-8")
    return ["sandbox", "seed", str(file), "--port", sandbox.url.rpartition(":")[2]]


def logged(sandbox: Sandbox, _: Path, __: str) -> list[str]:
    """Bodies hold the name."""
    with sandbox.management() as http:
        http.post("/services", json={"name": NAME})
    return ["sandbox", "log", "--json", "--port", sandbox.url.rpartition(":")[2]]


COMMANDS = (exported, imported, not_imported, drawn, seeded, not_seeded, logged)


@pytest.mark.parametrize("prepare", COMMANDS, ids=lambda prepare: prepare.__name__)
def test_a_command_prints_no_control_character(
    prepare: Callable[[Sandbox, Path, str], list[str]], tmp_path: Path
) -> None:
    """What it says of a name with some; the files that it writes are text as well."""
    with Sandbox() as sandbox:
        words = prepare(sandbox, tmp_path / "out" if prepare is exported else tmp_path, made(sandbox))
        result = CliRunner().invoke(app, words, env=environment(sandbox))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "[2J" in result.output or prepare in (exported, not_seeded)
    for text in (result.output, *(file.read_text() for file in (tmp_path / "out").glob("*"))):
        assert printable(text) == text


def made(sandbox: Sandbox) -> str:
    """Return the id of a service of that name."""
    return str(sandbox.add("services", name=NAME)["id"])


def test_a_report_is_printable(capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal and as Markdown, whatever Pulumi and its plugins say."""
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
