"""A fake engine: it sends a front end's process the calls of Pulumi's engine, in the same order.

`clouddb_tools.testing` has one that also runs programs, but only in dynamic mode; this one sends both front ends the
same calls. Checks run in sequence, as in the engine; the resulting steps run concurrently.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pulumi.dynamic.dynamic import PROVIDER_KEY
from pulumi.runtime.proto import provider_pb2

from clouddb_tools.commands.export.statements import Step
from clouddb_tools.testing.fake_engine.provider import Provider
from clouddb_tools.testing.fake_engine.state import Resource
from pulumi_clouddb.dynamic.provider import serialized
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, URN
from support.grpc_driver import GrpcDriver
from support.host import DynamicHost
from support.plugin import COMMAND, NativePlugin

from .nothing import dynamic as nothing_dynamic
from .nothing import plugin as nothing_plugin

PLUGIN, DYNAMIC = "plugin", "dynamic"
FRONT_ENDS = (PLUGIN, DYNAMIC)
NOTHING = {PLUGIN: "plugin that does nothing", DYNAMIC: "dynamic provider that does nothing"}
"""The floor of each front end, which receives the same calls."""
TYPES = {PLUGIN: "clouddb:index:{}", DYNAMIC: "pulumi-python:dynamic/clouddb:{}"}
TYPES |= {NOTHING[name]: type_ for name, type_ in TYPES.items()}
NOTHING_COMMAND = (sys.executable, "-u", nothing_plugin.__file__)
ROOT = Path(__file__).parents[1]

PARALLEL = 32
"""Concurrent steps: the CLI's default on eight cores. A dynamic host runs four of them."""


class Engine:
    """One run of a stack, with its own process; use it as a context manager.

    As with Pulumi, an object is changed and deleted by other runs than the one that has created it, with the same
    state: a run keeps the object of a resource that it has created itself.

    Args:
        front_end: `plugin` or `dynamic`.
        config: Stack configuration.
        folder: The working directory of its process.
        state: The state of an earlier run, which this one changes: resources by name.
        stack: The stack's name.
        env: Additional environment variables.
        parallel: Number of concurrent steps.
        driver: The process, if it is not the front end's.
    """

    def __init__(
        self,
        front_end: str,
        config: Mapping[str, str],
        folder: Path,
        state: dict[str, Resource] | None = None,
        *,
        stack: str = "dev",
        env: Mapping[str, str] | None = None,
        parallel: int = PARALLEL,
        driver: GrpcDriver | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.front_end, self.stack, self.parallel = front_end, stack, parallel
        self.state = {} if state is None else state
        self.driver = driver or started(front_end, config, folder, env)
        self._provider = Provider(self.driver.stub, accepts_secrets=False)

    def __enter__(self) -> Engine:
        """Return the run with its configured process."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the process as the engine does."""
        self.driver.stop()

    def warm_up(self, step: Step) -> None:
        """Check a resource without a request, so that the process initializes everything that it needs on first use."""
        news = {**step.properties, **self._sent_along(step.kind)}
        token = TYPES[self.front_end].format(step.kind)
        request = provider_pb2.CheckRequest(type=token, news=to_struct(news, secrets=False))
        if failures := self.driver.stub.Check(request).failures:
            raise RuntimeError(failures)

    def up(self, steps: Sequence[Step]) -> None:
        """Create missing objects, and update those that differ."""
        with ThreadPoolExecutor(self.parallel) as pool:
            doing = [pool.submit(self.apply, resource, inputs) for resource, inputs in self._planned(steps)]
        for each in doing:
            each.result()

    def preview(self, steps: Sequence[Step]) -> int:
        """Return the number of resources that would change."""
        return len(list(self._planned(steps)))

    def refresh(self) -> None:
        """Read every object."""
        self._at_once(self.read)

    def destroy(self) -> None:
        """Delete every object."""
        self._at_once(self.delete)

    def _at_once(self, work: Callable[[Resource], None]) -> None:
        with ThreadPoolExecutor(self.parallel) as pool:
            list(pool.map(work, list(self.state.values())))

    def _planned(self, steps: Sequence[Step]) -> Iterator[tuple[Resource, Properties]]:
        """Yield the resources that change, with their checked inputs."""
        for step in steps:
            resource, inputs = self.check(step)
            if not resource.id or self.differs(resource, inputs):
                yield resource, inputs

    # -- one resource --------------------------------------------------------------------------------------------------

    def check(self, step: Step) -> tuple[Resource, Properties]:
        """Return a resource of the program, which has no id before it is created, and its checked inputs."""
        urn = urns.create(self.stack, "bench", "", TYPES[self.front_end].format(step.kind), step.variable)
        return self.check_inputs(urn, {**step.properties, **self._sent_along(step.kind, urn)})

    def check_inputs(self, urn: str, news: Properties) -> tuple[Resource, Properties]:
        """Return the same for the inputs that a program has sent."""
        old = self.state.get(urn, Resource(urn, custom=True))
        inputs, failures = self._provider.check(urn, old.inputs, news, unknowns=False)
        if failures:
            raise RuntimeError(failures)
        return old, inputs

    def differs(self, resource: Resource, inputs: Properties) -> bool:
        """Return whether inputs change a resource."""
        return self._provider.diff(resource, inputs, [], unknowns=False).changes

    def apply(self, resource: Resource, inputs: Properties) -> None:
        """Create or update a resource."""
        if resource.id:
            resource.outputs = self._provider.update(resource, inputs, [], preview=False)
        else:
            resource.id, resource.outputs = self._provider.create(resource.urn, inputs, preview=False)
        resource.inputs = inputs
        self.state[resource.urn] = resource

    def read(self, resource: Resource) -> None:
        """Refresh a resource.

        Raises:
            RuntimeError: Its object does not exist.
        """
        found = self._provider.read(resource.urn, resource.id, resource.inputs, resource.outputs)
        if not found.id:
            raise RuntimeError(f"{resource.urn} does not exist")
        resource.outputs = found.outputs

    def delete(self, resource: Resource) -> None:
        """Delete a resource."""
        self._provider.delete(resource)
        del self.state[resource.urn]

    def _sent_along(self, kind: str, urn: str = "") -> Properties:
        """Return the additional inputs that a dynamic class sends."""
        if self.front_end == NOTHING[DYNAMIC]:
            return {PROVIDER_KEY: nothing_dynamic.serialized()}
        if self.front_end == DYNAMIC:
            return {PROVIDER_KEY: serialized(kind), **({REGISTRATION_KEY: {URN: urn}} if urn else {})}
        return {}


def started(front_end: str, config: Mapping[str, str], folder: Path, env: Mapping[str, str] | None) -> GrpcDriver:
    """Start the process of a front end and configure it."""
    if front_end in (DYNAMIC, NOTHING[DYNAMIC]):
        return DynamicHost(config, folder, {"PYTHONPATH": str(ROOT), **(env or {})})
    command = COMMAND if front_end == PLUGIN else NOTHING_COMMAND
    return NativePlugin(config, folder, env, command=command, provider_id=str(uuid.uuid4()))
