"""Check cases of scalings of pipes: valid and invalid inputs for each limit and rule of the interface."""

from __future__ import annotations

from typing import Any

from support.rules import UUID, Case, limits, one_of, required, uuids, wrong_types

RESOURCE = "PipeScaling"

PIPE = "22222222-2222-4333-8444-555555555555"
USUAL: dict[str, Any] = {"serviceId": UUID, "pipeId": PIPE}
"""Valid inputs; each case changes one of them."""

CASES: list[Case] = [
    *limits("replicas", 1, 10, 0, 11),
    *limits("concurrency", 0, 34, -1, 35),
    *limits("replicaCpuMillicores", 125, 2000, 124, 2001),
    *limits("replicaMemoryGb", 0.5, 8, 0.25, 8.5),
    *one_of("onDelete", "restore retain"),
    *uuids("serviceId", "pipeId"),
    *required(USUAL, "serviceId", "pipeId"),
    *wrong_types(
        {
            "replicas": (2, 1.5, "must be a whole number"),
            "concurrency": (2, "two", "must be a whole number"),
            "replicaCpuMillicores": (250, True, "must be a whole number"),
            "replicaMemoryGb": (1.5, "more", "must be a number"),
        }
    ),
]
