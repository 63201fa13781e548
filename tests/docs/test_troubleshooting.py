"""docs/troubleshooting.md describes each class of errors, and its index names all that is not generated."""

from __future__ import annotations

import re
from pathlib import Path

from pulumi_clouddb import errors

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
HEADINGS = {line.lstrip("# ") for line in PAGE.splitlines() if line.startswith("###")}


def test_every_error_class_has_a_heading() -> None:
    """The heading has advice below it."""
    assert set(errors.__all__) <= HEADINGS


def test_index_has_each_message() -> None:
    """The messages of Pulumi have a link in it, or their group has one; so have the other sections."""
    index, _, rest = PAGE.partition("## Find your message")[2].partition("\n## ")
    linked = set(re.findall(r"\(#([\w-]+)\)", index))
    by_group = {group: re.findall(r"^### (.*)$", text, re.MULTILINE) for group, text in _groups(rest)}
    generated = ("Errors by class", "Messages of servers", "Refused values")
    for group, messages in by_group.items():
        expected = set() if group in generated else {_anchor(each) for each in messages}
        assert _anchor(group) in linked or (expected and expected <= linked) or group == "Errors by class", group
    assert {_anchor(each) for each in errors.__all__} >= {each for each in linked if each.endswith("error")}


def _groups(text: str) -> list[tuple[str, str]]:
    return [(title, body) for title, _, body in (each.partition("\n") for each in text.split("\n## "))]


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub and the site give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
