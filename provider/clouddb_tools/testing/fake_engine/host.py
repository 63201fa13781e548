"""The process of the dynamic provider host."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from pulumi_clouddb.engine.wire.codec import to_struct
from pulumi_clouddb.engine.wire.server import OPTIONS
from pulumi_clouddb.engine.wire.urns import PROVIDERS

from .goal import DYNAMIC_PACKAGE
from .process import ChildProcess
from .provider import Provider, ProviderError


class DynamicHost:
    """Starts the host on first use, or earlier in the background. One process serves a whole run.

    The engine runs `python -u -m pulumi.dynamic ENGINE_ADDRESS` in the program's folder, with the project's name and
    the whole configuration in the environment (plugin/provider_plugin.go, NewProvider), reads the port from the first
    line that it prints, shows the other lines to the user (plugin/plugin.go), and configures it with the stack's
    configuration in plain text, namespaces included (deploy/target.go, GetPackageConfig).
    """

    def __init__(
        self,
        *,
        folder: Path,
        project: str,
        config: Mapping[str, str],
        env: Mapping[str, str],
        engine_address: str,
        on_line: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._config = dict(config)
        self._env = {**env, "PULUMI_PROJECT": project, "PULUMI_CONFIG": json.dumps(self._config)}
        self._engine_address = engine_address
        self._on_line = on_line
        self._lock = threading.Lock()
        self._stopped = False
        self._process: ChildProcess | None = None
        self._channel: grpc.Channel | None = None
        self._provider: Provider | None = None

    @property
    def pid(self) -> int | None:
        """The host's process id, or None before the start."""
        return self._process.pid if self._process else None

    def warm_up(self) -> None:
        """Start the host in the background, while the program imports the SDK."""
        threading.Thread(target=self._try_start, daemon=True).start()

    def provider(self) -> Provider:
        """Wait for the host and return the configured provider."""
        with self._lock:
            if self._provider is None:
                self._provider = self._start()
            return self._provider

    def stop(self) -> None:
        """Stop the process."""
        self._stopped = True
        if self._process is not None and self._provider is None:
            # A start in progress holds the lock until the process prints its port or ends.
            self._process.stop(gently=False)
        with self._lock:
            if self._channel is not None:
                self._channel.close()  # first: grpc would log the end of the host on standard error
            if self._process is not None:
                self._process.stop(gently=self._provider is not None)

    def _try_start(self) -> None:
        try:
            self.provider()
        except ProviderError:
            return  # the first resource that needs the host retries and reports the error

    def _start(self) -> Provider:
        if self._stopped:
            raise ProviderError("the provider host was stopped")
        command = [sys.executable, "-u", "-m", "pulumi.dynamic", self._engine_address]
        self._process = ChildProcess(command, cwd=self._folder, env=self._env, on_line=self._on_line)
        port = self._process.first_line()
        self._process.forward_output()
        if not port.isdigit():
            self._process.stop(gently=False)
            raise ProviderError(f"the dynamic provider host did not start: {port!r} is not a port")
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS)
        stub = provider_pb2_grpc.ResourceProviderStub(self._channel)
        try:
            response = stub.Configure(self._configure_request())
        except grpc.RpcError as error:
            raise ProviderError.from_rpc(error) from None
        return Provider(stub, accepts_secrets=response.acceptSecrets)

    def _configure_request(self) -> provider_pb2.ConfigureRequest:
        return provider_pb2.ConfigureRequest(
            type=f"{PROVIDERS}{DYNAMIC_PACKAGE}",
            acceptSecrets=True,
            acceptResources=True,
            sends_old_inputs=True,
            sends_old_inputs_to_delete=True,
            variables={f"{DYNAMIC_PACKAGE}:config:{key}": value for key, value in self._config.items()},
            args=to_struct(self._config, secrets=True),
        )
