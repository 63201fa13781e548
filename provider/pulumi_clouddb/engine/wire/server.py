"""The gRPC server of a process that the engine starts."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import sys
from collections.abc import Callable
from concurrent import futures
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

import grpc

LONGEST_MESSAGE: Final = 400 * 1024 * 1024
"""In bytes, as in Pulumi's own plugins."""

OPTIONS: Final = [
    ("grpc.max_receive_message_length", LONGEST_MESSAGE),
    ("grpc.max_send_message_length", LONGEST_MESSAGE),
    ("grpc.server_max_unrequested_time_in_server", 30 * 60),  # seconds, as in pulumi.runtime: a busy machine is slow
]


class Ending:
    """Wakes the main thread when this process is to end: at once, by a signal or from any thread."""

    def __init__(self) -> None:
        self._waiting, self._waking = socket.socketpair()
        self._waking.setblocking(False)
        # The kernel may hand a signal to a thread of gRPC, and Python runs its handler in the main thread, which that
        # does not wake. The file descriptor is written to in whichever thread gets the signal.
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, _do_nothing)
        if sys.platform == "win32":
            signal.signal(signal.SIGBREAK, _do_nothing)  # the only signal for a process in a group of its own

    def end(self) -> None:
        """End the wait."""
        with suppress(BlockingIOError):  # it has been ended many times already
            self._waking.send(b"\0")

    def wait(self) -> None:
        """Wait in the main thread until a signal or another thread ends this process."""
        self._waiting.recv(1)


def _do_nothing(_: int, __: FrameType | None) -> None:
    """Handle a signal in Python: without a handler, the default one would end the process."""


def serve(add: Callable[[grpc.Server], object], threads: int) -> tuple[grpc.Server, Ending]:
    """Serve on loopback, and print the port for the engine.

    Returns:
        The server, and what waits until this process is to end.
    """
    ending = Ending()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=threads), options=OPTIONS)
    add(server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    return server, ending


def leave() -> NoReturn:
    """End this process at once: on a busy machine the interpreter takes more than a second to take itself down."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
