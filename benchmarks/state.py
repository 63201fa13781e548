"""Bytes of an object in the engine's state, compared with those of its inputs and outputs.

The engine writes all of them before and after each step, so additional properties are written twice per resource.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire.secret import strip

from . import objects
from .done import writes
from .engine import FRONT_ENDS, Engine
from .figure import Figure

PART = "state"
DIALECTS = ("neutral", "clickhouse")


def measured(samples: int) -> Iterator[Figure]:  # noqa: ARG001 (it is the same each time)
    """Yield the bytes of one object of each kind."""
    for dialect in DIALECTS:
        for front_end in FRONT_ENDS:
            yield from sizes(front_end, dialect)


def sizes(front_end: str, dialect: str) -> Iterator[Figure]:
    """Yield the bytes that a front end stores in state."""
    with (
        Sandbox(own_process=True, vocabulary=dialect) as sandbox,
        tempfile.TemporaryDirectory() as folder,
        Engine(front_end, sandbox.config, Path(folder)) as engine,
    ):
        board = sandbox.add("dashboards", name="Watched", tiles=objects.tiles())
        for name, steps in {
            "dashboard of four tiles": objects.dashboards(1),
            "alert": objects.alerts(1, 5, board),
            "service": objects.services(1),
            "key": objects.keys(1),
        }.items():
            with writes(sandbox, 1):
                engine.up(steps)
            resource = engine.state.popitem()[1]
            kept, least = (
                sum(size(part(properties)) for properties in (resource.inputs, resource.outputs))
                for part in (dict, seen)
            )
            where = {"front end": front_end, "dialect": dialect}
            yield Figure(PART, name, "bytes", "inputs and outputs", [float(kept)], [float(least)], where)


def seen(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the visible properties: the engine hides keys that begin with two underscores."""
    return {name: value for name, value in properties.items() if not name.startswith("__")}


def size(properties: Mapping[str, Any]) -> int:
    """Return the bytes of properties as the engine writes them: JSON without blanks."""
    return len(json.dumps(strip(properties), separators=(",", ":"), ensure_ascii=False).encode())
