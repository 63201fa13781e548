"""Check cases of scalings of pipes: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from support.rows import UUID, Row, Usual

PIPE = "22222222-2222-4333-8444-555555555555"
SCALING = Usual("PipeScaling", {"serviceId": UUID, "pipeId": PIPE})

CASES: list[Row] = [
    *SCALING.limits("replicas", 1, 10, 0, 11),
    *SCALING.limits("concurrency", 0, 34, -1, 35),
    *SCALING.limits("replicaCpuMillicores", 125, 2000, 124, 2001),
    *SCALING.limits("replicaMemoryGb", 0.5, 8, 0.25, 8.5),
    *SCALING.one_of("onDelete", "restore retain"),
    *SCALING.uuids("serviceId", "pipeId"),
    *SCALING.required("serviceId", "pipeId"),
    *SCALING.wrong_types(
        {
            "replicas": (2, 1.5, "must be a whole number"),
            "concurrency": (2, "two", "must be a whole number"),
            "replicaCpuMillicores": (250, True, "must be a whole number"),
            "replicaMemoryGb": (1.5, "more", "must be a number"),
        }
    ),
]
