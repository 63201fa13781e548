"""A gRPC client of a real provider process, with plain dicts as values: the common part of both front ends.

The process is the one that the engine starts; nothing in it is replaced. `UNKNOWN` represents unknown values, `Secret`
secret ones; responses have plain values, and the names of the secret properties beside them.
"""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from clouddb_tools.testing.fake_engine.process import ChildProcess
from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, URN
from pulumi_clouddb.engine.wire.secret import has_secret, strip
from pulumi_clouddb.engine.wire.server import OPTIONS

from .engine import EngineLog

Own = TypeVar("Own", bound="GrpcDriver")
NO_SECRETS: frozenset[str] = frozenset()


class ProviderProcess(Protocol):
    """The methods of a process that a driver uses."""

    @property
    def pid(self) -> int:
        """The process id."""

    def first_line(self) -> str:
        """Wait for the first line of standard output."""

    def forward_output(self) -> None:
        """Start to forward lines of output."""

    def poll(self) -> int | None:
        """Return None while it runs."""

    def stop(self, gently: bool) -> None:
        """End it."""


class HostError(Exception):
    """A call failed; the text is what the user sees."""


@dataclass(frozen=True)
class Checked:
    """The response to Check or CheckConfig; each failure begins with its property path."""

    inputs: Properties
    failures: list[str]
    secrets: frozenset[str] = NO_SECRETS

    @property
    def paths(self) -> list[str]:
        """The property paths of the failures."""
        return [each.partition(" ")[0] for each in self.failures]


@dataclass(frozen=True)
class Diffed:
    """The response to Diff.

    Attributes:
        changes: Whether anything changes.
        replaces: Properties whose change requires a replacement.
        delete_first: Whether the old object is deleted before the new one is created.
        details: The kind of each change, such as `{"tiles[0].name": "UPDATE"}`; None without a detailed diff.
    """

    changes: bool
    replaces: tuple[str, ...]
    delete_first: bool
    details: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Outputs:
    """The response to Create, Read or Update; only Read has `inputs`, and an empty id if the object is gone."""

    id: str
    outputs: Properties
    secrets: frozenset[str]
    inputs: Properties | None = None
    input_secrets: frozenset[str] = NO_SECRETS


class NotReadyError(HostError):
    """An object exists, but is not ready or complete (ErrorResourceInitFailed)."""

    def __init__(self, text: str, outputs: Outputs, reasons: list[str]) -> None:
        super().__init__(text)
        self.outputs = outputs
        self.reasons = reasons


class GrpcDriver(ABC):
    """One provider process with one configuration; use it as a context manager.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`.
        folder: Its working directory.
        env: Additional environment variables.
        project: The name of its Pulumi project.
        command: Its command line; the engine's address is appended.
    """

    longest_call = 120.0
    """Timeout of a call in seconds."""

    def __init__(
        self,
        config: Mapping[str, str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        project: str = "tests",
        command: Sequence[str] = (),
    ) -> None:
        self.lines: list[str] = []
        self.project = project
        self.engine = EngineLog()
        own = {"PULUMI_PROJECT": project, "CLOUDDB_JOURNAL": str(folder / "journal"), **(env or {})}
        started = [*command, self.engine.address]
        self._process = self.start_process(started, folder, own)
        port = self._process.first_line()
        self._process.forward_output()
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS)
        self.stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self.configure(config)

    def __enter__(self: Own) -> Own:
        """Return the running provider."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.stop()

    def start_process(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> ProviderProcess:
        """Start the provider; its lines of output go to `lines`."""
        return ChildProcess(command, cwd=folder, env=env, on_line=self.lines.append)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def warnings(self) -> list[str]:
        """The warnings since the last configuration."""
        return list(self.engine.warnings)

    def stop(self) -> None:
        """End the process as the engine does after a command: first by an interrupt."""
        self._channel.close()
        self._process.stop(gently=True)
        self.engine.stop()

    def configure(self, config: Mapping[str, str]) -> None:
        """Switch to another configuration, like a new process: the provider drops everything that it has read."""
        self.config = dict(config)
        self.engine.warnings.clear()
        self.engine.warned.clear()
        self.configured = self._call(self.stub.Configure, self._configuration())

    # -- differences of the front ends --------------------------------------------------------------------------------

    @abstractmethod
    def _configuration(self) -> provider_pb2.ConfigureRequest:
        """Return the request with `config`."""

    @abstractmethod
    def _token(self, resource: str) -> str:
        """Return the type token of a resource."""

    def _registered(self, urn: str) -> Properties:
        """Return the properties that tell the process the URN of a resource, beside the request."""
        return {}

    @abstractmethod
    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        """Encode the properties of a resource for a request."""

    def _values(self, struct: struct_pb2.Struct) -> Properties:
        """Decode properties of a response."""
        return from_struct(struct)

    @abstractmethod
    def invoke(self, function: str, arguments: Properties) -> Outputs:
        """Call a function by its Pulumi name, with wire names."""

    # -- requests ----------------------------------------------------------------------------------------------------

    def check(self, resource: str, news: Properties, olds: Properties | None = None, *, urn: str = "") -> Checked:
        """Check inputs."""
        request = provider_pb2.CheckRequest(
            urn=urn,
            type=self._token(resource),
            olds=self._struct(resource, olds or {}),
            news=self._struct(resource, {**news, **self._registered(urn)}),
        )
        return self._checked(self._call(self.stub.Check, request))

    def check_config(self, news: Properties) -> Checked:
        """Check a provider configuration."""
        request = provider_pb2.CheckRequest(news=to_struct(news, secrets=False))
        return self._checked(self._call(self.stub.CheckConfig, request))

    def diff(
        self,
        resource: str,
        id_: str,
        olds: Properties,
        news: Properties,
        old_inputs: Properties | None = None,
        *,
        urn: str = "",
    ) -> Diffed:
        """Compare state with checked inputs."""
        request = provider_pb2.DiffRequest(
            urn=urn,
            type=self._token(resource),
            id=id_,
            olds=self._struct(resource, olds),
            news=self._struct(resource, {**news, **self._registered(urn)}),
            old_inputs=self._struct(resource, old_inputs or {}),
        )
        response = self._call(self.stub.Diff, request)
        kinds = {path: provider_pb2.PropertyDiff.Kind.Name(each.kind) for path, each in response.detailedDiff.items()}
        changes = response.changes == provider_pb2.DiffResponse.DIFF_SOME
        details = kinds if response.hasDetailedDiff else None
        return Diffed(changes, tuple(response.replaces), response.deleteBeforeReplace, details)

    def create(
        self, resource: str, inputs: Properties, *, urn: str = "", preview: bool = False, timeout: float = 0
    ) -> Outputs:
        """Create an object; without a URN, no later run can adopt it."""
        registered = {REGISTRATION_KEY: {URN: urn}} if urn else {}
        request = provider_pb2.CreateRequest(
            urn=urn,
            type=self._token(resource),
            properties=self._struct(resource, {**inputs, **registered}),
            preview=preview,
            timeout=timeout,
        )
        response = self._call(self.stub.Create, request)
        return Outputs(response.id, *self._plain(response.properties))

    def read(
        self, resource: str, id_: str, state: Properties, inputs: Properties | None = None, *, urn: str = ""
    ) -> Outputs:
        """Read an object as a refresh does; with an empty state, as `get` does with `inputs`."""
        request = provider_pb2.ReadRequest(
            urn=urn,
            type=self._token(resource),
            id=id_,
            properties=self._struct(resource, state) if state else None,
            inputs=self._struct(resource, inputs or {}),
        )
        return self._read(request)

    def import_(self, resource: str, id_: str) -> Outputs:
        """Read an object as an import does: by its id alone."""
        return self._read(provider_pb2.ReadRequest(type=self._token(resource), id=id_))

    def update(
        self, resource: str, id_: str, olds: Properties, news: Properties, *, preview: bool = False, timeout: float = 0
    ) -> Outputs:
        """Update an object to new inputs."""
        request = provider_pb2.UpdateRequest(
            type=self._token(resource),
            id=id_,
            olds=self._struct(resource, olds),
            news=self._struct(resource, news),
            preview=preview,
            timeout=timeout,
        )
        return Outputs(id_, *self._plain(self._call(self.stub.Update, request).properties))

    def delete(self, resource: str, id_: str, state: Properties, *, urn: str = "", timeout: float = 0) -> None:
        """Delete an object."""
        request = provider_pb2.DeleteRequest(
            urn=urn, type=self._token(resource), id=id_, properties=self._struct(resource, state), timeout=timeout
        )
        self._call(self.stub.Delete, request)

    def cancel(self) -> None:
        """Cancel its waits."""
        self._call(self.stub.Cancel, empty_pb2.Empty())

    # -- responses ---------------------------------------------------------------------------------------------------

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=self.longest_call)
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise
            raise self._failure(error) from None

    def _failure(self, error: grpc.Call) -> HostError:
        text = str(error.details())
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin" and isinstance(value, bytes):
                status = status_pb2.Status.FromString(value)
                detail = provider_pb2.ErrorResourceInitFailed()
                assert status.code == error.code().value[0]
                assert status.details[0].Unpack(detail)
                return NotReadyError(text, Outputs(detail.id, *self._plain(detail.properties)), list(detail.reasons))
        return HostError(text)

    def _plain(self, struct: struct_pb2.Struct) -> tuple[Properties, frozenset[str]]:
        values = self._values(struct)
        return strip(values), secret_names(values)

    def _checked(self, response: provider_pb2.CheckResponse) -> Checked:
        inputs, secrets = self._plain(response.inputs)
        # For a failure with a property, the engine prints the program's value, even if it is secret.
        assert not any(failure.property for failure in response.failures)
        return Checked(inputs, [failure.reason for failure in response.failures], secrets)

    def _read(self, request: provider_pb2.ReadRequest) -> Outputs:
        response = self._call(self.stub.Read, request)
        inputs = self._plain(response.inputs) if response.HasField("inputs") else (None, NO_SECRETS)
        return Outputs(response.id, *self._plain(response.properties), *inputs)


class Later(threading.Thread):
    """A call in a thread; `result()` returns its result, or raises its exception."""

    def __init__(self, call: Any, *arguments: Any, **named: Any) -> None:
        super().__init__(daemon=True)
        self._call, self._arguments, self._named = call, arguments, named
        self._result: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Make the call."""
        try:
            self._result = self._call(*self._arguments, **self._named)
        except BaseException as error:  # noqa: BLE001 (result raises it)
            self._error = error

    def result(self, timeout: float = 60) -> Any:
        """Wait for the result."""
        self.join(timeout)
        assert not self.is_alive(), f"no result within {timeout} s"
        if self._error:
            raise self._error
        return self._result


def python(*arguments: str) -> tuple[str, ...]:
    """Return a command that runs a module of this interpreter, unbuffered."""
    return (sys.executable, "-u", "-m", *arguments)


def raw(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Return a Struct of exactly these JSON values."""
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


def secret_names(properties: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the properties that are secret, or contain a secret."""
    return frozenset(name for name, value in properties.items() if has_secret(value))
