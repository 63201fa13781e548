"""Rows of the scaling of database pipes: its sizes."""

from __future__ import annotations

from support.rows import UUID, Row, Usual

SCALING = Usual("PipeCdcScaling", {"serviceId": UUID, "replicaCpuMillicores": 4000, "replicaMemoryGb": 16})
FITS = "replicaMemoryGb must be 4 GiB for each core"
CASES: list[Row] = [
    SCALING.rule({}, {"replicaCpuMillicores": 0}, "replicaCpuMillicores must be at least 1000"),
    SCALING.rule({}, {"replicaMemoryGb": -4}, "replicaMemoryGb must be at least 4"),
    SCALING.rule({}, {"replicaMemoryGb": 8}, FITS),
]
