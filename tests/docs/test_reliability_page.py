"""docs/reliability.md: each promise names the tests that hold it, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    """Functions and files; a renamed test leaves no promise without one."""
    code = "\n".join(file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py"))
    files = {name for name in re.findall(r"`(test_\w+\.py)`", PAGE) if not list(TESTS.rglob(name))}
    functions = {name for name in re.findall(r"`(test_\w+)`", PAGE) if f"def {name}(" not in code}
    assert (files, functions) == (set(), set())
    assert PAGE.count("`test_") > 20


def test_every_promise_names_a_test() -> None:
    """Each row of the table has one."""
    promises = PAGE.split("## Promises")[1].split("\n## ")[0]
    rows = [
        line for line in promises.splitlines() if line.startswith("| ") and not line.startswith(("| Promise", "|--"))
    ]
    assert len(rows) > 12
    assert all("`test_" in row for row in rows)
