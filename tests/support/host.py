"""A client of the real dynamic provider host, with the methods of `GrpcDriver`."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi._types import _py_properties, is_output_type
from pulumi.dynamic.dynamic import PROVIDER_KEY
from pulumi.runtime import Settings, set_all_config
from pulumi.runtime import configure as configure_program
from pulumi.runtime.proto import provider_pb2
from pydantic.alias_generators import to_snake

import pulumi_clouddb as clouddb
from clouddb_tools.testing import Secret
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.dynamic.provider import serialized
from pulumi_clouddb.engine.wire.codec import Properties, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, URN
from pulumi_clouddb.engine.wire.secret import strip

from .grpc_driver import GrpcDriver, HostError, Outputs, python, secret_names

COMMAND = python("pulumi.dynamic")


class DynamicHost(GrpcDriver):
    """One process of the host; requests contain the serialized provider, as state does."""

    def __init__(
        self, config: Mapping[str, str], folder: Path, env: Mapping[str, str] | None = None, project: str = "tests"
    ) -> None:
        self._configured = 0
        super().__init__(config, folder, env, project, COMMAND)

    def configure(self, config: Mapping[str, str]) -> None:
        """Switch to another configuration.

        The host caches a configured provider for each text of `__provider`, so each configuration appends another
        number of blanks, which the host ignores.
        """
        self._configured += 1
        super().configure(config)

    def invoke(self, function: str, arguments: Properties) -> Outputs:
        """Call a function as a program does, with this configuration: the host does not implement Invoke."""
        return contextvars.copy_context().run(self._call_in_program, function, arguments)

    def _call_in_program(self, function: str, arguments: Properties) -> Outputs:
        configure_program(Settings(project=self.project, stack="tests"))
        set_all_config(self.config)
        named = {to_snake(name): value for name, value in arguments.items()}
        try:
            result = asyncio.run(_resolved(lambda: getattr(clouddb, to_snake(function))(**named)))
        except CloudDBError as error:
            raise HostError(str(error)) from None
        return Outputs("", strip(result), secret_names(result))

    def _configuration(self) -> provider_pb2.ConfigureRequest:
        return provider_pb2.ConfigureRequest(args=to_struct(self.config, secrets=True))

    def _token(self, resource: str) -> str:
        return f"pulumi-python:dynamic/clouddb:{resource}"

    def _registered(self, urn: str) -> Properties:
        return {REGISTRATION_KEY: {URN: urn}} if urn else {}

    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        provider = serialized(resource) + " " * self._configured
        return to_struct({PROVIDER_KEY: provider, **properties}, secrets=False)

    def _values(self, struct: struct_pb2.Struct) -> Properties:
        return {name: value for name, value in super()._values(struct).items() if name != PROVIDER_KEY}


async def _resolved(call: Callable[[], Any]) -> Properties:
    """Return a function's result with its secret outputs as `Secret`."""
    result: Properties = await _plain(call())
    return result


async def _plain(value: Any) -> Any:
    if isinstance(value, pulumi.Output):
        inner = await _plain(await value.future())
        return Secret(inner) if await value.is_secret() else inner
    if isinstance(value, Mapping):
        wire = {python: name for python, name, _ in _py_properties(type(value))} if is_output_type(type(value)) else {}
        found = {wire.get(name, name): await _plain(item) for name, item in value.items()}
        return {name: item for name, item in found.items() if item is not None}
    return [await _plain(item) for item in value] if isinstance(value, list) else value
