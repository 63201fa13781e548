"""The native provider, as the engine calls it.

It is a plain servicer of the engine's own stubs; each call runs in a thread of its own. Method names are the wire's.
What answers under a configuration is loaded with that: an engine waits for the port of each plugin that it starts.
"""

# ruff: noqa: N802
from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import NOT_CONFIGURED

from .answers import DIFF_NONE, DIFF_SOME, rpc
from .marks import decode
from .schema import schema_text, version

if TYPE_CHECKING:
    from .configured import Configured


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """One provider under one configuration, as the engine configures it.

    Attributes:
        waits: What ends the waits of its operations.
    """

    def __init__(self) -> None:
        self._log = EngineLog()
        self.waits = Cancellation(self._log.status)
        self._configured: Configured | None = None

    @property
    def configured(self) -> Configured:
        """The provider under its configuration.

        Raises:
            ConfigError: Configure was not called.
        """
        if self._configured is None:
            raise ConfigError(NOT_CONFIGURED)
        return self._configured

    @property
    def engine_address(self) -> str:
        """The engine's address, `host:port`; empty as long as it is not known."""
        return self._log.address

    def run_ended(self) -> None:
        """Record that the run has ended in order, so that what was created is in state."""
        if self._configured is not None:
            self._configured.session.pending.run_ended()

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
        """Report everything that is wrong with the configuration."""
        from .configured import check_config

        return check_config(request)

    @rpc
    def DiffConfig(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Return whether the configuration changes; that never replaces what was made under it."""
        (olds, _), (news, _) = decode(request.olds), decode(request.news)
        changed = sorted(name for name in olds.keys() | news.keys() if olds.get(name) != news.get(name))
        return provider_pb2.DiffResponse(changes=DIFF_SOME if changed else DIFF_NONE, diffs=changed)

    @rpc
    def Configure(self, request: provider_pb2.ConfigureRequest) -> provider_pb2.ConfigureResponse:
        """Take addresses and credentials from the provider's inputs, else from the environment."""
        from .configured import Configured

        self._configured = Configured(request, self._log, self.waits)
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    @rpc
    def Cancel(self, _: empty_pb2.Empty) -> empty_pb2.Empty:
        """End the waits under way."""
        self.waits.cancel()
        return empty_pb2.Empty()

    # -- what it does under its configuration --------------------------------------------------------------------

    @rpc
    def Check(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Fill in defaults and report every failure at once; each begins with its property path."""
        return self.configured.check(request)

    @rpc
    def Diff(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Compare by meaning, and name each property that changes."""
        return self.configured.diff(request)

    @rpc
    def Create(self, request: provider_pb2.CreateRequest) -> provider_pb2.CreateResponse:
        """Create the object; what exists is never lost for a wait that fails."""
        return self.configured.create(request)

    @rpc
    def Read(self, request: provider_pb2.ReadRequest) -> provider_pb2.ReadResponse:
        """Read the object as it is now, with the inputs that would leave it so."""
        return self.configured.read(request)

    @rpc
    def Update(self, request: provider_pb2.UpdateRequest) -> provider_pb2.UpdateResponse:
        """Send what changed; where only what is secret did, state moves along and nothing is sent."""
        return self.configured.update(request)

    @rpc
    def Delete(self, request: provider_pb2.DeleteRequest) -> empty_pb2.Empty:
        """Delete the object; one that is gone already is done."""
        return self.configured.delete(request)

    @rpc
    def Invoke(self, request: provider_pb2.InvokeRequest) -> provider_pb2.InvokeResponse:
        """Answer a function such as `clouddb:index:getPipe`; with unknown arguments, nothing is known."""
        return self.configured.invoke(request)
