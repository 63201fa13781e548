"""Lives of scalings of pipes."""

from __future__ import annotations

from lives.life import Life, a_pipe, an_archive_pipe
from lives.wire import WireLife

STREAM_SCALING = Life(
    name="PipeScaling",
    kind="pipes",
    setting=a_pipe,
    before="service_id=service_id, pipe_id=pipe_id, replicas=2",
    after="service_id=service_id, pipe_id=pipe_id, replicas=4, replica_cpu_millicores=500, replica_memory_gb=2.5",
    updated=frozenset({"replicas", "replicaCpuMillicores", "replicaMemoryGb"}),
    drift=lambda sandbox, id_: sandbox.change(
        "pipes", id_.split("/")[1], scaling={**sandbox.pipes[id_.split("/")[1]]["scaling"], "replicas": 9}
    ),
    drifted=frozenset({"replicas"}),
    as_wanted=lambda pipe: (
        [pipe["scaling"][name] for name in ("replicas", "replicaCpuMillicores", "replicaMemoryGb")] == [4, 500, 2.5]
    ),
    stays=True,
)


ARCHIVE_SCALING = Life(
    **{
        **vars(STREAM_SCALING),
        "setting": an_archive_pipe,
        "before": "service_id=service_id, pipe_id=pipe_id, concurrency=0",
        "after": "service_id=service_id, pipe_id=pipe_id, concurrency=34",
        "updated": frozenset({"concurrency"}),
        "drift": lambda sandbox, id_: sandbox.change(
            "pipes", id_.split("/")[1], scaling={**sandbox.pipes[id_.split("/")[1]]["scaling"], "concurrency": 7}
        ),
        "drifted": frozenset({"concurrency"}),
        "as_wanted": lambda pipe: pipe["scaling"]["concurrency"] == 34,
    }
)

SCALING = ("scale_pipe", "scale_pipe", "scale_pipe", "get_pipe")
PIPE = {"serviceId": "$service_id", "pipeId": "$pipe_id"}

LIVES = {"scaling of a stream pipe": STREAM_SCALING, "scaling of an object-storage pipe": ARCHIVE_SCALING}

WIRE_LIVES = [
    WireLife(
        "scaling of a stream pipe",
        STREAM_SCALING,
        operations=SCALING,
        before={**PIPE, "replicas": 2},
        after={**PIPE, "replicas": 4, "replicaMemoryGb": 2.5},
        details={"replicas": "UPDATE", "replicaMemoryGb": "ADD"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
    WireLife(
        "scaling of an object-storage pipe",
        ARCHIVE_SCALING,
        operations=SCALING,
        before={**PIPE, "concurrency": 0},
        after={**PIPE, "concurrency": 34},
        details={"concurrency": "UPDATE"},
        left_alone=frozenset({"pipeName", "originalScaling"}),
    ),
]

OF_NO_INPUT = frozenset({"pipeName", "pipeState"})
"""Outputs that tell nothing of an input."""
