"""The native provider, as the engine calls it.

It is a servicer of Pulumi's own stubs, with the method names of the wire. Each call runs in its own thread. The engine
waits for the port of each plugin that it starts, so most of the package is loaded later, by Configure.
"""

# ruff: noqa: N802
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from google.protobuf import empty_pb2

from pulumi_clouddb.client.errors import ConfigError
from pulumi_clouddb.engine.wire.cancellation import GRACE_SECONDS, Cancellation
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import NOT_CONFIGURED
from pulumi_clouddb.engine.wire.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from pulumi_clouddb.engine.wire.server import leave, serve
from pulumi_clouddb.engine.wire.watch import GONE, EngineWatch
from pulumi_clouddb.schema._version import VERSION

from .rpc import DIFF_NONE, DIFF_SOME, rpc
from .schema import schema_text
from .secret_paths import decode

if TYPE_CHECKING:
    from .configured import Configured

THREADS = 128
"""Concurrent operations. Most of them only wait, so many slow creates do not queue."""


def _configured(method: str) -> Any:
    """Return the RPC that calls a method of the provider with its configuration."""

    def call(self: Provider, request: Any) -> Any:
        return getattr(self.configured, method)(request)

    return rpc(call)


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """The provider, with at most one configuration.

    Attributes:
        waits: Its current operations.
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
        """The engine's address, `host:port`; empty while it is unknown."""
        return self._log.address

    def run_ended(self) -> None:
        """Record that the run has ended normally, so that state contains all new objects."""
        if self._configured is not None:
            self._configured.session.pending.run_ended()

    @rpc
    def Handshake(self, _: provider_pb2.ProviderHandshakeRequest) -> provider_pb2.ProviderHandshakeResponse:
        """Accept secrets, marked; see `secret_paths`."""
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=False)

    @rpc
    def Attach(self, request: plugin_pb2.PluginAttach) -> empty_pb2.Empty:
        """Take the engine's address if a person has started this process for `PULUMI_DEBUG_PROVIDERS`.

        Each command has an engine of its own, and each attaches.
        """
        self._log.address = request.address
        return empty_pb2.Empty()

    @rpc
    def GetPluginInfo(self, _: empty_pb2.Empty) -> plugin_pb2.PluginInfo:
        """Return the version."""
        return plugin_pb2.PluginInfo(version=VERSION)

    @rpc
    def GetSchema(self, _: provider_pb2.GetSchemaRequest) -> provider_pb2.GetSchemaResponse:
        """Return schema.json."""
        return provider_pb2.GetSchemaResponse(schema=schema_text())

    @rpc
    def CheckConfig(self, request: provider_pb2.CheckRequest) -> provider_pb2.CheckResponse:
        """Return all failures of the configuration."""
        from .configured import check_config

        return check_config(request)

    @rpc
    def DiffConfig(self, request: provider_pb2.DiffRequest) -> provider_pb2.DiffResponse:
        """Return whether the configuration changes; this never replaces a resource."""
        (olds, _), (news, _) = decode(request.olds), decode(request.news)
        changed = sorted(name for name in olds.keys() | news.keys() if olds.get(name) != news.get(name))
        return provider_pb2.DiffResponse(changes=DIFF_SOME if changed else DIFF_NONE, diffs=changed)

    @rpc
    def Configure(self, request: provider_pb2.ConfigureRequest) -> provider_pb2.ConfigureResponse:
        """Read addresses and credentials from the provider's inputs or the environment."""
        from .configured import Configured

        self._configured = Configured(request, self._log, self.waits)
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    @rpc
    def Cancel(self, _: empty_pb2.Empty) -> empty_pb2.Empty:
        """End the waits of the current operations."""
        self.waits.cancel()
        return empty_pb2.Empty()

    Check = _configured("check")
    Diff = _configured("diff")
    Create = _configured("create")
    Read = _configured("read")
    Update = _configured("update")
    Delete = _configured("delete")
    Invoke = _configured("invoke")


def serve_engine() -> None:
    """Serve until the engine ends this process, or ends itself."""
    provider = Provider()
    server, ending = serve(partial(provider_pb2_grpc.add_ResourceProviderServicer_to_server, provider), THREADS)

    def engine_gone() -> None:
        provider.waits.end(GONE)
        ending.end()

    if provider.engine_address:  # else a person has started this process, and ends it: see Attach
        EngineWatch(lambda: provider.engine_address, gone=engine_gone).start()
    ending.wait()
    # Current operations still respond. After a second Ctrl-C the engine writes no state, even if it gets a response.
    in_order = provider.waits.in_order
    provider.waits.end("the plugin was asked to end")
    server.stop(GRACE_SECONDS).wait()
    if in_order:
        provider.run_ended()
    leave()
