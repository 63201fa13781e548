"""The real native plugin over gRPC, with plain dicts on this side and the method names of `DynamicHost`.

It is the process that the engine starts. The engine strips secrets before it calls, as the plugin does not accept
them; `secrets=True` leaves their envelopes on, as an engine that does not care would.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from pulumi_clouddb.testing.stand_in.process import ChildProcess
from pulumi_clouddb.testing.stand_in.values import Properties, from_struct, strip, to_struct

from .host import NO_ENGINE, Checked, Diffed, HostFailed, Outputs, secret_names

COMMAND = (sys.executable, "-u", "-m", "pulumi_clouddb.plugin", NO_ENGINE)


@dataclass(frozen=True)
class PropertyDiffed(Diffed):
    """The answer to Diff, with what becomes of each property: `{"tiles[0].name": "UPDATE"}`."""

    details: Mapping[str, str] = field(default_factory=dict)


class NotReady(HostFailed):
    """An object exists, but is not what it should be (ErrorResourceInitFailed)."""

    def __init__(self, text: str, id_: str, outputs: Properties, secrets: frozenset[str], reasons: list[str]) -> None:
        super().__init__(text)
        self.outputs = Outputs(id_, outputs, secrets)
        self.reasons = reasons


class NativePlugin:
    """One process of the plugin under one configuration; use it as a context manager.

    Args:
        config: Stack configuration such as `{"clouddb:paid": "false"}`.
        folder: Where it runs.
        env: Environment variables of its own.
        project: The project it belongs to.
        command: How it is started.
        secrets: Whether requests keep their secret envelopes.
    """

    def __init__(
        self,
        config: Mapping[str, str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        project: str = "tests",
        command: Iterable[str] = COMMAND,
        secrets: bool = False,
    ) -> None:
        self.config = {name.removeprefix("clouddb:"): value for name, value in config.items()}
        self.lines: list[str] = []
        self._secrets = secrets
        own = {"PULUMI_PROJECT": project, "CLOUDDB_JOURNAL": str(folder / "journal"), **(env or {})}
        self._process = ChildProcess(list(command), cwd=folder, env=own, on_line=self.lines.append)
        port = self._process.first_line()
        self._process.pass_on_output()
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=_GRPC_CHANNEL_OPTIONS)
        self.stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        self.configured = self._call(self.stub.Configure, provider_pb2.ConfigureRequest(args=self._struct(self.config)))

    def __enter__(self) -> NativePlugin:
        """Return the running plugin."""
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
        request = provider_pb2.CheckRequest(
            type=_token(resource), olds=self._struct(olds or {}), news=self._struct(news)
        )
        answer = self._call(self.stub.Check, request)
        return Checked(_plain(answer.inputs)[0], [(failure.property, failure.reason) for failure in answer.failures])

    def check_config(self, news: Properties) -> Checked:
        """Let the provider judge its configuration."""
        answer = self._call(self.stub.CheckConfig, provider_pb2.CheckRequest(news=self._struct(news)))
        return Checked(_plain(answer.inputs)[0], [(failure.property, failure.reason) for failure in answer.failures])

    def diff(
        self, resource: str, id_: str, olds: Properties, news: Properties, old_inputs: Properties | None = None
    ) -> PropertyDiffed:
        """Compare state with checked inputs."""
        request = provider_pb2.DiffRequest(
            type=_token(resource),
            id=id_,
            olds=self._struct(olds),
            news=self._struct(news),
            old_inputs=self._struct(old_inputs or {}),
        )
        answer = self._call(self.stub.Diff, request)
        assert answer.hasDetailedDiff
        kinds = {path: provider_pb2.PropertyDiff.Kind.Name(each.kind) for path, each in answer.detailedDiff.items()}
        changes = answer.changes == provider_pb2.DiffResponse.DIFF_SOME
        return PropertyDiffed(changes, tuple(answer.replaces), answer.deleteBeforeReplace, kinds)

    def create(self, resource: str, inputs: Properties, *, preview: bool = False, timeout: float = 0) -> Outputs:
        """Create an object."""
        request = provider_pb2.CreateRequest(
            type=_token(resource), properties=self._struct(inputs), preview=preview, timeout=timeout
        )
        answer = self._call(self.stub.Create, request)
        return Outputs(answer.id, *_plain(answer.properties))

    def read(self, resource: str, id_: str, state: Properties, inputs: Properties | None = None) -> Outputs:
        """Read an object as a refresh does; with an empty state, as an import does."""
        request = provider_pb2.ReadRequest(
            type=_token(resource), id=id_, properties=self._struct(state), inputs=self._struct(inputs or {})
        )
        answer = self._call(self.stub.Read, request)
        found = _plain(answer.inputs)[0] if answer.HasField("inputs") else None
        return Outputs(answer.id, *_plain(answer.properties), found)

    def update(
        self, resource: str, id_: str, olds: Properties, news: Properties, *, preview: bool = False, timeout: float = 0
    ) -> Outputs:
        """Bring an object into the form of new inputs."""
        request = provider_pb2.UpdateRequest(
            type=_token(resource),
            id=id_,
            olds=self._struct(olds),
            news=self._struct(news),
            preview=preview,
            timeout=timeout,
        )
        return Outputs(id_, *_plain(self._call(self.stub.Update, request).properties))

    def delete(self, resource: str, id_: str, state: Properties, *, timeout: float = 0) -> None:
        """Delete an object."""
        request = provider_pb2.DeleteRequest(
            type=_token(resource), id=id_, properties=self._struct(state), timeout=timeout
        )
        self._call(self.stub.Delete, request)

    def invoke(self, function: str, arguments: Properties) -> Outputs:
        """Call a function."""
        request = provider_pb2.InvokeRequest(tok=_token(function), args=self._struct(arguments))
        answer = self._call(self.stub.Invoke, request)
        return Outputs("", *_plain(getattr(answer, "return")))

    def cancel(self) -> None:
        """Ask it to end its waits."""
        self._call(self.stub.Cancel, empty_pb2.Empty())

    def _struct(self, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        return to_struct(properties, secrets=self._secrets)

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=120)
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise
            raise _failure(error) from None


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


def raw(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Return a Struct of exactly these JSON values."""
    return json_format.ParseDict(dict(values), struct_pb2.Struct())


def _token(name: str) -> str:
    """Return the token of a resource or function; a parent in front, as in `Parent$Service`, stays there."""
    parent, dollar, own = name.rpartition("$")
    return f"{parent}{dollar}clouddb:index:{own}"


def _plain(struct: struct_pb2.Struct) -> tuple[Properties, frozenset[str]]:
    values = from_struct(struct)
    return strip(values), secret_names(values)


def _failure(error: grpc.Call) -> HostFailed:
    text = str(error.details())
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            detail = provider_pb2.ErrorResourceInitFailed()
            assert status.code == error.code().value[0]
            assert status.details[0].Unpack(detail)
            outputs, secrets = _plain(detail.properties)
            return NotReady(text, detail.id, outputs, secrets, list(detail.reasons))
    return HostFailed(text)
