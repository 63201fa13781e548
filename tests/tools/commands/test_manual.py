"""`clouddb help` shows the pages of the manual; a wheel brings them (tests/package/test_contents.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands import manual
from clouddb_tools.commands.exit_codes import HelpExit
from clouddb_tools.commands.main import app

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


def test_sections_with_all_words_are_found() -> None:
    """Those with the words in the heading come first; a comment in code is no heading."""
    result = CliRunner().invoke(app, ["help", "deleted", "service"])
    assert result.exit_code == HelpExit.SHOWN
    assert "A deleted service" in result.output.splitlines()[0]
    headings = [each.heading for path in DOCS.rglob("*.md") for each in manual.sections("", path)]
    assert [each for each in headings if each.startswith(("!/", "pulumi ", "import "))] == []


def test_words_in_several_sections_of_a_page_are_found() -> None:
    """The page's section with the most of them is named."""
    words = ["rollback", "exit", "code", "drift"]
    every = [each for path in DOCS.rglob("*.md") for each in manual.sections(path.stem, path)]
    assert not any(all(word in each.text.lower() for word in words) for each in every)
    result = CliRunner().invoke(app, ["help", *words])
    assert result.exit_code == HelpExit.SHOWN
    assert result.output.splitlines()[0].split() == ["gitops", "Exit", "codes"]


def test_words_that_no_page_has_lead_to_the_nearest_pages() -> None:
    """A misspelt page is named."""
    result = CliRunner().invoke(app, ["help", "restorign"])
    assert result.exit_code == HelpExit.NOT_FOUND
    assert "restoring" in result.output
