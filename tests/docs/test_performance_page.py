"""The claims of docs/measurements.md on its figures and floors, and each part of the benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from benchmarks import __main__ as benchmark
from benchmarks import calls, cli, cpu, fleets, growth, kept, objects, policy, report, start, state, under_limit, whole
from benchmarks.done import NotDoneError, writes
from benchmarks.engine import FRONT_ENDS, NOTHING, Engine
from benchmarks.figure import Figure
from benchmarks.fleets import Fleet
from benchmarks.limit import earliest, ready_at
from benchmarks.programs import program
from benchmarks.reasons import reason

from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.testing.fake_engine.state import Resource
from codegen import performance
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
def test_front_ends_and_floors_run_the_same_operations(
    neutral_sandbox: Sandbox, tmp_path: Path, front_end: str
) -> None:
    """They create, preview without changes, update, read and delete the same resources, in three runs."""
    state: dict[str, Resource] = {}
    with Engine(front_end, neutral_sandbox.config, tmp_path, state) as engine, writes(neutral_sandbox, 2, front_end):
        engine.up(objects.dashboards(2))
    assert len(state) == 2
    with Engine(front_end, neutral_sandbox.config, tmp_path, state) as engine, writes(neutral_sandbox, 2, front_end):
        assert engine.preview(objects.dashboards(2)) == 0
        assert engine.preview(objects.dashboards(2, "level:error")) == 2
        engine.up(objects.dashboards(2, "level:error"))
    with Engine(front_end, neutral_sandbox.config, tmp_path, state) as engine, writes(neutral_sandbox, 2, front_end):
        engine.refresh()
        assert engine.preview(objects.dashboards(2, "level:error")) == 0
        engine.destroy()
    assert state == {}


@pytest.mark.parametrize(
    "front_end",
    ["plugin", *(pytest.param(each, marks=pytest.mark.slow) for each in ("dynamic", *NOTHING.values()))],
)
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


def test_figure_far_from_its_floor_has_a_reason() -> None:
    """The page says why a figure is more than twice its floor."""
    kept_figures = kept.read(performance.KEPT)[1]
    assert [each.key for each in kept_figures if reason(each) == ""] == []


# -- each part ---------------------------------------------------------------------------------------------------------

PARTS: Mapping[str, dict[Any, dict[str, Any]]] = {
    under_limit.PART: {
        under_limit: {
            **dict.fromkeys(("SERVICES", "KEYS", "DASHBOARDS", "ALERTS"), 2),
            "DIALECTS": ("neutral",),
            "LATENCY": Latency(1, 1, 1, 1),
            "USERS": {**under_limit.USERS, "clouddb:pollIntervalSeconds": "1"},
        }
    },
    fleets.PART: {fleets: {"FLEETS": (Fleet(2, 1), Fleet(2, 1, machines=True)), "LATENCY": Latency(provision=1)}},
    start.PART: {},
    cpu.PART: {cpu: {"NUMBER": 2}},
    calls.PART: {calls: {"TIMES": 2, "CREATIONS": 5}},
    growth.PART: {growth: {"NUMBERS": (2, 3), "CHECKPOINTED": 2}},
    state.PART: {},
    cli.PART: {cli: {"ALL": 2, "LARGE": 3, "CHECKPOINTED": (2,)}},
    policy.PART: {policy: {"RESOURCES": 10}},
}
"""Smaller numbers for each part, so that it takes seconds."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.cli if part == cli.PART else ()) for part in benchmark.PARTS]
)
def test_part_runs_to_its_end(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sample of it has the rows of the page, each of which is printed and written to the file."""
    for module, numbers in PARTS[part].items():
        for name, number in numbers.items():
            monkeypatch.setattr(module, name, number)
    file = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["", "--only", part, "--samples", "1", "--json", str(file)])
    benchmark.main()
    names = {each.name for each in kept.read(file)[1]}
    assert names
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)


def test_figures_are_printed_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    """A figure is printed before the next one is measured."""

    def measured() -> Iterator[Figure]:
        for name in ("first", "second"):
            assert name not in capsys.readouterr().out
            yield Figure("part", name, "s", "nothing", [2.0], [1.0])
            assert name in capsys.readouterr().out

    assert len(list(report.shown(measured()))) == 2


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_work_that_was_not_done_is_no_figure(neutral_sandbox: Sandbox, tmp_path: Path, front_end: str) -> None:
    """A run keeps the objects that it has created itself: a benchmark that deletes them in the same run fails."""
    with Engine(front_end, neutral_sandbox.config, tmp_path) as engine:
        with writes(neutral_sandbox, 2, front_end):
            engine.up(objects.dashboards(2))
        with pytest.raises(NotDoneError, match="accepted 0 writes instead of 2"), writes(neutral_sandbox, 2, front_end):
            engine.destroy()
