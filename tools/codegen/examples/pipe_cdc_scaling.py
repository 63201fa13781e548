"""Examples of the scaling of database pipes."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import SERVICE_ID, Example, Examples

_SIZE = {"replicaCpuMillicores": 4000, "replicaMemoryGb": 16}

EXAMPLES: Examples = {
    "PipeCdcScaling": (
        Example(
            "Scale the database pipes of a service",
            [Step("changes", "PipeCdcScaling", {"serviceId": SERVICE_ID, **_SIZE})],
            {"before": Ref("changes.original")},
        ),
    ),
}
