"""`clouddb help`: the pages of the manual at the terminal, as they were when this version was built."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple, NoReturn

import typer

from .exit_codes import HelpExit, end
from .printing import console, echo

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
            help="A page, such as restoring or Service, or words to find.",
            show_default="all pages",
        ),
    ] = None,
) -> None:
    """Show a page of the manual, the sections with some words, or the list of all pages."""
    pages = dict(sorted(_pages(), key=lambda each: (len(each[1].parts), each[0])))
    if not words:
        for name, path in pages.items():
            echo(_line(sections(name, path)[0]))
    elif (page := named(pages, words)) is not None:
        _show(pages[page])
    else:
        _find(pages, words)


def _pages() -> Iterator[tuple[str, Path]]:
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


def _line(section: Section) -> str:
    return f"{section.page:<40}{section.heading}"


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
    """Print the sections with the most words of each page that has all, those with the words in the heading first."""
    wanted = " ".join(words).lower().split()

    def count(*texts: str) -> int:
        return sum(word in " ".join(texts).lower() for word in wanted)

    found: list[Section] = []
    for every in (sections(name, path) for name, path in pages.items()):
        if count(*(f"{each.heading} {each.text}" for each in every)) == len(wanted):
            most = max(count(each.heading, each.text) for each in every)
            found += (each for each in every if count(each.heading, each.text) == most)
    if not found:
        _not_found(pages, words)
    found.sort(key=lambda each: (-count(each.heading, each.text), -count(each.page, each.heading)))
    for each in found[:MOST_FOUND]:
        echo(_line(each))
    echo("Show a page with `clouddb help PAGE`.", err=True)


def _not_found(pages: dict[str, Path], words: list[str]) -> NoReturn:
    from pulumi_clouddb.schema.names import similar

    near = similar("-".join(words), pages, 3, ALIKE)
    advice = f"The nearest pages: {', '.join(near)}." if near else "`clouddb help` lists the pages."
    echo(f"error: no page has the words {' '.join(words)!r}\n{advice}", err=True)
    end(HelpExit.NOT_FOUND)
