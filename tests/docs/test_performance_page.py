"""What docs/performance.md claims of its figures and floors, and that the benchmarks still run what they measure."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from benchmarks import __main__ as bench
from benchmarks import kept, objects
from benchmarks.engine import FRONT_ENDS, NOTHING, Engine
from benchmarks.limit import earliest, ready_at

from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("requests", "seconds"), [(1, 0), (10, 0), (11, 10), (30, 20), (101, 100)])
def test_the_time_that_the_limit_dictates(requests: int, seconds: float) -> None:
    """Ten requests in ten seconds, in fixed windows that begin with the first one."""
    assert earliest(requests, MANAGEMENT_LIMIT) == seconds


@pytest.mark.parametrize(
    ("stacks", "services", "at_a_time", "seconds"),
    [(1, 20, 32, 22), (1, 20, 4, 60), (30, 1, 4, 32), (2, 10, 4, 36)],
)
def test_when_the_last_service_can_be_ready(stacks: int, services: int, at_a_time: int, seconds: float) -> None:
    """The last post, and the service's own 12 seconds; a host that runs four at a time begins anew after each four."""
    assert ready_at(stacks, services, 12, at_a_time) == seconds


def test_every_part_has_a_table_and_every_chart_is_shown() -> None:
    """What `make bench` measures is on the page; its text is held to the figures by `make generated`."""
    assert set(re.findall(r"benchmarks/figures.json, (\w+); do not edit", PAGE)) == {"machine", *bench.PARTS}
    shown = set(re.findall(r"\(performance/(\w+)\.svg\)", PAGE))
    assert shown == {each.stem for each in (ROOT / "docs" / "performance").iterdir()}


def test_no_figure_is_without_a_floor_and_none_names_a_machine() -> None:
    """As many samples of a floor as of its figure, or one that follows from a rule."""
    machine, figures = kept.read(ROOT / "benchmarks" / "figures.json")
    assert all(each.floor_is and len(each.floors) in (1, len(each.values)) for each in figures)
    assert not any("/" in str(value) for value in machine.values())


@pytest.mark.parametrize("front_end", [*FRONT_ENDS, *NOTHING.values()])
def test_a_front_end_and_its_floor_do_the_same(clouddb_sandbox: Sandbox, front_end: str) -> None:
    """They create, find nothing to do, update, read and delete the same resources."""
    with tempfile.TemporaryDirectory() as folder, Engine(front_end, clouddb_sandbox.config, Path(folder)) as engine:
        engine.up(objects.dashboards(2))
        assert len(engine.state) == 2
        assert engine.preview(objects.dashboards(2)) == 0
        assert engine.preview(objects.dashboards(2, "level:error")) == 2
        engine.up(objects.dashboards(2, "level:error"))
        engine.refresh()
        assert engine.preview(objects.dashboards(2, "level:error")) == 0
        engine.destroy()
        assert engine.state == {}
