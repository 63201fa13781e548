"""A preview, up, refresh or destroy (deploy/deployment_executor.go)."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from pulumi.runtime.proto import engine_pb2_grpc, resource_pb2_grpc

from clouddb_tools.testing.stack import Program
from pulumi_clouddb.engine.wire.server import OPTIONS

from . import steps
from .deployment import Deployment, HaltedError, Settings
from .graph import DependencyGraph
from .host import DynamicHost
from .monitor import Engine, ResourceMonitor, execute
from .process import ChildProcess
from .provider import ProviderError
from .recorder import Recorder
from .state import Resource, StateFile
from .step_generator import StepGenerator

POLL_SECONDS = 0.02
SPARE_THREADS = 32


class Operation:
    """The servers and processes of one run; `run` stops all of them at its end."""

    def __init__(
        self, settings: Settings, program: Program, env: dict[str, str], state: StateFile, recorder: Recorder
    ) -> None:
        self._program, self._env = program, env
        self._recorder = recorder
        self._server = grpc.server(
            ThreadPoolExecutor(max_workers=settings.parallel * 4 + SPARE_THREADS), options=OPTIONS
        )
        self._address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self.host = DynamicHost(
            folder=program.folder,
            project=settings.project,
            config=settings.clear_config,
            env=env,
            engine_address=self._address,
            on_line=recorder.line,
        )
        self._run = Deployment(settings, state.load(), provider=self.host.provider, recorder=recorder, save=state.save)
        self._generator = StepGenerator(self._run)
        monitor = ResourceMonitor(self._run, self._generator)
        resource_pb2_grpc.add_ResourceMonitorServicer_to_server(monitor, self._server)
        engine_pb2_grpc.add_EngineServicer_to_server(Engine(self._run), self._server)

    def run(self, *, refresh: bool, program: bool, delete: bool) -> None:
        """Refresh the state, run the program and delete the remaining resources, each if requested."""
        self._server.start()
        try:
            if program or any(each.custom for each in self._run.base):
                self.host.warm_up()
            if refresh:
                self._refresh(standalone=not program)
            if program and not self._run.halted.is_set():
                self._run_program()
            if delete and not self._run.halted.is_set():
                self._delete()
            self._run.wait_idle()
            self._run.finish_stack_outputs()
            self._run.save()
            root = self._run.root()
            self._recorder.result.outputs = dict(root.outputs) if root else {}
        finally:
            self.host.stop()
            self._server.stop(None)

    def _refresh(self, standalone: bool) -> None:
        """Read all objects in parallel; if one fails, the others complete, and the operation fails."""
        old = self._run.base
        refreshes = [steps.Refresh(each, each, standalone=standalone) for each in old]
        with ThreadPoolExecutor(self._run.settings.parallel) as pool:
            list(pool.map(self._refresh_one, refreshes))
        existing = [each.new for each in refreshes if each.new is not None]
        self._run.rebase(_without_dangling(existing))
        self._run.save()
        if not self._recorder.result.ok:
            self._run.halt()

    def _refresh_one(self, step: steps.Refresh) -> None:
        try:
            step.apply(self._run)
        except ProviderError as error:
            self._recorder.error(str(error), step.resource.urn)
        else:
            self._recorder.step(step.public(), step.is_counted())

    def _run_program(self) -> None:
        settings, program = self._run.settings, self._program
        options = {
            "monitor": self._address,
            "engine": self._address,
            "project": settings.project,
            "stack": settings.stack,
            "organization": "organization",
            "root_directory": str(program.root),
            "parallel": settings.parallel,
            "dry_run": settings.preview,
            "program": program.entry,
        }
        script = Path(__file__).with_name("run_program.py")
        process = ChildProcess(
            [sys.executable, "-u", str(script), json.dumps(options)],
            cwd=program.folder,
            env={
                **self._env,
                "PULUMI_CONFIG": json.dumps(settings.clear_config),
                "PULUMI_CONFIG_SECRET_KEYS": json.dumps(settings.secret_keys),
            },
            on_line=self._recorder.line,
        )
        process.forward_output()
        try:
            while process.poll() is None and not self._run.halted.wait(POLL_SECONDS):
                pass
            self._run.wait_idle()
        finally:
            code = process.poll()
            process.stop(gently=False)
            self._run.program_ended.set()
        if code and not self._run.halted.is_set():
            self._recorder.fail()
            if not self._recorder.result.errors:
                self._recorder.error(f"the program ended with exit code {code}")
            self._run.halt()

    def _delete(self) -> None:
        """Delete group after group; protected resources and their dependencies are kept."""
        kept: set[Resource] = set()
        graph = DependencyGraph(self._run.base)
        for group in self._generator.deletes():
            with ThreadPoolExecutor(self._run.settings.parallel) as pool:
                remaining = list(pool.map(self._delete_one, [each for each in group if each.resource not in kept]))
            for resource in filter(None, remaining):
                kept |= graph.needed_by(resource)
            if self._run.halted.is_set():
                return

    def _delete_one(self, step: steps.Step) -> Resource | None:
        """Execute the step, and return the resource if it still exists."""
        try:
            with self._run.worker():
                execute(self._run, step)
        except HaltedError:
            return None
        return step.resource if step.resource in self._run.resources() else None


def _without_dangling(resources: list[Resource]) -> list[Resource]:
    """Remove references to deleted resources from the others (rebuildBaseState)."""
    existing: set[str] = set()
    for each in resources:
        each.dependencies = [urn for urn in each.dependencies if urn in existing]
        each.property_dependencies = {
            key: [urn for urn in urns if urn in existing] for key, urns in each.property_dependencies.items()
        }
        each.replace_with = [urn for urn in each.replace_with if urn in existing]
        each.deleted_with = each.deleted_with if each.deleted_with in existing else ""
        each.parent = each.parent if each.parent in existing else ""
        existing.add(each.urn)
    return resources
