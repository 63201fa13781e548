"""Every error that the package constructs has a heading in docs/troubleshooting.md."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen.raised import GAP, has_words, raised, raised_in, sources
from pulumi_clouddb import errors
from pulumi_clouddb.client import client
from pulumi_clouddb.registry import RESOURCES

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
HEADINGS = [line.lstrip("# ") for line in PAGE.splitlines() if line.startswith("###")]
ADVICE = [line for line in PAGE.splitlines() if line.startswith("**What to do.**")]


def constructions() -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls that construct a public error, unless its first line is that of another one."""
    worded = {(each.file, each.line) for each in raised() if any(has_words(text.split("\n")[0]) for text in each.texts)}
    for file, path in sources().items():
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        for call in calls:
            is_error = isinstance(call.func, ast.Name) and call.func.id in errors.__all__
            if is_error and (file, call.lineno) in worded:
                yield f"{file}, line {call.lineno}", call


def lines_of(call: ast.Call) -> Iterator[str]:
    """Yield the parts of messages in a call."""
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (line.strip(" :;,.") for line in node.value.split("\n"))


def test_every_error_class_has_a_heading() -> None:
    """The heading has advice below it."""
    assert set(errors.__all__) <= set(HEADINGS)


def test_every_message_is_on_the_page() -> None:
    """The problem is in a heading, the solution below it."""
    missing = [
        f"{where}: {words}"
        for where, call in constructions()
        for words in lines_of(call)
        if len(words.split()) > 3 and not any(words in text for text in (*HEADINGS, *ADVICE))
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ('raise ResourceError(f"{name} is closed", "Open it.")', [f"{GAP} is closed"]),
        ('return ResourceError(f"{name} is closed", "Open it.")', [f"{GAP} is closed"]),
        ('what = f"{name} is " + "closed"\nraise ConfigError(what)', [f"{GAP} is closed"]),
        ('raise ConfigError("it is open" if name else "it is closed")', ["it is open", "it is closed"]),
        ('all = []\nall.append("it is open")\nraise ConfigError("; ".join(all))', ["it is open"]),
        ('raise NotFoundError(operation, url, f"there is no {name}")', [f"there is no {GAP}"]),
        ('kind = ClientError if name else ConnectError\nraise kind(operation, url, "it is shut")', ["it is shut"]),
        ("raise ConfigError(_words())", ["it is closed"]),
        ('raise ConfigError(f"door {name}: {_words()}")', [f"door {GAP}: {GAP}", "it is closed"]),
        ("raise ConfigError(str(error))", []),
        ('waited.problem = f"{name} is closed"', [f"{GAP} is closed"]),
        ('raise typer.BadParameter("it is shut", param_hint="--door")', ["it is shut"]),
        ('raise usage_error(f"{name} is shut", "--door")', [f"{GAP} is shut"]),
    ],
)
def test_generator_finds_messages_of_all_forms(code: str, texts: list[str]) -> None:
    """The generator finds the message in each of them."""
    functions = f"def lookup(name):\n{textwrap.indent(code, '    ')}\ndef _words():\n    return 'it is closed'\n"
    (found,) = raised_in("client/made_up.py", functions, client)
    assert list(found.texts) == texts


MENDED = [name for name, each in RESOURCES.items() if "unusable_result" in vars(type(each)) and hasattr(each, "mend")]


@pytest.mark.parametrize("name", MENDED)
def test_object_that_cannot_be_used_has_the_advice_of_its_resource(name: str) -> None:
    """The page gives the advice of the error, and not that of waits in general."""
    assert f"**What to do.** {RESOURCES[name].mend}" in ADVICE  # type: ignore[attr-defined]
