"""The services that the program and the provider host talk to: ResourceMonitor and Engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, resource_pb2, resource_pb2_grpc

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct

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
"""What is offered to the SDK: it refuses transforms, hooks and parameterised packages by itself when they are missing,
and sends a resource that is used as a value as its id."""


class ResourceMonitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Takes registrations, each in a thread of its own, and answers when the steps are done (deploy/source_eval.go)."""

    def __init__(self, run: Deployment, generator: StepGenerator) -> None:
        self._run = run
        self._generator = generator

    def GetDeploymentInfo(  # noqa: N802 - named by the protocol
        self, _request: empty_pb2.Empty, _context: grpc.ServicerContext
    ) -> resource_pb2.DeploymentInfo:
        """Tell the SDK about the stack and what this monitor can do."""
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
        # The outputs of a component are not given back: they may name resources not registered yet (issue 5978).
        outputs = new.outputs if new.custom else {}
        return resource_pb2.RegisterResourceResponse(urn=new.urn, id=new.id, object=_struct(outputs))

    def ReadResource(  # noqa: N802
        self, request: resource_pb2.ReadResourceRequest, context: grpc.ServicerContext
    ) -> resource_pb2.ReadResourceResponse:
        """Look at a resource that others manage."""
        new = self._perform(context, lambda: self._generator.read(Goal.from_read(request))).resource
        return resource_pb2.ReadResourceResponse(urn=new.urn, id=new.id, properties=_struct(new.outputs))

    def RegisterResourceOutputs(  # noqa: N802
        self, request: resource_pb2.RegisterResourceOutputsRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Take a component's outputs; those of the stack wait until the end."""
        outputs = from_struct(request.outputs)
        if urns.qualified_type(request.urn) == urns.ROOT_TYPE:
            self._run.stack_outputs = (request.urn, outputs)
            return empty_pb2.Empty()
        component = self._run.find(request.urn)
        if component is None:
            context.abort(grpc.StatusCode.UNKNOWN, f"the outputs of {request.urn!r} came before its registration")
            raise AssertionError  # abort raises; mypy does not know
        component.outputs = outputs
        return empty_pb2.Empty()

    def Invoke(  # noqa: N802
        self, request: resource_pb2.ResourceInvokeRequest, context: grpc.ServicerContext
    ) -> Any:
        """Refuse functions of providers: a dynamic provider has none."""
        self._fail(f"the function {request.tok} is not supported by the fake engine")
        context.abort(grpc.StatusCode.UNIMPLEMENTED, f"no function {request.tok}")

    def SignalAndWaitForShutdown(  # noqa: N802
        self, _request: empty_pb2.Empty, _context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Let the program end at once: it only has to stay for delete hooks, which are not offered."""
        return empty_pb2.Empty()

    def _perform(self, context: grpc.ServicerContext, decide: Callable[[], list[steps.Step]]) -> steps.Step:
        try:
            with self._run.planning:
                self._run.go_on()
                found = decide()
            with self._run.worker():
                for step in found:
                    execute(self._run, step)
            return found[-1]
        except (NotSupportedError, ProviderError, StepRefusedError) as error:
            self._fail(str(error))
        except InvalidRequestError:
            self._run.halt()
        except HaltedError:
            pass
        # The program is ended once the steps under way are done; an answer now would only make it complain.
        self._run.program_ended.wait()
        context.abort(grpc.StatusCode.UNAVAILABLE, "the operation has failed")
        raise AssertionError  # abort raises; mypy does not know

    def _fail(self, message: str) -> None:
        self._run.recorder.error(message)
        self._run.halt()


class Engine(engine_pb2_grpc.EngineServicer):
    """Takes log messages from the program and from providers."""

    def __init__(self, run: Deployment) -> None:
        self._run = run

    def Log(self, request: engine_pb2.LogRequest, _context: grpc.ServicerContext) -> empty_pb2.Empty:  # noqa: N802
        """Note a message."""
        severity = engine_pb2.LogSeverity.Name(request.severity).lower()
        if severity != "debug":
            self._run.recorder.diagnostic(severity, request.message, request.urn, passing=request.ephemeral)
        return empty_pb2.Empty()


def execute(run: Deployment, step: steps.Step) -> None:
    """Do one step, report it, and save the state, which the engine does after each step too."""
    run.go_on()
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


def _struct(properties: Properties) -> Any:
    return to_struct(properties, secrets=True)
