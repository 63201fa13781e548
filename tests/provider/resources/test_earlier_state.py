"""State of an earlier version previews without changes or requests; see data/state/README.md."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import FakeEngineStack, stack_config
from support.five import KINDS, dynamic_program, five
from support.front_ends import FrontEnds

DATA = Path(__file__).parents[2] / "data" / "state"


@pytest.fixture(params=["neutral", "clickhouse"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each dialect."""
    return str(request.param)


@pytest.fixture
def sandbox(dialect: str) -> Iterator[Sandbox]:
    """Run a server without any of the objects: nothing may request them."""
    with Sandbox(vocabulary=dialect) as running:
        yield running


def test_program_previews_without_a_change(dialect: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Every dynamic resource is unchanged, including the provider's class that state names."""
    for file in ("dev.state.json", "dev.state.secrets.json"):
        shutil.copy(DATA / dialect / file, tmp_path)
    program = dynamic_program(five(json.loads((DATA / dialect / "names.json").read_text(encoding="utf-8"))))
    result = FakeEngineStack(program, config=stack_config(sandbox), work_dir=tmp_path).preview()
    assert result.changes == {"same": 1 + len(KINDS)}
    assert sandbox.requests == []


def test_neither_front_end_reports_a_change(dialect: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """They compare the state that the plugin wrote with the inputs of that time."""
    entries: list[dict[str, Any]] = json.loads((DATA / dialect / "native.json").read_text(encoding="utf-8"))
    assert [each["resource"] for each in entries] == list(KINDS)
    with FrontEnds(sandbox.config, tmp_path) as front_ends:
        for each in entries:
            for driver in (front_ends.dynamic, front_ends.native):
                difference = driver.diff(each["resource"], each["id"], each["outputs"], each["inputs"])
                assert not difference.changes, (each["resource"], difference)
    assert sandbox.requests == []
