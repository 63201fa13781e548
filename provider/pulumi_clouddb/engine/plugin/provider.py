"""The native provider: translates between Pulumi's engine and the resources.

It is a plain servicer of the engine's own stubs; each call runs in a thread of its own. Method names are the wire's.
"""

# ruff: noqa: N802
from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from pulumi_clouddb import registry
from pulumi_clouddb.client.errors import ConfigError, ResourceError
from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.settings import NOT_CONFIGURED, provider_config, settings_failures
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.base import names_marked
from pulumi_clouddb.schema.check import Failure
from pulumi_clouddb.schema.config import ProviderConfig, gather, misspelt
from pulumi_clouddb.schema.redaction import redact
from pulumi_clouddb.schema.values import WireValues, contains_unknown

from . import marks
from .answers import InitFailedError, rpc
from .differences import detailed
from .functions import secret_places, unknown_answer
from .marks import Secrets, decode, encode
from .schema import schema_text, version

DIFF_NONE, DIFF_SOME = provider_pb2.DiffResponse.DIFF_NONE, provider_pb2.DiffResponse.DIFF_SOME


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """One provider under one configuration, as the engine configures it.

    Attributes:
        waits: What ends the waits of its operations.
    """

    def __init__(self) -> None:
        self._log = EngineLog()
        self.waits = Cancellation(self._log.status)
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session under the configuration.

        Raises:
            ConfigError: Configure was not called.
        """
        if self._session is None:
            raise ConfigError(NOT_CONFIGURED)
        return self._session

    @property
    def engine_address(self) -> str:
        """The engine's address, `host:port`; empty as long as it is not known."""
        return self._log.address

    def run_ended(self) -> None:
        """Record that the run has ended in order, so that what was created is in state."""
        if self._session is not None:
            self._session.pending.run_ended()

    # -- the provider itself -------------------------------------------------------------------------------------

    @rpc
    def Handshake(self, _: provider_pb2.ProviderHandshakeRequest) -> provider_pb2.ProviderHandshakeResponse:
        """Say that secrets may come marked; see `marks`."""
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=False)

    @rpc
    def Attach(self, request: plugin_pb2.PluginAttach) -> empty_pb2.Empty:
        """Learn the engine's address, where a person has started this process for `PULUMI_DEBUG_PROVIDERS`."""
        self._log.address = request.address
        return empty_pb2.Empty()

    @rpc
    def GetPluginInfo(self, _: empty_pb2.Empty) -> plugin_pb2.PluginInfo:
        """Tell the version."""
        return plugin_pb2.PluginInfo(version=version())

    @rpc
    def GetSchema(self, _: provider_pb2.GetSchemaRequest) -> provider_pb2.GetSchemaResponse:
        """Serve schema.json."""
        return provider_pb2.GetSchemaResponse(schema=schema_text())

    @rpc
    def CheckConfig(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Report everything that is wrong with the configuration; what the environment adds stays out of state.

        Credentials go into state as secrets, also where a program has not marked them.
        """
        news, secrets = decode(request.news)
        failures = settings_failures(gather(news.get, os.environ))
        return provider_pb2.CheckResponse(
            inputs=encode(news, secrets | marks.known(names_marked(ProviderConfig, "secret"), news)),
            failures=_told(failures),
        )

    @rpc
    def DiffConfig(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Return whether the configuration changes; that never replaces what was made under it."""
        (olds, _), (news, _) = decode(request.olds), decode(request.news)
        changed = sorted(name for name in olds.keys() | news.keys() if olds.get(name) != news.get(name))
        return provider_pb2.DiffResponse(changes=DIFF_SOME if changed else DIFF_NONE, diffs=changed)

    @rpc
    def Configure(self, request: provider_pb2.ConfigureRequest) -> provider_pb2.ConfigureResponse:
        """Take addresses and credentials from the provider's inputs, else from the environment."""
        given, _ = decode(request.args)
        self._session = Session(
            provider_config(given.get),
            scope=backend(),
            warn=self._log.warn,
            runtime=self.waits,
            time_limit=self.waits.minutes,
            served=lambda: not self.waits.ended,
            misspelt=misspelt(given),
            stack=request.id or None,
        )
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    @rpc
    def Cancel(self, _: empty_pb2.Empty) -> empty_pb2.Empty:
        """End the waits under way."""
        self.waits.cancel()
        return empty_pb2.Empty()

    # -- resources -----------------------------------------------------------------------------------------------

    @rpc
    def Check(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Fill in defaults and report every failure at once; each begins with its property path."""
        news, secrets = decode(request.news)
        handler = _handler(request)
        olds, _ = decode(request.olds)
        session = self.session.for_resource(request.urn)
        checked = lifecycle.check(session, handler, news, marks.names(secrets), olds)
        return provider_pb2.CheckResponse(
            inputs=marks.checked(handler.type, checked.inputs, secrets),
            failures=_told(checked.failures),
        )

    @rpc
    def Diff(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Compare by meaning, and name each property that changes.

        A value that the program marks as a secret from now on counts: the engine would leave it in clear in state.
        """
        handler = _handler(request)
        (olds, marked), (news, secrets) = decode(request.olds), decode(request.news)
        old_inputs, were_secret = decode(request.old_inputs)
        difference = lifecycle.diff(self.session.for_resource(request.urn), handler, request.id, olds, news)
        leaks = marks.leaks(handler.type, olds, marked, secrets)
        return provider_pb2.DiffResponse(
            changes=DIFF_SOME if difference.changed or leaks else DIFF_NONE,
            diffs=difference.changed,
            replaces=difference.replaces,
            deleteBeforeReplace=difference.delete_before_replace,
            detailedDiff=detailed(handler, difference, olds, old_inputs, news, secrets | were_secret),
            hasDetailedDiff=True,
        )

    @rpc
    def Create(self, request: provider_pb2.CreateRequest) -> provider_pb2.CreateResponse:
        """Create the object; what exists is never lost for a wait that fails."""
        handler = _handler(request)
        inputs, secrets = decode(request.properties)
        if request.preview:
            previewed = handler.preview_outputs(None, inputs)
            return provider_pb2.CreateResponse(properties=marks.outputs(handler.type, previewed, secrets))
        object_id, state = lifecycle.create(self.session.for_resource(request.urn), handler, inputs)
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(object_id, outputs, request.properties, error)
        return provider_pb2.CreateResponse(id=object_id, properties=outputs)

    @rpc
    def Read(self, request: provider_pb2.ReadRequest) -> provider_pb2.ReadResponse:
        """Read the object as it is now, with the inputs that would leave it so."""
        handler = _handler(request)
        (state, state_secrets), (inputs, input_secrets) = decode(request.properties), decode(request.inputs)
        session = self.session.for_resource(request.urn)
        object_id, live = lifecycle.read(session, handler, request.id, state, inputs)
        if live is None:
            return provider_pb2.ReadResponse()
        secrets = state_secrets | input_secrets
        return provider_pb2.ReadResponse(
            id=object_id,
            properties=_outputs(handler, live.state, secrets)[0],
            inputs=marks.inputs(handler.type, live.inputs, secrets),
        )

    @rpc
    def Update(self, request: provider_pb2.UpdateRequest) -> provider_pb2.UpdateResponse:
        """Send what changed; where only what is secret did, state moves along and nothing is sent."""
        handler = _handler(request)
        (olds, _), (news, secrets) = decode(request.olds), decode(request.news)
        if request.preview:
            previewed = lifecycle.preview(handler, request.id, olds, news)
            return provider_pb2.UpdateResponse(properties=marks.outputs(handler.type, previewed, secrets))
        session = self.session.for_resource(request.urn)
        changed = lifecycle.diff(session, handler, request.id, olds, news).changed
        state = lifecycle.update(session, handler, request.id, olds, news) if changed else olds
        outputs, error = _outputs(handler, state, secrets)
        if error:
            raise InitFailedError(request.id, outputs, request.news, error)
        return provider_pb2.UpdateResponse(properties=outputs)

    @rpc
    def Delete(self, request: provider_pb2.DeleteRequest) -> empty_pb2.Empty:
        """Delete the object; one that is gone already is done."""
        state, _ = decode(request.properties)
        lifecycle.delete(self.session.for_resource(request.urn), _handler(request), request.id, state)
        return empty_pb2.Empty()

    # -- functions -----------------------------------------------------------------------------------------------

    @rpc
    def Invoke(self, request: provider_pb2.InvokeRequest) -> provider_pb2.InvokeResponse:
        """Answer a function such as `clouddb:index:getPipe`; with unknown arguments, nothing is known."""
        arguments, secrets = decode(request.args)
        function = registry.FUNCTIONS.get(request.tok.rpartition(":")[2])
        if function is None:
            raise ResourceError(f"this provider has no function {request.tok}", "Look at schema.json for those it has.")
        if contains_unknown(arguments):
            answer = unknown_answer(function.type)
        else:
            answer = function.call(self.session, arguments, marks.names(secrets))
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(answer, secret_places(function.type, answer)))
        return response


def _handler(request: Any) -> AnyResource:
    """Return what handles the resource of a request; below a parent its type is written `Parent$Type`."""
    token = (request.type or urns.qualified_type(request.urn)).rpartition("$")[2]
    handler = registry.RESOURCES.get(token.rpartition(":")[2])
    if handler is None or handler.type.token != token:
        raise ResourceError(f"this provider has no resource {token}", "Look at schema.json for those it has.")
    return handler


def _told(failures: Iterable[Failure]) -> list[provider_pb2.CheckFailure]:
    """Write failures to the wire, without properties: the engine would print what the program gave, secret or not."""
    return [provider_pb2.CheckFailure(reason=redact(str(each))) for each in failures]


def _outputs(handler: AnyResource, state: WireValues, secrets: Secrets) -> tuple[struct_pb2.Struct, str]:
    """Write state to the wire; return with it the error that it tells of, if any."""
    problem = handler.type.problem
    error = redact(str(state.get(problem) or ""))
    told = {**state, problem: error} if error else state
    return marks.outputs(handler.type, told, secrets), error
