"""The exit codes of all commands: each is in the help of its command, and no command uses another one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

import pulumi_clouddb
from clouddb_tools.commands.doctor.finding import DoctorExit
from clouddb_tools.commands.exit_codes import (
    DashboardsExit,
    ExportExit,
    FindExit,
    HelpExit,
    ImportFileExit,
    MeaningfulCode,
    RenderExit,
    RequirementExit,
    SandboxExit,
)
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.main import app

PACKAGES = Path(pulumi_clouddb.__file__).parents[1]

CODES: dict[str, type[MeaningfulCode]] = {
    "ci": ExitCode,
    "dashboards": DashboardsExit,
    "doctor": DoctorExit,
    "export": ExportExit,
    "find": FindExit,
    "help": HelpExit,
    "import-file": ImportFileExit,
    "render": RenderExit,
    "requirement": RequirementExit,
    "sandbox": SandboxExit,
}
"""The codes of each command, or of all commands of a group."""

EXIT = re.compile(r"(\b|_)([Ee]xit|SystemExit)$")
"""Names of calls that end a command or a process: `typer.Exit`, `sys.exit`, `os._exit`, `SystemExit`."""


def commands(name: str, command: Any) -> Iterator[str]:
    """Yield a command and its subcommands, as on the command line."""
    yield name
    for below, each in getattr(command, "commands", {}).items():
        yield from commands(f"{name} {below}", each)


@pytest.mark.parametrize(
    "words", ["export -o x", "import-file Service:a=b", "doctor", "find x", "render -o x.svg", "ci preview"]
)
def test_empty_stack_is_rejected(words: str) -> None:
    """In a script, a variable can be unset; Pulumi would then use the selected stack."""
    done = CliRunner().invoke(app, [*words.split(), "--stack", ""], env={"COLUMNS": "200"})
    assert done.exit_code == CODES[words.split()[0]]["USAGE"]
    assert "it is empty; set the name of a stack" in done.output


def test_help_of_every_command_has_its_exit_codes() -> None:
    """With the meanings of its enum; every command must have one."""
    group: Any = typer.main.get_command(app)
    assert set(group.commands) == set(CODES)
    for name, command in group.commands.items():
        for each in commands(name, command):
            shown = " ".join(CliRunner().invoke(app, [*each.split(), "--help"]).output.split())
            assert [code for code in CODES[name] if f"{code.value} {code.meaning}" not in shown] == [], each


def test_commands_exit_only_with_codes_of_an_enum() -> None:
    """The types restrict the argument of `end`; nothing else in the packages ends a process with a code."""
    enums, ends = set(), set()
    for file in (each for name in ("clouddb_tools", "pulumi_clouddb") for each in (PACKAGES / name).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "xit(" in text or "MeaningfulCode" in text else ():
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "MeaningfulCode" for base in node.bases):
                enums.add(node.name)
            elif isinstance(node, ast.Call) and node.args and EXIT.search(ast.unparse(node.func)):
                ends.add(str(file.relative_to(PACKAGES)))
    assert enums == {codes.__name__ for codes in CODES.values()}
    assert ends == {
        "clouddb_tools/commands/__main__.py",  # which runs without typer
        "clouddb_tools/commands/exit_codes.py",
        "clouddb_tools/commands/main.py",
        "pulumi_clouddb/engine/wire/server.py",
        "clouddb_tools/testing/fake_engine/run_program.py",
    }  # the last two are the plugin and a program, not commands
