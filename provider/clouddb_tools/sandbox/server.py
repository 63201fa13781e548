"""The server of a sandbox, in a thread or in a separate process."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn

from clouddb_tools.release import Release
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .app import make_app, make_state
from .fault_responses import ResettableProtocol
from .logged_request import LoggedRequest
from .remote import SandboxControl
from .settings import Clock, Latency, Settings

HOST = "127.0.0.1"
"""The only address a sandbox listens on, because its control routes require no credentials."""


def listen(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 selects a free port."""
    # asyncio disables Nagle's algorithm only if the protocol is given; responses would be 40 ms late otherwise.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # With SO_REUSEADDR, Windows would let two sandboxes listen on one port.
    listener.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
    try:
        listener.bind((HOST, port))
    except OSError:
        listener.close()
        raise
    listener.listen(128)
    return listener


class _Server(uvicorn.Server):
    """Stops without delay; uvicorn polls every 0.1 s whether it should stop, and then waits again as long.

    Many tests start a sandbox each, and most of them take less time than that.
    """

    _serving: asyncio.Future[None] | None = None

    async def main_loop(self) -> None:
        """Serve until a signal or `end`."""
        self._serving = asyncio.ensure_future(super().main_loop())
        with suppress(asyncio.CancelledError):
            await self._serving

    def end(self) -> None:
        """Stop the server from another thread."""
        self.should_exit = True  # stops a server that is still starting
        if self._serving is not None:
            with suppress(RuntimeError):  # its loop is closed: it has polled in between
                self._serving.get_loop().call_soon_threadsafe(self._serving.cancel)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close idle connections, and wait only for active ones."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)  # lets idle connections close
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)


def make_server(
    settings: Settings, clock: Clock | None = None, on_answer: Callable[[LoggedRequest], None] | None = None
) -> tuple[_Server, Callable[[], None]]:
    """Return a server that is not running yet, and a function that closes its store."""
    state = make_state(settings, clock)
    state.log.on_answer = on_answer or state.log.on_answer
    config = uvicorn.Config(
        make_app(state),
        http=ResettableProtocol,
        ws="none",
        lifespan="off",
        log_config=None,  # the program configures logging
        access_log=False,
        date_header=False,  # the application sets it from the sandbox's clock
        timeout_graceful_shutdown=1,
    )
    return _Server(config), state.store.close


class Sandbox(SandboxControl):
    """A sandbox that runs within a `with` block, on a free port.

    Example:
        with Sandbox(latency=Latency(provision=1)) as sandbox:
            httpx.get(sandbox.url + "/v1/organizations/...", auth=(sandbox.key_id, sandbox.key_secret))
    """

    def __init__(
        self,
        *,
        port: int = 0,
        data: str | Path | None = None,
        clock: Clock | None = None,
        own_process: bool = False,
        on_answer: Callable[[LoggedRequest], None] | None = None,
        **settings: Any,
    ) -> None:
        """Prepare a sandbox; entering the `with` block starts the server.

        Args:
            port: Port to listen on; 0 selects a free port.
            data: File that stores all objects; in memory if None.
            clock: Clock of the sandbox; the real time if None. Not with `own_process`.
            own_process: Run the server in a separate process instead of a thread (POSIX only).
            on_answer: Called with each request in the server's thread when its response is ready. Not with
                `own_process`.
            settings: Fields of `Settings`.
        """
        if clock and own_process:
            raise ValueError("clock cannot be combined with own_process; use advance()")
        if on_answer and own_process:
            raise ValueError("on_answer cannot be combined with own_process; read the log")
        self.settings = settings_from({**settings, "data": str(data) if data else None})
        self._port, self._clock, self._own_process, self._on_answer = port, clock, own_process, on_answer
        self._stop: Callable[[], None] = lambda: None

    def __enter__(self) -> Sandbox:
        """Start the server and wait until it responds.

        Raises:
            OSError: The port is taken, or the file cannot be used.
        """
        with listen(self._port) as listener:
            url = f"http://{HOST}:{listener.getsockname()[1]}"
            (self._start_process if self._own_process else self._start_thread)(listener)
        try:
            super().__init__(url)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server; objects in memory are lost."""
        self.close()
        self._stop()

    def wait(self) -> None:
        """Wait for Ctrl-C."""
        threading.Event().wait()

    def _start_thread(self, listener: socket.socket) -> None:
        server, close = make_server(self.settings, self._clock, self._on_answer)
        own = listener.dup()
        thread = threading.Thread(target=server.run, args=([own],), name="clouddb-sandbox", daemon=True)
        thread.start()

        def stop() -> None:
            server.end()
            thread.join()
            own.close()
            close()

        self._stop = stop

    def _start_process(self, listener: socket.socket) -> None:
        command = [sys.executable, "-m", __package__ or "", str(listener.fileno()), json.dumps(asdict(self.settings))]
        process = subprocess.Popen(  # noqa: S603  # our own module
            command, pass_fds=(listener.fileno(),), stdin=subprocess.PIPE
        )

        def stop() -> None:
            if process.stdin:
                process.stdin.close()  # the process stops when its input closes
            process.wait()

        self._stop = stop


def settings_from(values: dict[str, Any]) -> Settings:
    """Return settings from their fields; enums and latency can be JSON values."""
    known = {field.name for field in fields(Settings)}
    if unknown := sorted(set(values) - known):
        raise TypeError(f"a sandbox has no setting {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    plain = dict(values)
    if "vocabulary" in plain:
        plain["vocabulary"] = VocabularyName(plain["vocabulary"])
    if "release" in plain:
        plain["release"] = Release(plain["release"])
    if "organization_tier" in plain:
        plain["organization_tier"] = OrganizationTier(plain["organization_tier"])
    if isinstance(plain.get("latency"), dict):
        plain["latency"] = Latency(**plain["latency"])
    return Settings(**plain)
