"""Lives of the scaling of database pipes."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from lives.life import Life, a_service
from lives.wire import WireLife


def a_database_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Make a service with a pipe of a database."""
    names = a_service(sandbox)
    sandbox.add_pipe(names["service_id"], "postgres", name="orders")
    return names


SCALING = Life(
    name="PipeCdcScaling",
    kind="pipe_cdc_scalings",
    setting=a_database_pipe,
    before="service_id=service_id, replica_cpu_millicores=1000, replica_memory_gb=4",
    after="service_id=service_id, replica_cpu_millicores=4000, replica_memory_gb=16",
    updated=frozenset({"replicaCpuMillicores", "replicaMemoryGb"}),
    drift=lambda sandbox, id_: sandbox.change(
        "pipe_cdc_scalings", id_, replicaCpuMillicores=32000, replicaMemoryGb=128
    ),
    drifted=frozenset({"replicaCpuMillicores", "replicaMemoryGb"}),
    as_wanted=lambda scaling: (scaling["replicaCpuMillicores"], scaling["replicaMemoryGb"]) == (4000, 16),
    stays=True,
)
LIVES = {"scaling of database pipes": SCALING}

_SERVICE = {"serviceId": "$service_id"}

WIRE_LIVES = [
    WireLife(
        "scaling of database pipes",
        SCALING,
        operations=("update_pipe_cdc_scaling",) * 3 + ("get_pipe_cdc_scaling",),
        before={**_SERVICE, "replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
        after={**_SERVICE, "replicaCpuMillicores": 4000, "replicaMemoryGb": 16},
        details={"replicaCpuMillicores": "UPDATE", "replicaMemoryGb": "UPDATE"},
        left_alone=frozenset({"original"}),
    )
]

OF_NO_INPUT: frozenset[str] = frozenset()
"""Outputs that tell nothing of an input: none."""
