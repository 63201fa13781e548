"""Processor time of complete operations: of the program's and the provider's process, from start to end.

The fake engine is this process and keeps state in memory, so neither the engine nor its checkpoints are counted.
"""

# ruff: noqa: N802, D102 (the protocol names the methods)
from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing.fake_engine import run_program
from clouddb_tools.testing.fake_engine.monitor import FEATURES
from clouddb_tools.testing.fake_engine.state import Resource
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import from_struct, to_struct
from pulumi_clouddb.engine.wire.server import OPTIONS

from .done import WRITES, writes
from .engine import PARALLEL, Engine
from .process import cpu_of_children, cpu_of_command
from .programs import environment, program

RUNS_PROGRAM = {"up": True, "preview": True, "refresh": False, "destroy": False}
"""Whether an operation runs the program."""


class Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Receives the resources of a program, and creates or updates them.

    Args:
        engine: Knows the state, and calls the provider.
        preview: Whether to compare only.
    """

    def __init__(self, engine: Engine, *, preview: bool) -> None:
        self._engine, self._preview = engine, preview
        self._planning = threading.Lock()

    def GetDeploymentInfo(self, _: empty_pb2.Empty, __: grpc.ServicerContext) -> resource_pb2.DeploymentInfo:
        return resource_pb2.DeploymentInfo(supportedFeatures=FEATURES)

    def RegisterResource(
        self, request: resource_pb2.RegisterResourceRequest, _: grpc.ServicerContext
    ) -> resource_pb2.RegisterResourceResponse:
        urn = urns.create(self._engine.stack, "bench", "", request.type, request.name)
        if not request.custom:
            return resource_pb2.RegisterResourceResponse(urn=urn)
        with self._planning:
            resource, inputs = self._engine.check_inputs(urn, from_struct(request.object))
            changes = not resource.id or self._engine.differs(resource, inputs)
        if changes and not self._preview:
            self._engine.apply(resource, inputs)
        outputs = to_struct(resource.outputs or inputs, secrets=True)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=resource.id, object=outputs)

    def RegisterResourceOutputs(
        self, _: resource_pb2.RegisterResourceOutputsRequest, __: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def SignalAndWaitForShutdown(self, _: empty_pb2.Empty, __: grpc.ServicerContext) -> empty_pb2.Empty:
        return empty_pb2.Empty()


def played(front_end: str, number: int, sandbox: Sandbox) -> dict[str, float]:
    """Return the processor time of each operation on a stack of dashboards, and the program's part of it."""
    found: dict[str, float] = {}
    state: dict[str, Resource] = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "__main__.py").write_text(program(front_end, number), encoding="utf-8")
        for name, runs_program in RUNS_PROGRAM.items():
            with writes(sandbox, number * WRITES[name], front_end):
                both, of_program = operation(name, front_end, Path(folder), sandbox, state)
            found[f"{name}: processor time of program and provider"] = both
            if runs_program:
                found[f"{name}: of that, the program"] = of_program
    return found


def operation(
    name: str, front_end: str, folder: Path, sandbox: Sandbox, state: dict[str, Resource]
) -> tuple[float, float]:
    """Run an operation with new processes, and return the processor time of all, and of the program alone."""
    before, of_program = cpu_of_children(), 0.0
    with Engine(front_end, sandbox.config, folder, state) as engine:
        if RUNS_PROGRAM[name]:
            of_program = _run_program(front_end, folder, engine, preview=name == "preview")
        else:
            getattr(engine, name)()
    return cpu_of_children() - before, of_program


def _run_program(front_end: str, folder: Path, engine: Engine, *, preview: bool) -> float:
    server = grpc.server(ThreadPoolExecutor(PARALLEL), options=OPTIONS)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(Monitor(engine, preview=preview), server)
    server.start()
    options = {
        "monitor": address,
        "engine": engine.driver.engine.address,
        "project": "bench",
        "stack": engine.stack,
        "organization": "organization",
        "root_directory": str(folder),
        "parallel": PARALLEL,
        "dry_run": preview,
        "program": str(folder),
    }
    try:
        command = [sys.executable, run_program.__file__, json.dumps(options)]
        return cpu_of_command(command, {**os.environ, **environment(front_end)})
    finally:
        server.stop(None)
