"""State that an earlier version left previews without a change, and asks no server; see data/state/README.md."""

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
    """Each dialect."""
    return str(request.param)


@pytest.fixture
def sandbox(dialect: str) -> Iterator[Sandbox]:
    """A server that holds none of the objects: nothing may ask for them."""
    with Sandbox(vocabulary=dialect) as running:
        yield running


def test_a_program_previews_without_a_change(dialect: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """Every resource of the dynamic front end is the same, the code that state names included."""
    for file in ("dev.state.json", "dev.state.secrets.json"):
        shutil.copy(DATA / dialect / file, tmp_path)
    program = dynamic_program(five(json.loads((DATA / dialect / "names.json").read_text(encoding="utf-8"))))
    result = FakeEngineStack(program, config=stack_config(sandbox), work_dir=tmp_path).preview()
    assert result.changes == {"same": 1 + len(KINDS)}
    assert sandbox.requests == []


def test_neither_front_end_sees_a_change(dialect: str, sandbox: Sandbox, tmp_path: Path) -> None:
    """A diff of the state that the plugin left, with the inputs that it was made of."""
    entries: list[dict[str, Any]] = json.loads((DATA / dialect / "native.json").read_text(encoding="utf-8"))
    assert [each["resource"] for each in entries] == list(KINDS)
    with FrontEnds(sandbox.config, tmp_path) as front_ends:
        for each in entries:
            for driver in (front_ends.dynamic, front_ends.native):
                found = driver.diff(each["resource"], each["id"], each["outputs"], each["inputs"])
                assert not found.changes, (each["resource"], found)
    assert sandbox.requests == []
