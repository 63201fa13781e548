"""The field's words are used: none of the names that they took the place of comes back, in code or in documentation."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = ("provider/pulumi_clouddb", "tools", "examples", "tests", "benchmarks")
PAGES = ("*.md", "docs/**/*.md", "examples/**/*.md")

OLD = {
    "Making": "CreateRequest",
    "Creations": "create_once",
    "Meaning": "Normalizer",
    "Live": "ReadResult",
    "foreseen": "preview_outputs",
    "affected": "outputs_changed_by",
    "Journal": "PendingCreates",
    "SharedReads": "ListCache",
    "wait_turn": "acquire",
    "open_answer": "parse_response",
    "NotOffered": "UnsupportedOperationError",
    "MaybeDone": "AmbiguousError",
    "LostAnswer": "ResponseLostError",
    "MalformedAnswer": "InvalidResponseError",
    "hopeless": "permanent",
    "Waits": "Cancellation",
    "COMING": "PENDING",
    "HALTED": "STOPPED",
    "PATIENCE": "MAX_MISSES",
    "stand_in": "fake_engine",
    "StandInStack": "FakeEngineStack",
    "Refusal": "HTTPError",
    "habits": "quirks",
    "Pace": "Latency",
    "set_pace": "set_latency",
    "Basis": "PlanManifest",
    "Movement": "Change",
    "twin": "duplicate",
    "breach": "violation",
    "remedy": "remediation",
    "Bench": "ProviderProcess",
}
"""Old names, and what each is called now."""

PLAIN = ("twin", "habit", "breach", "remedy", "hopeless", "foresee", "stand-in", "stood in for")
"""Words of the old names that are not in the text of a page either."""

PHRASES = (
    "what came of",
    "what (was|is) left",
    "life goes on",
    "no drift are",
    "(is|are|was|were|as) told",
    "(take|takes|took) up",
    "made anew",
    "the world",
    "surfaces?",
    "(observability|self-hosted) stack",
    "vendor's dialect",
    "build machines?",
)
"""Turns of phrase that prose replaces with a subject, a verb and the standard term."""

TEXTS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
"""Python 3.12 and newer take f-strings apart."""


def tokens(file: Path) -> Iterator[tokenize.TokenInfo]:
    """Return the tokens of a Python file."""
    return tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline)


def names(folder: str) -> set[str]:
    """Return every name in the Python files of a folder, its own list aside."""
    found = set()
    for file in (ROOT / folder).rglob("*.py"):
        if file != Path(__file__):
            found |= {each.string for each in tokens(file) if each.type == tokenize.NAME}
    return found


@pytest.mark.parametrize("folder", CODE)
def test_no_old_name_is_in_the_code(folder: str) -> None:
    """Whatever a name is made of, its parts are words of today."""
    used = names(folder)
    assert {old: new for old, new in OLD.items() if old in used} == {}


def pages() -> dict[str, str]:
    """Return the text of each page by its path."""
    found = {page for pattern in PAGES for page in ROOT.glob(pattern) if "node_modules" not in page.parts}
    return {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in sorted(found)}


def test_no_old_word_is_in_the_documentation() -> None:
    """Pages of the project speak the same words as the code."""
    text = "\n".join(pages().values())
    assert {old: new for old, new in OLD.items() if f"`{old}`" in text} == {}
    assert [word for word in PLAIN if re.search(rf"\b{word}", text, re.IGNORECASE)] == []


def prose(folder: str) -> dict[str, str]:
    """Return the comments and texts in the Python files of a folder, by path: docstrings and messages too."""
    found = {}
    for file in (ROOT / folder).rglob("*.py"):
        texts = [each.string.lstrip("#") for each in tokens(file) if each.type in TEXTS]
        found[str(file.relative_to(ROOT))] = " ".join(texts)
    return found


def test_prose_uses_plain_phrases() -> None:
    """A page, a docstring and a message name the object and the actor, also where a phrase runs over a line's end."""
    forbidden = re.compile("|".join(rf"\b{phrase}\b" for phrase in PHRASES).replace(" ", r"\s+"), re.IGNORECASE)
    written = {**pages(), **prose("provider/pulumi_clouddb"), **prose("examples"), **prose("tools")}
    assert {"docs/gitops.md", "provider/pulumi_clouddb/schema/config.py"} < written.keys()
    assert {name: found.group() for name, text in written.items() if (found := forbidden.search(text))} == {}
