"""A real provider process over gRPC, with plain dicts on this side: what both front ends have in common.

It is the process that the engine starts; nothing of it is replaced. `UNKNOWN` stands for values that a preview cannot
know, `Secret` for secret ones; answers come without wrappers, and say beside it which properties were secret.
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

from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, URN
from pulumi_clouddb.engine.wire.secret import has_secret, strip
from pulumi_clouddb.engine.wire.server import OPTIONS
from pulumi_clouddb.testing.fake_engine.process import ChildProcess

from .engine import EngineLog

Own = TypeVar("Own", bound="GrpcDriver")
NO_SECRETS: frozenset[str] = frozenset()


class ProviderProcess(Protocol):
    """What a driver needs of the process that it talks to."""

    @property
    def pid(self) -> int:
        """The process id."""

    def first_line(self) -> str:
        """Wait for the first line of standard output."""

    def forward_output(self) -> None:
        """Start to hand over lines of output."""

    def poll(self) -> int | None:
        """Return None while it runs."""

    def stop(self, gently: bool) -> None:
        """End it."""


class HostError(Exception):
    """A call failed; the text is what the user sees."""


@dataclass(frozen=True)
class Checked:
    """The answer to Check or CheckConfig; each failure begins with its property path."""

    inputs: Properties
    failures: list[str]
    secrets: frozenset[str] = NO_SECRETS

    @property
    def paths(self) -> list[str]:
        """The property paths of the failures."""
        return [each.partition(" ")[0] for each in self.failures]


@dataclass(frozen=True)
class Diffed:
    """The answer to Diff.

    Attributes:
        changes: Whether anything changes.
        replaces: Properties that need another object.
        delete_first: Whether the old object goes before the new one comes.
        details: What becomes of each property, such as `{"tiles[0].name": "UPDATE"}`; None where that is not told.
    """

    changes: bool
    replaces: tuple[str, ...]
    delete_first: bool
    details: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Outputs:
    """The answer to Create, Read or Update; `inputs` is there for Read only, and an empty id says gone."""

    id: str
    outputs: Properties
    secrets: frozenset[str]
    inputs: Properties | None = None
    input_secrets: frozenset[str] = NO_SECRETS


class NotReadyError(HostError):
    """An object exists, but is not what it should be (ErrorResourceInitFailed)."""

    def __init__(self, text: str, outputs: Outputs, reasons: list[str]) -> None:
        super().__init__(text)
        self.outputs = outputs
        self.reasons = reasons


class GrpcDriver(ABC):
    """One process of a provider under one configuration; use it as a context manager.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`.
        folder: Where it runs.
        env: Environment variables of its own.
        project: The project it belongs to.
        command: How it is started; the engine's address is added.
    """

    longest_call = 120.0
    """Seconds after which a call counts as one that never ends."""

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
        """The warnings shown under this configuration so far."""
        return list(self.engine.warnings)

    def stop(self) -> None:
        """End the process as the engine does after a command, with an interrupt first."""
        self._channel.close()
        self._process.stop(gently=True)
        self.engine.stop()

    def configure(self, config: Mapping[str, str]) -> None:
        """Go on under another configuration, as a process that is started anew would: nothing read is remembered."""
        self.config = dict(config)
        self.engine.warnings.clear()
        self.configured = self._call(self.stub.Configure, self._configuration())

    # -- what the front ends do differently --------------------------------------------------------------------------

    @abstractmethod
    def _configuration(self) -> provider_pb2.ConfigureRequest:
        """Return the request that carries `config`."""

    @abstractmethod
    def _token(self, resource: str) -> str:
        """Return the type token of a resource."""

    @abstractmethod
    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        """Return properties of a resource as they are sent."""

    def _values(self, struct: struct_pb2.Struct) -> Properties:
        """Return properties as they were answered."""
        return from_struct(struct)

    @abstractmethod
    def invoke(self, function: str, arguments: Properties) -> Outputs:
        """Call a function by its Pulumi name, with wire names."""

    # -- requests ----------------------------------------------------------------------------------------------------

    def check(self, resource: str, news: Properties, olds: Properties | None = None) -> Checked:
        """Let the provider judge inputs."""
        request = provider_pb2.CheckRequest(
            type=self._token(resource), olds=self._struct(resource, olds or {}), news=self._struct(resource, news)
        )
        return self._checked(self._call(self.stub.Check, request))

    def check_config(self, news: Properties) -> Checked:
        """Let the provider judge its configuration."""
        request = provider_pb2.CheckRequest(news=to_struct(news, secrets=False))
        return self._checked(self._call(self.stub.CheckConfig, request))

    def diff(
        self, resource: str, id_: str, olds: Properties, news: Properties, old_inputs: Properties | None = None
    ) -> Diffed:
        """Compare state with checked inputs."""
        request = provider_pb2.DiffRequest(
            type=self._token(resource),
            id=id_,
            olds=self._struct(resource, olds),
            news=self._struct(resource, news),
            old_inputs=self._struct(resource, old_inputs or {}),
        )
        answer = self._call(self.stub.Diff, request)
        kinds = {path: provider_pb2.PropertyDiff.Kind.Name(each.kind) for path, each in answer.detailedDiff.items()}
        changes = answer.changes == provider_pb2.DiffResponse.DIFF_SOME
        details = kinds if answer.hasDetailedDiff else None
        return Diffed(changes, tuple(answer.replaces), answer.deleteBeforeReplace, details)

    def create(
        self, resource: str, inputs: Properties, *, urn: str = "", preview: bool = False, timeout: float = 0
    ) -> Outputs:
        """Create an object; without a URN, no later run can take it up."""
        registered = {REGISTRATION_KEY: {URN: urn}} if urn else {}
        request = provider_pb2.CreateRequest(
            urn=urn,
            type=self._token(resource),
            properties=self._struct(resource, {**inputs, **registered}),
            preview=preview,
            timeout=timeout,
        )
        answer = self._call(self.stub.Create, request)
        return Outputs(answer.id, *self._plain(answer.properties))

    def read(self, resource: str, id_: str, state: Properties, inputs: Properties | None = None) -> Outputs:
        """Read an object as a refresh does; with an empty state, as `get` does, by `inputs`."""
        request = provider_pb2.ReadRequest(
            type=self._token(resource),
            id=id_,
            properties=self._struct(resource, state) if state else None,
            inputs=self._struct(resource, inputs or {}),
        )
        return self._read(request)

    def import_(self, resource: str, id_: str) -> Outputs:
        """Read an object as an import does: nothing is known of it but its id."""
        return self._read(provider_pb2.ReadRequest(type=self._token(resource), id=id_))

    def update(
        self, resource: str, id_: str, olds: Properties, news: Properties, *, preview: bool = False, timeout: float = 0
    ) -> Outputs:
        """Bring an object into the form of new inputs."""
        request = provider_pb2.UpdateRequest(
            type=self._token(resource),
            id=id_,
            olds=self._struct(resource, olds),
            news=self._struct(resource, news),
            preview=preview,
            timeout=timeout,
        )
        return Outputs(id_, *self._plain(self._call(self.stub.Update, request).properties))

    def delete(self, resource: str, id_: str, state: Properties, *, timeout: float = 0) -> None:
        """Delete an object."""
        request = provider_pb2.DeleteRequest(
            type=self._token(resource), id=id_, properties=self._struct(resource, state), timeout=timeout
        )
        self._call(self.stub.Delete, request)

    def cancel(self) -> None:
        """Ask it to end its waits."""
        self._call(self.stub.Cancel, empty_pb2.Empty())

    # -- answers -----------------------------------------------------------------------------------------------------

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

    def _checked(self, answer: provider_pb2.CheckResponse) -> Checked:
        inputs, secrets = self._plain(answer.inputs)
        # The engine prints what the program gave, secret or not, for a failure that names its property.
        assert not any(failure.property for failure in answer.failures)
        return Checked(inputs, [failure.reason for failure in answer.failures], secrets)

    def _read(self, request: provider_pb2.ReadRequest) -> Outputs:
        answer = self._call(self.stub.Read, request)
        found = self._plain(answer.inputs) if answer.HasField("inputs") else (None, NO_SECRETS)
        return Outputs(answer.id, *self._plain(answer.properties), *found)


class Later(threading.Thread):
    """A call that runs beside the test; `result()` gives its answer, or raises what it raised."""

    def __init__(self, call: Any, *arguments: Any, **named: Any) -> None:
        super().__init__(daemon=True)
        self._call, self._arguments, self._named = call, arguments, named
        self._answer: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Make the call."""
        try:
            self._answer = self._call(*self._arguments, **self._named)
        except BaseException as error:  # noqa: BLE001 (handed on by result)
            self._error = error

    def result(self, timeout: float = 60) -> Any:
        """Wait for the answer."""
        self.join(timeout)
        assert not self.is_alive(), f"no answer within {timeout} s"
        if self._error:
            raise self._error
        return self._answer


def python(*arguments: str) -> tuple[str, ...]:
    """Return a command that runs a module of this interpreter, unbuffered."""
    return (sys.executable, "-u", "-m", *arguments)


def raw(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Return a Struct of exactly these JSON values."""
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


def secret_names(properties: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the properties that are, or hold, something secret."""
    return frozenset(name for name, value in properties.items() if has_secret(value))
