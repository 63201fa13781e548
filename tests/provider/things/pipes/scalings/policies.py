"""Policy cases of the scaling of pipes: its cost, and its restore."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN
from policy.case import Case

CASES = [
    Case(
        "pipe-within-budget",
        "PipeScaling",
        fails={"replicas": 9, "concurrency": 17},
        says="replicas is 9; set at most 8",
        also=(
            ({"replicas": UNKNOWN, "concurrency": 17}, "concurrency is 17; set at most 16"),
            (
                {"replicas": 8, "replicaCpuMillicores": 1001},
                "replicaCpuMillicores is 1001, which makes 8008 millicores for 8 replicas; use at most 8000 millicores",
            ),
            (
                {"replicas": 8, "replicaMemoryGb": 4.5},
                "replicaMemoryGb is 4.5, which makes 36 GB for 8 replicas; use at most 32 GB",
            ),
        ),
        passes={"replicas": 8, "concurrency": 16, "replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
        unknown={"replicas": UNKNOWN, "replicaCpuMillicores": 2000, "replicaMemoryGb": 8},
        fixed={"replicas": 8, "concurrency": 16},
        unfixed=({"replicas": 8, "replicaMemoryGb": 8},),
    ),
    Case(
        "production-pipe-replicas",
        "PipeScaling",
        stack="prod",
        fails={"replicas": 1},
        says="replicas is 1; set at least 2 in production",
        passes={"replicas": None, "concurrency": 1},
        fixed={"replicas": 2},
    ),
    Case(
        "pipe-scaling-restored",
        "PipeScaling",
        fails={"onDelete": "retain"},
        says="onDelete is 'retain'; set it to restore, or omit it",
        passes={"onDelete": "restore"},
        fixed={"onDelete": "restore"},
    ),
]
