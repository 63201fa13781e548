"""The real native plugin over gRPC, with plain dicts on this side and the methods of every `GrpcDriver`.

The engine leaves the envelopes of secrets on, as the plugin accepts them (`secrets=True`); without, in plain text.
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
        folder: Where it runs.
        env: Environment variables of its own.
        project: The project it belongs to.
        command: How it is started.
        secrets: Whether requests keep their secret envelopes, as the engine's do.
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
        answer = self._call(self.stub.Invoke, request)
        return Outputs("", *self._plain(getattr(answer, "return")))

    def _configuration(self) -> provider_pb2.ConfigureRequest:
        own = {name.removeprefix("clouddb:"): value for name, value in self.config.items()}
        return provider_pb2.ConfigureRequest(args=self._struct("", own), id=self._provider_id, name=self._provider_name)

    def _token(self, resource: str) -> str:
        """Return the token of a resource or function; a parent in front, as in `Parent$Service`, stays there."""
        parent, dollar, own = resource.rpartition("$")
        return f"{parent}{dollar}clouddb:index:{own}"

    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        return to_struct(properties, secrets=self._secrets)
