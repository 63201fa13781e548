"""Lives of scalings of pipes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clouddb_tools.sandbox import Sandbox
from lives.life import Life, a_pipe, an_archive_pipe
from lives.wire import wire_life

_PIPE = {"serviceId": "$service_id", "pipeId": "$pipe_id"}


def _scale(sandbox: Sandbox, id_: str, **sizes: Any) -> None:
    pipe_id = id_.split("/")[1]
    sandbox.change("pipes", pipe_id, scaling={**sandbox.pipes[pipe_id]["scaling"], **sizes})


STREAM_SCALING = Life(
    "PipeScaling",
    before={**_PIPE, "replicas": 2},
    after={**_PIPE, "replicas": 4, "replicaCpuMillicores": 500, "replicaMemoryGb": 2.5},
    drift=lambda sandbox, id_: _scale(sandbox, id_, replicas=9),
    drifted=frozenset({"replicas"}),
    setting=a_pipe,
    stays=True,
    wanted=lambda pipe: (
        [pipe["scaling"][name] for name in ("replicas", "replicaCpuMillicores", "replicaMemoryGb")] == [4, 500, 2.5]
    ),
)

ARCHIVE_SCALING = replace(
    STREAM_SCALING,
    before={**_PIPE, "concurrency": 0},
    after={**_PIPE, "concurrency": 34},
    drift=lambda sandbox, id_: _scale(sandbox, id_, concurrency=7),
    drifted=frozenset({"concurrency"}),
    setting=an_archive_pipe,
    wanted=lambda pipe: pipe["scaling"]["concurrency"] == 34,
)

LIVES = {"scaling of a stream pipe": STREAM_SCALING, "scaling of an object-storage pipe": ARCHIVE_SCALING}

WIRE_LIVES = [
    wire_life(
        name,
        life,
        operations=("scale_pipe", "scale_pipe", "scale_pipe", "get_pipe"),
        known=frozenset({"pipeName", "originalScaling"}),
    )
    for name, life in LIVES.items()
]

OF_NO_INPUT = frozenset({"pipeName", "pipeState"})
"""Outputs that copy no input."""
