"""The real dynamic provider host over gRPC, with plain dicts on this side.

It is the process that the engine starts; nothing of it is replaced. `UNKNOWN` stands for values that a preview cannot
know, `Secret` for secret ones; answers come without wrappers, and say beside it which properties were secret.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from pulumi_clouddb.dynamic.provider import PROVIDER_KEY, serialized
from pulumi_clouddb.testing.stand_in.process import ChildProcess
from pulumi_clouddb.testing.stand_in.values import Properties, from_struct, has_secret, strip, to_struct

NO_ENGINE = "127.0.0.1:0"
"""The host takes an engine's address; with none to be reached it prints its warnings."""


class HostFailed(Exception):
    """A call failed; the text is what the user sees."""


@dataclass(frozen=True)
class Checked:
    """The answer to Check."""

    inputs: Properties
    failures: list[tuple[str, str]]


@dataclass(frozen=True)
class Diffed:
    """The answer to Diff."""

    changes: bool
    replaces: tuple[str, ...]
    delete_first: bool


@dataclass(frozen=True)
class Outputs:
    """The answer to Create, Read or Update; `inputs` is there for Read only, and an empty id says gone."""

    id: str
    outputs: Properties
    secrets: frozenset[str]
    inputs: Properties | None = None


class DynamicHost:
    """One process of the host under one configuration; use it as a context manager.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`.
        folder: Where it runs.
        env: Environment variables of its own.
        project: The project it belongs to.
    """

    def __init__(
        self, config: Mapping[str, str], folder: Path, env: Mapping[str, str] | None = None, project: str = "tests"
    ) -> None:
        self.config = dict(config)
        self.lines: list[str] = []
        command = [sys.executable, "-u", "-m", "pulumi.dynamic", NO_ENGINE]
        own = {"PULUMI_PROJECT": project, "CLOUDDB_JOURNAL": str(folder / "journal"), **(env or {})}
        self._process = ChildProcess(command, cwd=folder, env=own, on_line=self.lines.append)
        port = self._process.first_line()
        self._process.pass_on_output()
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=_GRPC_CHANNEL_OPTIONS)
        self._stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self._stub.Configure(provider_pb2.ConfigureRequest(args=to_struct(self.config, secrets=True)))

    def __enter__(self) -> DynamicHost:
        """Return the running host."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.stop()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def warnings(self) -> list[str]:
        """The warnings shown so far."""
        return [line.removeprefix("warning: ") for line in self.lines if line.startswith("warning: ")]

    def stop(self) -> None:
        """End the process at once."""
        self._channel.close()
        self._process.stop(gently=False)

    def check(self, resource: str, news: Properties, olds: Properties | None = None) -> Checked:
        """Let the provider judge inputs."""
        answer = self._call(
            self._stub.Check,
            provider_pb2.CheckRequest(olds=_struct(resource, olds or {}), news=_struct(resource, news)),
        )
        return Checked(_plain(answer.inputs)[0], [(failure.property, failure.reason) for failure in answer.failures])

    def diff(self, resource: str, id_: str, olds: Properties, news: Properties) -> Diffed:
        """Compare state with checked inputs."""
        answer = self._call(
            self._stub.Diff,
            provider_pb2.DiffRequest(id=id_, olds=_struct(resource, olds), news=_struct(resource, news)),
        )
        changes = answer.changes == provider_pb2.DiffResponse.DIFF_SOME
        return Diffed(changes, tuple(answer.replaces), answer.deleteBeforeReplace)

    def create(self, resource: str, inputs: Properties) -> Outputs:
        """Create an object."""
        answer = self._call(self._stub.Create, provider_pb2.CreateRequest(properties=_struct(resource, inputs)))
        return Outputs(answer.id, *_plain(answer.properties))

    def read(self, resource: str, id_: str, state: Properties, inputs: Properties | None = None) -> Outputs:
        """Read an object as a refresh does; with an empty state, as `get` does, by `inputs`."""
        request = provider_pb2.ReadRequest(
            id=id_,
            properties=_struct(resource, state) if state else struct_pb2.Struct(),
            inputs=_struct(resource, inputs or {}),
        )
        answer = self._call(self._stub.Read, request)
        found = _plain(answer.inputs)[0] if answer.HasField("inputs") else None
        return Outputs(answer.id, *_plain(answer.properties), found)

    def update(self, resource: str, id_: str, olds: Properties, news: Properties) -> Outputs:
        """Bring an object into the form of new inputs."""
        answer = self._call(
            self._stub.Update,
            provider_pb2.UpdateRequest(id=id_, olds=_struct(resource, olds), news=_struct(resource, news)),
        )
        return Outputs(id_, *_plain(answer.properties))

    def delete(self, resource: str, id_: str, state: Properties) -> None:
        """Delete an object."""
        self._call(self._stub.Delete, provider_pb2.DeleteRequest(id=id_, properties=_struct(resource, state)))

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=120)
        except grpc.RpcError as error:
            raise HostFailed(str(error.details() if isinstance(error, grpc.Call) else error)) from None


MakeHost = Callable[..., DynamicHost]
"""The fixture `host_of`: gives the host of a configuration by its keys."""


def secret_names(properties: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the properties that are, or hold, something secret."""
    return frozenset(name for name, value in properties.items() if has_secret(value))


def reasons(failures: Sequence[tuple[str, str]]) -> list[str]:
    """Return the texts of failures, in order."""
    return [reason for _, reason in failures]


def _struct(resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
    return to_struct({**properties, PROVIDER_KEY: serialized(resource)}, secrets=False)


def _plain(struct: struct_pb2.Struct) -> tuple[Properties, frozenset[str]]:
    values = from_struct(struct)
    values.pop(PROVIDER_KEY, None)
    return strip(values), secret_names(values)
