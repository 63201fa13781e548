"""The gRPC services for the program and the provider host: ResourceMonitor and Engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, resource_pb2, resource_pb2_grpc

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import from_struct, to_struct

from . import steps
from .deployment import Deployment, HaltedError
from .goal import Goal, NotSupportedError
from .provider import ProviderError
from .step_generator import InvalidRequestError, StepGenerator, StepRefusedError

FEATURES: Final = (
    resource_pb2.RESOURCE_MONITOR_FEATURE_SECRETS,
    resource_pb2.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
    resource_pb2.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
    resource_pb2.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
)
"""The features announced to the SDK. Without others, it refuses transforms, hooks and parameterized packages itself,
and sends a resource that is used as a value as its id."""


class ResourceMonitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Handles registrations in parallel, and responds when their steps are complete (deploy/source_eval.go)."""

    def __init__(self, run: Deployment, generator: StepGenerator) -> None:
        self._run = run
        self._generator = generator

    def GetDeploymentInfo(  # noqa: N802 - named by the protocol
        self, _request: empty_pb2.Empty, _context: grpc.ServicerContext
    ) -> resource_pb2.DeploymentInfo:
        """Return the stack's settings and the features of this monitor."""
        settings = self._run.settings
        return resource_pb2.DeploymentInfo(
            project=settings.project,
            stack=settings.stack,
            organization="organization",
            config=settings.clear_config,
            configSecretKeys=settings.secret_keys,
            dryRun=settings.preview,
            parallel=settings.parallel,
            supportedFeatures=FEATURES,
        )

    def RegisterResource(  # noqa: N802
        self, request: resource_pb2.RegisterResourceRequest, context: grpc.ServicerContext
    ) -> resource_pb2.RegisterResourceResponse:
        """Create, update, replace or keep a resource."""
        step = self._perform(context, lambda: self._generator.register(Goal.from_register(request)))
        new = step.resource
        # The outputs of a component are not returned: they can refer to unregistered resources (issue 5978).
        outputs = new.outputs if new.custom else {}
        return resource_pb2.RegisterResourceResponse(urn=new.urn, id=new.id, object=to_struct(outputs, secrets=True))

    def ReadResource(  # noqa: N802
        self, request: resource_pb2.ReadResourceRequest, context: grpc.ServicerContext
    ) -> resource_pb2.ReadResourceResponse:
        """Read a resource that others manage."""
        new = self._perform(context, lambda: self._generator.read(Goal.from_read(request))).resource
        properties = to_struct(new.outputs, secrets=True)
        return resource_pb2.ReadResourceResponse(urn=new.urn, id=new.id, properties=properties)

    def RegisterResourceOutputs(  # noqa: N802
        self, request: resource_pb2.RegisterResourceOutputsRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Store a component's outputs; those of the stack are applied at the end."""
        outputs = from_struct(request.outputs)
        if urns.qualified_type(request.urn) == urns.ROOT_TYPE:
            self._run.stack_outputs = (request.urn, outputs)
            return empty_pb2.Empty()
        component = self._run.find(request.urn)
        if component is None:
            context.abort(grpc.StatusCode.UNKNOWN, f"the outputs of {request.urn!r} arrived before its registration")
            raise AssertionError  # abort raises; mypy does not know
        component.outputs = outputs
        return empty_pb2.Empty()

    def Invoke(  # noqa: N802
        self, request: resource_pb2.ResourceInvokeRequest, context: grpc.ServicerContext
    ) -> Any:
        """Refuse provider functions, which dynamic providers do not have."""
        self._fail(f"the function {request.tok} is not supported by the fake engine")
        context.abort(grpc.StatusCode.UNIMPLEMENTED, f"no function {request.tok}")

    def SignalAndWaitForShutdown(  # noqa: N802
        self, _request: empty_pb2.Empty, _context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Let the program end at once, as delete hooks are not supported."""
        return empty_pb2.Empty()

    def _perform(self, context: grpc.ServicerContext, decide: Callable[[], list[steps.Step]]) -> steps.Step:
        try:
            with self._run.planning:
                self._run.check_running()
                planned = decide()
            with self._run.worker():
                for step in planned:
                    execute(self._run, step)
            return planned[-1]
        except (NotSupportedError, ProviderError, StepRefusedError) as error:
            self._fail(str(error))
        except InvalidRequestError:
            self._run.halt()
        except HaltedError:
            pass
        # The program is stopped when the running steps are complete; a response now would make it report an error.
        self._run.program_ended.wait()
        context.abort(grpc.StatusCode.UNAVAILABLE, "the operation has failed")
        raise AssertionError  # abort raises; mypy does not know

    def _fail(self, message: str) -> None:
        self._run.recorder.error(message)
        self._run.halt()


class Engine(engine_pb2_grpc.EngineServicer):
    """Receives log messages of the program and of providers."""

    def __init__(self, run: Deployment) -> None:
        self._run = run

    def Log(self, request: engine_pb2.LogRequest, _context: grpc.ServicerContext) -> empty_pb2.Empty:  # noqa: N802
        """Record a message."""
        severity = engine_pb2.LogSeverity.Name(request.severity).lower()
        if severity != "debug":
            self._run.recorder.diagnostic(severity, request.message, request.urn, ephemeral=request.ephemeral)
        return empty_pb2.Empty()


def execute(run: Deployment, step: steps.Step) -> None:
    """Execute a step, report it, and save the state, as the engine does after each step."""
    run.check_running()
    try:
        step.apply(run)
    except steps.ProtectedResourceError as error:
        run.recorder.error(str(error), step.resource.urn)
        return
    except ProviderError as error:
        run.recorder.error(str(error), step.resource.urn)
        run.halt()
        raise HaltedError from None
    run.recorder.step(step.public(), step.is_counted())
    if not isinstance(step, steps.Same):
        run.save()
