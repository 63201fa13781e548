"""The scaling of database pipes: it exists with the first such pipe, is awaited, and is restored."""

from __future__ import annotations

from pathlib import Path

import pytest

from clouddb_tools.sandbox import Latency, Sandbox
from clouddb_tools.sandbox.pipe_cdc_scalings import SIZE
from lives.life import a_service
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.registry import RESOURCES
from support.sessions import ProviderProcess, config_for
from things.pipes.cdc_scalings.life import a_database_pipe

KIND, LARGE = "pipe_cdc_scalings", {"replicaCpuMillicores": 4000, "replicaMemoryGb": 16}
SCALING = RESOURCES["PipeCdcScaling"]


def test_destroy_restores_the_original_scaling(process: ProviderProcess, sandbox: Sandbox) -> None:
    """If the last pipe is deleted, and the scaling with it, nothing is restored."""
    service = a_database_pipe(sandbox)["service_id"]
    id_, state = process.create("PipeCdcScaling", {"serviceId": service, **LARGE})
    assert id_ == service
    assert state["original"] == SIZE
    assert sandbox.objects(KIND)[service].items() >= LARGE.items()
    process.delete("PipeCdcScaling", id_, state)
    assert sandbox.objects(KIND)[service].items() >= SIZE.items()
    sandbox.remove(KIND, service)
    process.delete("PipeCdcScaling", id_, state)


def test_service_without_database_pipes_has_no_scaling(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error says that a Pipe creates it."""
    with pytest.raises(
        ResourceError, match=r"the service does not exist, or has no database pipe.*\n.*depend on a Pipe"
    ):
        process.create("PipeCdcScaling", {"serviceId": a_service(sandbox)["service_id"], **LARGE})
    assert sandbox.count("update_pipe_cdc_scaling") == 0


def test_new_scaling_is_awaited(tmp_path: Path) -> None:
    """The server returns the old scaling for some time, which would be drift in the next refresh."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(start=0.4)) as sandbox:
        service = a_service(sandbox)["service_id"]
        sandbox.add_pipe(service, "postgres", name="orders")
        inputs = {"serviceId": service, **LARGE}
        process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)
        id_, state = process.create("PipeCdcScaling", inputs)
        assert sandbox.count("get_pipe_cdc_scaling") > 2
        later = ProviderProcess(config_for(sandbox), tmp_path / "later")
        assert later.changes("PipeCdcScaling", later.read("PipeCdcScaling", id_, state).state, inputs) == ()
        small = {"serviceId": service, "replicaCpuMillicores": 1000, "replicaMemoryGb": 4}
        later.update("PipeCdcScaling", id_, state, {**small, "waitTimeoutMinutes": 0.001})
        assert "has accepted the scaling" in later.warnings[-1]


def test_restored_scaling_is_awaited(tmp_path: Path) -> None:
    """An override created directly afterwards reads the original scaling, not the removed one."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(start=0.4)) as sandbox:
        service = a_service(sandbox)["service_id"]
        sandbox.add_pipe(service, "postgres", name="orders")
        inputs = {"serviceId": service, **LARGE}
        process = ProviderProcess(config_for(sandbox, pollIntervalSeconds=0.05), tmp_path)
        process.delete("PipeCdcScaling", *process.create("PipeCdcScaling", inputs))
        _, state = process.create("PipeCdcScaling", inputs)
        assert state["original"] == SIZE
