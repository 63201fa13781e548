"""Pages and workflow files name existing commands and options, make targets, files and tests."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from clouddb_tools.commands.main import app
from support.workflows import clouddb_commands

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^ *```\w*\n(.*?)^ *```|((?:^    [^\n]*\n)+)", re.DOTALL | re.MULTILINE)
PLACE = re.compile(r"(?<![\w./-])((?:tests|tools|benchmarks|examples|provider|docs)/[\w./-]*\w)")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def lines_of(page: Path) -> Iterator[list[str]]:
    """Yield the words of each command in a block or a span of code."""
    text = page.read_text(encoding="utf-8")
    blocks = "\n".join(a or b for a, b in BLOCK.findall(text)).replace("\\\n", " ").splitlines()
    for line in [*blocks, *re.findall(r"`([^`\n]+)`", text)]:
        command = line.rpartition("|")[2].strip()
        if command.startswith(("make ", "clouddb ")):
            yield shlex.split(command, comments=True)


@each_page
def test_named_make_targets_exist(page: Path) -> None:
    """Each `make NAME` names a target."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {words[1] for words in lines_of(page) if words[:1] == ["make"] and len(words) > 1}
    assert {each for each in named if re.fullmatch("[a-z-]+", each)} <= targets


@pytest.mark.parametrize("source", [*PAGES, "examples/gitops"], ids=lambda source: Path(source).name)
def test_named_commands_exist(source: Path | str) -> None:
    """Each `clouddb` command and its options exist."""
    every: Any = get_command(app)
    for words in clouddb_commands() if isinstance(source, str) else lines_of(source):
        if words[:1] != ["clouddb"]:
            continue
        command = every
        rest = words[1:]
        while rest and hasattr(command, "commands") and not rest[0].startswith("-"):
            command = command.commands[rest.pop(0)]
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
        options = {each.partition("=")[0] for each in rest if re.match("--?[a-z]", each)}
        assert options <= known, " ".join(words)


@each_page
def test_named_paths_exist(page: Path) -> None:
    """Folders and files that a page names exist."""
    named = {each for each in PLACE.findall(page.read_text(encoding="utf-8")) if "NAME" not in each}
    assert {each for each in named if not (ROOT / each).exists() and not (page.parent / each).exists()} == set()


def test_tests_of_reliability_exist() -> None:
    """The page names functions or files."""
    page = (ROOT / "docs" / "reliability-tests.md").read_text(encoding="utf-8")
    files = {each.name: each.read_text(encoding="utf-8") for each in (ROOT / "tests").rglob("test_*.py")}
    code = "\n".join(files.values())
    named = set(re.findall(r"`(test_\w+(?:\.py)?)`", page))
    assert {each for each in named if each not in files and f"def {each}(" not in code} == set()
