"""docs/troubleshooting.md describes each class of errors."""

from __future__ import annotations

from pathlib import Path

from pulumi_clouddb import errors

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
HEADINGS = {line.lstrip("# ") for line in PAGE.splitlines() if line.startswith("###")}


def test_every_error_class_has_a_heading() -> None:
    """The heading has advice below it."""
    assert set(errors.__all__) <= HEADINGS
