"""Programs with many dashboards for each front end, and for the providers that do nothing."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from clouddb_tools.testing import CliStack, Secret

from .engine import DYNAMIC, NOTHING, NOTHING_COMMAND, PARALLEL, PLUGIN, ROOT

TILES = """
TILES = [{"name": name, "x": 6 * place, "y": 0, "w": 6, "h": 3, "series": [{"type": "time", WHERE}]}
         for place, name in enumerate(("Errors", "Requests", "Latency", "Sessions"))]
"""
WIRE = TILES.replace("WHERE", '"aggFn": "count", "where": "", "sourceId": "65f5e4a3b9e77c001a567801"')
SNAKE = TILES.replace("WHERE", '"agg_fn": "count", "where": "", "source_id": "65f5e4a3b9e77c001a567801"')
PROPERTIES = '{"name": f"Board {number}", "tags": ["shop"], "tiles": TILES'
"""Both sides receive the same inputs."""

_NATIVE = f"""import pulumi
{WIRE}
for number in range(NUMBER):
    pulumi.CustomResource("PACKAGE:index:Dashboard", f"board-{{number}}", {PROPERTIES}, "tileIds": None}})
"""
PROGRAMS = {
    PLUGIN: _NATIVE.replace("PACKAGE", "clouddb"),
    NOTHING[PLUGIN]: _NATIVE.replace("PACKAGE", "nothing"),
    DYNAMIC: f"""import pulumi_clouddb as clouddb
{SNAKE}
for number in range(NUMBER):
    clouddb.Dashboard(f"board-{{number}}", **{PROPERTIES}}})
""",
    NOTHING[DYNAMIC]: f"""from benchmarks.nothing.dynamic import Thing
{WIRE}
for number in range(NUMBER):
    Thing(f"board-{{number}}", {PROPERTIES}}})
""",
}


def program(front_end: str, number: int) -> str:
    """Return a program with dashboards of four tiles."""
    return PROGRAMS[front_end].replace("NUMBER", str(number))


def environment(front_end: str) -> dict[str, str]:
    """Return the environment of a program's processes."""
    return {"PYTHONPATH": str(ROOT)} if front_end == NOTHING[DYNAMIC] else {}


def _name_plugin(project: Path, front_end: str) -> None:
    """Set the folder of the plugin in the settings of a project, so that none on PATH is used."""
    folder = Path(sys.executable).parent
    if front_end == NOTHING[PLUGIN]:
        folder = project.parent / "nothing"
        folder.mkdir(exist_ok=True)
        script = folder / "pulumi-resource-nothing"
        script.write_text(f'#!/bin/sh\nexec {" ".join(NOTHING_COMMAND)} "$@"\n', encoding="utf-8")
        script.chmod(0o700)
    package = "nothing" if front_end == NOTHING[PLUGIN] else "clouddb"
    settings = project.read_text(encoding="utf-8")
    project.write_text(
        f"{settings}\nplugins:\n  providers:\n    - name: {package}\n      path: {folder}\n", encoding="utf-8"
    )


@contextmanager
def stack_of(
    front_end: str, source: str | Path, config: Mapping[str, str | Secret], env: Mapping[str, str]
) -> Iterator[CliStack]:
    """Create a stack of the real CLI, and remove it at the end; `source` is a program in Python, or a project."""
    with tempfile.TemporaryDirectory() as folder:
        stack = CliStack(source, config=config, env=env, work_dir=Path(folder), parallel=PARALLEL)
        if front_end in (PLUGIN, NOTHING[PLUGIN]):
            _name_plugin(stack.program.root / "Pulumi.yaml", front_end)
        yield stack
