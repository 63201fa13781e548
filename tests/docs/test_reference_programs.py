"""The first examples of the reference that look up a source: whole programs, as a newcomer copies them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def first_program(page: str) -> str:
    """Return the first Python program of a page."""
    found = re.search(r"```python\n(.*?)```", (REFERENCE / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("page", ["dashboard", "alert", "saved_search"])
def test_first_example_runs(page: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """It finds its source by name, without an id or a place, and its next preview is empty."""
    program = first_program(page)
    assert 'get_source_output(name="Logs")' in program
    stack = FakeEngineStack(program, config=stack_config(sandbox), work_dir=tmp_path)
    stack.up()
    assert stack.preview().no_changes
    assert stack.refresh().no_changes
    used = [each["config"]["sourceId"] for board in sandbox.dashboards.values() for each in board["tiles"]]
    used += [each["sourceId"] for each in sandbox.objects("saved_searches").values()]
    assert [sandbox.objects("sources")[each]["name"] for each in used] == ["Logs"]
    stack.destroy()
