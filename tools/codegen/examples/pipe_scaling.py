"""Examples of the scaling of pipes."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import PIPE_ID, SERVICE_ID, Example, Examples

EXAMPLES: Examples = {
    "PipeScaling": (
        Example(
            "Scale a stream pipe",
            [
                Step(
                    "clicks",
                    "PipeScaling",
                    {
                        "serviceId": SERVICE_ID,
                        "pipeId": PIPE_ID,
                        "replicas": 4,
                        "replicaCpuMillicores": 500,
                        "replicaMemoryGb": 2,
                    },
                )
            ],
            {"before": Ref("clicks.originalScaling")},
        ),
    ),
    "getPipe": (
        Example(
            "Read a pipe",
            [Step("pipe", "getPipe", {"serviceId": SERVICE_ID, "pipeId": PIPE_ID})],
            {"pipeState": Ref("pipe.state")},
        ),
    ),
    "listPipes": (
        Example(
            "List the pipes of a service",
            [Step("found", "listPipes", {"serviceId": SERVICE_ID})],
            {"pipes": Ref("found.pipes")},
        ),
    ),
}
