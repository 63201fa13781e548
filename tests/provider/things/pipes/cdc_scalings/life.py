"""Lives of the scaling of database pipes."""

from __future__ import annotations

from clouddb_tools.sandbox import Sandbox
from lives.life import Life, a_service
from lives.wire import wire_life


def a_database_pipe(sandbox: Sandbox) -> dict[str, str]:
    """Create a service with a database pipe."""
    names = a_service(sandbox)
    sandbox.add_pipe(names["service_id"], "postgres", name="orders")
    return names


SCALING = Life(
    "PipeCdcScaling",
    before={"serviceId": "$service_id", "replicaCpuMillicores": 1000, "replicaMemoryGb": 4},
    after={"serviceId": "$service_id", "replicaCpuMillicores": 4000, "replicaMemoryGb": 16},
    drift={"replicaCpuMillicores": 32000, "replicaMemoryGb": 128},
    setting=a_database_pipe,
    stays=True,
)
LIVES = {"scaling of database pipes": SCALING}

WIRE_LIVES = [wire_life("scaling of database pipes", SCALING, known=frozenset({"original"}))]
