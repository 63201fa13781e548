"""`clouddb help`: the pages of the manual at the terminal, as they were when this version was built."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer

from .exit_codes import HelpExit, end
from .printing import console, echo

if TYPE_CHECKING:
    import sqlite3

INSTALLED = Path(__file__).parents[1] / "manual"
"""Where setup.py puts the pages."""

CHECKOUT = Path(__file__).parents[3] / "docs"
"""Where they are in a checkout, which an editable installation runs from."""

REGISTRY = {"_index", "installation-configuration"}
"""Pages for the site of the Pulumi Registry, which repeat others."""

ALIKE = 0.6
"""The similarity of a page that is suggested, from 0 to 1."""

MOST_FOUND = 12
"""The most sections that a search names."""

BEHIND = {"acceptance", "architecture", "assumptions", "measurements", "operations", "policies", "real-servers"}
BEHIND |= {"reliability-tests"}
"""Pages for contributors, and lists that name nearly everything: like functions, they are found behind others."""

_INDEX = "CREATE VIRTUAL TABLE sections USING fts5(page, heading, title, text, behind UNINDEXED, tokenize = 'porter')"

_RANKED = """
SELECT page, heading FROM sections WHERE sections MATCH ?
ORDER BY bm25(sections, 5, 8, 4) * iif(behind, 0.3, 1) LIMIT ?
"""
"""A word weighs 5 in the name of a page, 8 in a heading and 4 in the title; the best rank is the lowest."""

_CODE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_INVISIBLE = re.compile(r"<!--.*?-->\s*|<a\s+id[^>]*></a>", re.DOTALL)
"""Comments, and anchors that lead on from old addresses."""


class Section(NamedTuple):
    """A section of a page: the name of the page, the heading, and the text below it."""

    page: str
    heading: str
    text: str


def manual(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE|WORDS",
            help="A page, such as restoring or Service, or a question, or words to find.",
            show_default="all pages",
        ),
    ] = None,
) -> None:
    """Show a page of the manual, the sections that answer a question, or the list of all pages."""
    pages = dict(sorted(all_pages(), key=lambda each: (len(each[1].parts), each[0])))
    if not words:
        for name, path in pages.items():
            echo(_line(name, sections(name, path)[0].heading))
    elif (page := named(pages, words)) is not None:
        _show(pages[page])
    else:
        _find(pages, words)


def all_pages() -> Iterator[tuple[str, Path]]:
    """Yield name and file of each page."""
    folder = INSTALLED if INSTALLED.is_dir() else CHECKOUT
    for path in folder.rglob("*.md"):
        if path.stem not in REGISTRY:
            yield (path.parent.name if path.stem == "index" else path.stem).replace("_", "-"), path


def named(pages: dict[str, Path], words: list[str]) -> str | None:
    """Return the page that the words name, in any spelling: `PipeScaling`, `pipe_scaling.md` and `Pipe scaling`."""
    wanted = _letters("".join(words).rpartition("/")[2].partition("#")[0].removesuffix(".md"))
    return next((name for name in pages if _letters(name) == wanted), None)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def sections(page: str, path: Path) -> list[Section]:
    """Return the sections of a page; the first one has its title as the heading."""
    text = _INVISIBLE.sub("", path.read_text(encoding="utf-8"))
    code = [found.span() for found in _CODE.finditer(text)]
    headings = [
        found
        for found in re.finditer(r"^#{1,3} (.*)$", text, re.MULTILINE)
        if not any(start <= found.start() < end_ for start, end_ in code)
    ]
    ends = [*(found.start() for found in headings[1:]), len(text)]
    return [Section(page, found[1], text[found.end() : end_]) for found, end_ in zip(headings, ends, strict=True)]


def _line(page: str, heading: str) -> str:
    return f"{page:<40}{heading}"


def _show(path: Path) -> None:
    text = _INVISIBLE.sub("", path.read_text(encoding="utf-8"))
    if not sys.stdout.isatty():
        echo(text.removesuffix("\n"))
        return
    from rich.markdown import Markdown

    os.environ.setdefault("LESS", "FRX")  # as git does: colours, and no waiting for a page that fits on the screen
    screen = console()
    with screen.pager(styles=True):
        screen.print(Markdown(re.sub(r"</?(details|summary)>", "", text)))


def _find(pages: dict[str, Path], words: list[str]) -> None:
    """Print the sections that the words describe, the best first; a word that many sections have counts little."""
    import sqlite3

    try:
        with closing(index_of(pages)) as index:
            found = ranked(index, " ".join(words), MOST_FOUND)
    except sqlite3.OperationalError as error:  # Python's own builds have FTS5
        echo(f"error: the SQLite of this Python cannot search: {error}\n`clouddb help` lists the pages.", err=True)
        end(HelpExit.NOT_FOUND)
    if not found:
        _not_found(pages, words)
    for page, heading in found:
        echo(_line(page, heading))
    echo("Show a page with `clouddb help PAGE`.", err=True)


def index_of(pages: dict[str, Path]) -> sqlite3.Connection:
    """Return a full-text index of the sections of all pages.

    Raises:
        sqlite3.OperationalError: SQLite has no full-text search.
    """
    import sqlite3

    index = sqlite3.connect(":memory:")
    index.execute(_INDEX)
    for name, path in pages.items():
        every = sections(name, path)
        behind = name in BEHIND or path.parent.name == "functions"
        rows = [(name, each.heading, every[0].heading, each.text, behind) for each in every]
        index.executemany("INSERT INTO sections VALUES (?, ?, ?, ?, ?)", rows)
    return index


def ranked(index: sqlite3.Connection, question: str, most: int) -> list[tuple[str, str]]:
    """Return page and heading of the sections that have any word of a question, the best first."""
    words = re.findall(r"\w+", question)
    any_of = " OR ".join(f'"{word}"' for word in words)
    return index.execute(_RANKED, (any_of, most)).fetchall() if words else []


def _not_found(pages: dict[str, Path], words: list[str]) -> NoReturn:
    from pulumi_clouddb.schema.names import similar

    near = similar("-".join(words), pages, 3, ALIKE)
    advice = f"The nearest pages: {', '.join(near)}." if near else "`clouddb help` lists the pages."
    echo(f"error: no page has any of the words {' '.join(words)!r}\n{advice}", err=True)
    end(HelpExit.NOT_FOUND)
