"""The claims of docs/performance.md on its figures and floors, and the operations of the benchmarks."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from benchmarks import objects, whole
from benchmarks.engine import FRONT_ENDS, NOTHING, Engine
from benchmarks.limit import earliest, ready_at
from benchmarks.programs import program

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing.fake_engine.state import Resource
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT


@pytest.mark.parametrize(("requests", "seconds"), [(1, 0), (10, 0), (11, 10), (30, 20), (101, 100)])
def test_minimum_time_under_the_limit(requests: int, seconds: float) -> None:
    """The limit allows ten requests in ten seconds, in fixed windows that begin with the first request."""
    assert earliest(requests, MANAGEMENT_LIMIT) == seconds


@pytest.mark.parametrize(
    ("stacks", "services", "at_a_time", "machines", "seconds"),
    [(1, 19, 32, 1, 22), (1, 20, 32, 1, 32), (1, 20, 4, 1, 60), (30, 1, 4, 1, 42), (2, 10, 4, 1, 36), (8, 3, 4, 8, 42)],
)
def test_minimum_time_of_services(stacks: int, services: int, at_a_time: int, machines: int, seconds: float) -> None:
    """The list of each machine, all posts, and the last service's own 12 seconds follow each other.

    A host that runs four at a time starts again after each four.
    """
    assert ready_at(stacks, services, 12, at_a_time, machines) == seconds


@pytest.mark.parametrize("front_end", [*FRONT_ENDS, *NOTHING.values()])
def test_front_ends_and_floors_run_the_same_operations(neutral_sandbox: Sandbox, front_end: str) -> None:
    """They create, preview without changes, update, read and delete the same resources."""
    with tempfile.TemporaryDirectory() as folder, Engine(front_end, neutral_sandbox.config, Path(folder)) as engine:
        engine.up(objects.dashboards(2))
        assert len(engine.state) == 2
        assert engine.preview(objects.dashboards(2)) == 0
        assert engine.preview(objects.dashboards(2, "level:error")) == 2
        engine.up(objects.dashboards(2, "level:error"))
        engine.refresh()
        assert engine.preview(objects.dashboards(2, "level:error")) == 0
        engine.destroy()
        assert engine.state == {}


@pytest.mark.parametrize("front_end", [*FRONT_ENDS, *NOTHING.values()])
def test_whole_operations_run_the_program_and_the_provider(
    neutral_sandbox: Sandbox, tmp_path: Path, front_end: str
) -> None:
    """A program creates two dashboards, has no changes, and the dashboards are read and deleted."""
    (tmp_path / "__main__.py").write_text(program(front_end, 2), encoding="utf-8")
    state: dict[str, Resource] = {}

    def run(name: str) -> list[str]:
        neutral_sandbox.forget_requests()
        both, of_program = whole.operation(name, front_end, tmp_path, neutral_sandbox, state)
        assert both >= of_program  # tests start providers in a process that is not a child of this one
        assert (of_program > 0) == whole.RUNS_PROGRAM[name]
        return sorted(each.method for each in neutral_sandbox.logged())

    is_front_end = front_end in FRONT_ENDS
    assert run("up") == (["GET", "POST", "POST"] if is_front_end else [])
    assert len(state) == 2
    assert run("preview") == []
    assert run("refresh") == (["GET"] if is_front_end else [])
    assert run("destroy") == (["DELETE", "DELETE"] if is_front_end else [])
    assert state == {}
