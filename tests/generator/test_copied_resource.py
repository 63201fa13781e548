"""The command that starts a resource: a copy is complete, and is not finished while it has something of its model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.start import Names, folder_of, main, marked, plural_of, renamed

ROOT = Path(__file__).parents[2]
FOLDERS = ("benchmarks", "docs", "examples", "provider", "tests", "tools")
FILES = ("pyproject.toml", "README.md", "schema.json")

MODELS = {
    "SavedQuery": "provider/pulumi_clouddb/things/price_alerts/price_alert.py",
    "Role": "tests/provider/things/price_alerts/life.py",
}
"""Resources to copy, and a file with something of theirs."""


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy of the repository."""
    places = ("provider", "tools", "tests", "tests/provider", "tests/tools")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(copy / each) for each in places)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(("model", "file"), MODELS.items(), ids=MODELS)
def test_copy_lacks_nothing_but_is_reported(model: str, file: str, tmp_path: Path) -> None:
    """All is generated from it, it has all parts, and one test names each line that is still the model's."""
    for each in FOLDERS:
        shutil.copytree(ROOT / each, tmp_path / each, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for each in FILES:
        shutil.copy(ROOT / each, tmp_path / each)
    for arguments in (("codegen.start", "PriceAlert", "--like", model), ("codegen",)):
        done = run(tmp_path, "-m", *arguments)
        assert done.returncode == 0, done.stderr
    done = run(tmp_path, "-m", "pytest", "-q", "tests/generator/test_parts.py", "-k", "PriceAlert")
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert [each.partition("::")[2] for each in failed] == [
        "test_nothing_is_left_of_the_resource_that_was_copied[PriceAlert]"
    ], done.stdout
    assert f"{file}:" in done.stdout
    assert f" is that of {model}" in done.stdout


TEXTS = {
    "names of classes": ("class ServedSavedQueries(Served): ...", "class ServedPriceAlerts(Served): ..."),
    "a name in snake case": ("saved_query_id = SAVED_QUERY", "price_alert_id = PRICE_ALERT"),
    "a function": ('x = "listSavedQueries"', 'x = "listPriceAlerts"'),
    "a placeholder": ('x = "/{savedQueryId}"', 'x = "/{priceAlertId}"'),
    "words": ('"""Saved queries; a saved query."""', '"""Price alerts; a price alert."""'),
    "an import from elsewhere": ("from a import SavedQueryKind", "from a import SavedQueryKind"),
    "an import of its own": ("from .api import SavedQueries", "from .api import PriceAlerts"),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_names_are_replaced(text: str, expected: str) -> None:
    """In names, texts and comments; what the model imports keeps its name."""
    names = Names(("SavedQuery", "saved_queries"), ("PriceAlert", "price_alerts"))
    assert renamed(text, names, "saved_queries") == expected


WORDS = {
    "a name": ("role_id = role.name", "index_key_id = index_key.name"),
    "a text": ('x = "the role, a role and roles"', 'x = "the index key, an index key and index keys"'),
    "a property": ('x = "roleId"', 'x = "indexKeyId"'),
    "an operation": ('x = "get_role"', 'x = "get_index_key"'),
    "a reference": ('x = Ref("role.actors")', 'x = Ref("indexKey.actors")'),
    "a property of others": ('x = "assignedRoleIds"', 'x = "assignedRoleIds"'),
    "a longer word": ('x = "enrolement"', 'x = "enrolement"'),
}


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS)
def test_name_of_one_word_is_replaced(text: str, expected: str) -> None:
    """Its forms are alike, so its place decides."""
    assert renamed(text, Names(("Role", "roles"), ("IndexKey", "index_keys")), "roles") == expected


def test_marks_are_above_what_a_copy_may_not_have() -> None:
    """Fields, methods and constants have one; operations and what only has names do not."""
    text = (
        "PATH = '/x'\nONE = PATH + '/{xId}'\n\nclass A:\n    model = X\n    name: str = prop('Name.')\n"
        "    LIST = of_vendor('list_x', 'GET', PATH)\n\n    @property\n    def other(self): ...\n"
    )
    found = marked(text, "Role").splitlines()
    assert [found[index + 1].strip() for index, line in enumerate(found) if "# From Role: " in line] == [
        "PATH = '/x'",
        "name: str = prop('Name.')",
        "@property",
    ]


REFUSED = {
    "an unknown model": ["PriceAlert", "--like", "Nothing"],
    "a model beside another one": ["PriceAlert", "--like", "SourceLinks"],
    "a known name": ["SavedQuery", "--like", "Role"],
    "a known folder": ["Rolle", "--like", "SavedQuery", "--plural", "roles"],
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED)
def test_nothing_is_written_over(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The error names what is wrong."""
    assert main(arguments) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(("one", "many"), [("saved_query", "saved_queries"), ("key", "keys"), ("index", "indexes")])
def test_plural_is_usual(one: str, many: str) -> None:
    """Another one is an option."""
    assert plural_of(one) == many
    assert folder_of("SavedQuery") == "saved_queries"
