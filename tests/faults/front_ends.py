"""Both front ends as warm processes, one for each command of the engine, with the same requests as from the engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from google.protobuf import struct_pb2

from clouddb_tools.testing.fake_engine.process import ChildProcess
from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE, folder_at
from pulumi_clouddb.engine.wire.codec import Properties, to_struct
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY, SECRET, URN
from pulumi_clouddb.sdk._run_end import Registrations
from support.grpc_driver import Checked, GrpcDriver, HostError
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.warm import WarmInterpreter, WarmProcess

LONGEST_CALL_SECONDS = 45.0
"""Timeout of a call: the waits and requests of a case take a few seconds, on a busy machine three times as long."""

NOTICE_SECONDS = 15.0
"""A provider checks every second whether its engine lives."""


class Provider(GrpcDriver):
    """A provider process of one command.

    Args:
        warm: The interpreter that forks it; None for a new process, as the engine starts it.
        config: Stack configuration.
        folder: Its working directory.
        env: Additional environment variables.
        stack: The stack of the command.
    """

    longest_call = LONGEST_CALL_SECONDS

    def __init__(
        self,
        warm: WarmInterpreter | None,
        config: Mapping[str, str],
        folder: Path,
        env: Mapping[str, str] | None = None,
        stack: str = "dev",
    ) -> None:
        self._warm = warm
        self._stack = stack
        self._about = threading.local()
        self._journal = (env or {}).get(FOLDER_VARIABLE, str(folder / "journal"))
        super().__init__(config, folder, env)

    def start_process(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> WarmProcess | ChildProcess:
        """Start or fork the provider."""
        start = self._warm.start if self._warm else ChildProcess
        return start(command, cwd=folder, env=env, on_line=self.lines.append)

    @contextmanager
    def about(self, resource: str, name: str, marked: frozenset[str]) -> Iterator[None]:
        """Set the resource of this thread's calls, and the names of its secret inputs."""
        self._about.urn = f"urn:pulumi:{self._stack}::{self.project}::{self._token(resource)}::{name}"
        self._about.name, self._about.marked = name, marked
        try:
            yield
        finally:
            del self._about.urn

    def stop(self, *, gently: bool = True) -> None:
        """End the process as the engine does after a command; or at once, as it does after five seconds."""
        with suppress(HostError):
            if gently:
                self.cancel()
        self._channel.close()
        self._process.stop(gently)
        self.engine.stop()

    @property
    def marks_by_name(self) -> bool:
        """Whether the engine marks outputs whose inputs are secret; it does so if the provider accepts no secrets."""
        return False

    def written(self, object_id: str) -> None:
        """Record that the object of this thread's calls is in state."""

    def run_ended(self) -> None:
        """Record that the run has ended normally."""

    def lose_engine(self) -> bool:
        """End the engine, and return whether the process ends by itself. A fork can miss its signal; see `warm`."""
        self.engine.stop()
        deadline = time.monotonic() + NOTICE_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return self._process.poll() is not None

    def _call(self, method: Any, request: Any) -> Any:
        if hasattr(self._about, "urn") and hasattr(request, "urn"):
            request.urn, request.name = self._about.urn, self._about.name
        return super()._call(method, request)


class _Dynamic(Provider, DynamicHost):
    """The dynamic host, and the part of the classes of the SDK that registers resources."""

    @property
    def marks_by_name(self) -> bool:
        """Return True: the host accepts no secrets."""
        return True

    @cached_property
    def _registrations(self) -> Registrations:
        return Registrations(folder_at(self._journal))

    def written(self, object_id: str) -> None:
        """Respond to the program's registration."""
        self._registrations.answered(self._about.urn, object_id)

    def run_ended(self) -> None:
        """Record the normal end of the run, as the program does."""
        self._registrations.ended()

    def check(self, resource: str, news: Properties, olds: Properties | None = None, *, urn: str = "") -> Checked:
        """Check inputs."""
        marks = {URN: self._about.urn, SECRET: dict.fromkeys(sorted(self._about.marked), True)}
        return super().check(resource, {**news, REGISTRATION_KEY: marks}, olds)


class _Native(Provider, NativePlugin):
    """The native plugin, which accepts secrets: the engine keeps them marked in requests and responses."""

    def _struct(self, resource: str, properties: Mapping[str, Any]) -> struct_pb2.Struct:
        return to_struct(properties, secrets=True)

    def _plain(self, struct: struct_pb2.Struct) -> tuple[Properties, frozenset[str]]:
        return self._values(struct), frozenset()


FRONT_ENDS: dict[str, type[Provider]] = {"dynamic": _Dynamic, "native": _Native}
