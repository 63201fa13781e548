"""A client of the real native plugin, with the methods of `GrpcDriver`.

The plugin accepts secrets, so the engine sends them in envelopes (`secrets=True`); the default sends plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2

from pulumi_clouddb.engine.wire.codec import Properties, to_struct

from .grpc_driver import GrpcDriver, Outputs, python

COMMAND = python("pulumi_clouddb.engine.plugin")


class NativePlugin(GrpcDriver):
    """One process of the plugin.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`.
        folder: Its working directory.
        env: Additional environment variables.
        project: The name of its Pulumi project.
        command: Its command line.
        secrets: Whether requests contain secret envelopes, as the engine's do.
        provider_id: The id of the provider resource in state.
        provider_name: The name of the provider resource.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        project: str = "tests",
        command: Sequence[str] = COMMAND,
        secrets: bool = False,
        provider_id: str = "",
        provider_name: str = "",
    ) -> None:
        self._secrets, self._provider_id, self._provider_name = secrets, provider_id, provider_name
        super().__init__(config, folder, env, project, command)

    def invoke(self, function: str, arguments: Properties) -> Outputs:
        """Call a function."""
        request = provider_pb2.InvokeRequest(tok=self._token(function), args=self._struct(function, arguments))
        response = self._call(self.stub.Invoke, request)
        return Outputs("", *self._plain(getattr(response, "return")))

    def _configuration(self) -> provider_pb2.ConfigureRequest:
        own = {name.removeprefix("clouddb:"): value for name, value in self.config.items()}
        return provider_pb2.ConfigureRequest(args=self._struct("", own), id=self._provider_id, name=self._provider_name)

    def _token(self, resource: str) -> str:
        """Return the token of a resource or function; a prefix with a parent, as in `Parent$Service`, is kept."""
        parent, dollar, own = resource.rpartition("$")
        return f"{parent}{dollar}clouddb:index:{own}"

    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        return to_struct(properties, secrets=self._secrets)
