"""`clouddb help` shows the pages of the manual; a wheel brings them (tests/package/test_contents.py)."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands import manual
from clouddb_tools.commands.exit_codes import HelpExit
from clouddb_tools.commands.main import app
from docsite import hooks
from support.questions import NEVER_TUNED_FOR

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("restoring", "restoring.md"),
        ("docs/restoring.md#a-deleted-service", "restoring.md"),
        ("on fire", "on-fire.md"),
        ("PipeScaling", "reference/pipe_scaling.md"),
        ("pipe-scaling", "reference/pipe_scaling.md"),
        ("get_pipe", "reference/functions/get_pipe.md"),
        ("reference", "reference/index.md"),
    ],
)
def test_page_is_found_in_any_spelling(words: str, page: str) -> None:
    """As a file, as a link in another page, in words, and as the name of a resource or function."""
    result = CliRunner().invoke(app, ["help", *words.split()])
    title = next(line for line in (DOCS / page).read_text(encoding="utf-8").splitlines() if line.startswith("# "))
    assert (result.exit_code, result.output.splitlines()[0]) == (HelpExit.SHOWN, title)


def test_all_pages_are_listed_by_name() -> None:
    """Each name in the list leads to its page, and no two pages have one name."""
    listed = [line.split()[0] for line in CliRunner().invoke(app, ["help"]).output.splitlines()]
    pages = [path for path in DOCS.rglob("*.md") if path.stem not in manual.REGISTRY]
    assert len(set(listed)) == len(listed) == len(pages)
    assert [name for name in listed if CliRunner().invoke(app, ["help", name]).exit_code != HelpExit.SHOWN] == []


def test_page_is_shown_without_what_only_the_site_needs() -> None:
    """Comments, and anchors of subjects that are on another page now."""
    assert "<a id=" in (DOCS / "how-it-behaves.md").read_text(encoding="utf-8")
    assert not {"<a", "<!--"} & set(CliRunner().invoke(app, ["help", "how-it-behaves"]).output.split())


def test_sections_are_found_by_words_in_any_form() -> None:
    """Those with the words in the heading come first; a comment in code is no heading."""
    result = CliRunner().invoke(app, ["help", "deleted", "service"])
    assert result.exit_code == HelpExit.SHOWN
    assert [each for each in result.output.splitlines()[:4] if each.endswith("A deleted service")]
    headings = [each.heading for path in DOCS.rglob("*.md") for each in manual.sections("", path)]
    assert [each for each in headings if each.startswith(("!/", "pulumi config ", "import "))] == []


def test_words_in_several_sections_of_a_page_are_found() -> None:
    """The page's section with the most of them is named."""
    words = ["rollback", "exit", "code", "drift"]
    every = [each for path in DOCS.rglob("*.md") for each in manual.sections(path.stem, path)]
    assert not any(all(word in each.text.lower() for word in words) for each in every)
    result = CliRunner().invoke(app, ["help", *words])
    assert result.exit_code == HelpExit.SHOWN
    assert result.output.splitlines()[0].split() == ["gitops", "Exit", "codes"]


FIRST, WITHIN_THREE = 30, 43
"""At least so many pages of the questions that it was not tuned for come first, and within the first three.

Each edit of a page moves a few: three more of each when this was written.
"""


def test_questions_lead_to_their_pages() -> None:
    """Its figures are those of the site's search (tests/docs/test_site_search.py), or better ones."""
    index = manual.index_of(dict(manual.all_pages()))
    found = []
    for question, page in NEVER_TUNED_FOR.items():
        names = list(dict.fromkeys(name for name, _ in manual.ranked(index, question, manual.MOST_FOUND)))
        found.append((names, page.rstrip("/").rpartition("/")[2].replace("_", "-")))
    assert sum(page in names[:1] for names, page in found) >= FIRST
    assert sum(page in names[:3] for names, page in found) >= WITHIN_THREE


@pytest.mark.parametrize(
    "question", ["my pulumi up hangs", "Is the state file safe?", 'locked by "1" lock(s) -- AND NOT']
)
def test_question_may_be_a_sentence(question: str) -> None:
    """No sign or word of it is an operator of the search."""
    result = CliRunner().invoke(app, ["help", *question.split()])
    assert (result.exit_code, len(result.output.splitlines())) == (HelpExit.SHOWN, manual.MOST_FOUND + 1)


def test_pages_behind_others_are_those_of_contributors_and_the_lists_of_the_site() -> None:
    """mkdocs.yml has the first ones in a section of their own; they exist."""
    navigation = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition(f"- {hooks.INSIDE}:")[2]
    inside = {Path(page).stem for page in re.findall(r"\b[\w/-]+\.md$", navigation, re.MULTILINE)}
    lists = {Path(page).stem for page in hooks.LISTS}
    pages = {path.stem for path in DOCS.rglob("*.md")}
    assert (inside | lists) & pages == manual.BEHIND


class WithoutSearch:
    """A connection of an SQLite that was built without full-text search."""

    def execute(self, _: str) -> None:
        """Fail."""
        raise sqlite3.OperationalError("no such module: fts5")

    def close(self) -> None:
        """Close nothing."""


def test_python_without_full_text_search_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page can still be shown by its name."""
    monkeypatch.setattr(sqlite3, "connect", lambda _: WithoutSearch())
    result = CliRunner().invoke(app, ["help", "saved", "plan"])
    assert result.exit_code == HelpExit.NOT_FOUND
    assert "no such module: fts5" in result.output
    assert CliRunner().invoke(app, ["help", "gitops"]).exit_code == HelpExit.SHOWN


def test_words_that_no_page_has_lead_to_the_nearest_pages() -> None:
    """A misspelt page is named."""
    result = CliRunner().invoke(app, ["help", "restorign"])
    assert result.exit_code == HelpExit.NOT_FOUND
    assert "restoring" in result.output
